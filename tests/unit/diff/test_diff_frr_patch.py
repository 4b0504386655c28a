"""Patches of FRR without daemons: no secret that goes is written, and steps say what to reset and what to look at."""

from __future__ import annotations

from pathlib import Path

import pytest
from diff_site import FRR, LEAF, Site, render_site, switch_file

from fabricgen.platforms.families.vtysh.patch import list_commands, plan_patch
from tests.unit.situations import between

ROUTER = "router bgp 65001\n neighbor UP peer-group\n neighbor UP timers 3 9\n neighbor 10.0.0.0 peer-group UP\n"
FAMILY = " address-family ipv4 unicast\n  network 10.0.0.1/32\n exit-address-family\nexit\n"
SECRET = "hunter2-and-more"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return render_site(tmp_path_factory.mktemp("site"))


def test_a_removed_secret_is_in_no_file_of_a_patch(site: Site, tmp_path: Path) -> None:
    deployed = site.copy()
    file = switch_file(deployed, path=FRR)
    password = f" neighbor UPPER peer-group\n neighbor UPPER password {SECRET}\n"
    text = file.read_text().replace(" neighbor UPPER peer-group\n", password)
    file.write_text(text.replace("\nrouter bgp", f"\npassword {SECRET}1\nrouter bgp"))
    assert SECRET in file.read_text()
    site.diff(site.out, deployed, patches=tmp_path / "patches")
    folder = tmp_path / "patches" / LEAF
    files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert not [name for name, content in files.items() if SECRET in content]
    assert " no neighbor UPPER password\n" in files["apply/2-frr.conf.commands"]
    assert " neighbor UPPER password @fabricgen-secret:deployed:value@\n" in files["undo/2-frr.conf.commands"]
    assert "put the secrets in their places" in files["undo/steps"]
    # The password of its terminals is the operator's: the file that is installed keeps it.
    assert "\npassword @fabricgen-secret:deployed:password@\n" in files["apply/3-frr.conf"]
    assert "put the secrets in their places" in files["apply/steps"]


def test_the_lookup_of_a_route_map_is_repaired_and_brought_back() -> None:
    plan = between("no route-map OUT optimization\n" + ROUTER + FAMILY, ROUTER + FAMILY)
    assert list_commands(plan) == ["route-map OUT optimization"]
    assert list_commands(plan.reversed()) == ["no route-map OUT optimization"]


def test_timers_that_change_reset_the_sessions_that_have_them() -> None:
    plan = between(ROUTER.replace("3 9", "10 30") + FAMILY, ROUTER + FAMILY)
    assert [change.disruption for change in plan.changes] == ["session reset"]
    steps = plan_patch(plan)
    assert [(s.command, s.disruption) for s in steps[1:2]] == [("vtysh -c 'clear bgp peer-group UP'", "session reset")]


def test_graceful_restart_is_negotiated_with_everybody_and_a_new_neighbour_resets_nobody() -> None:
    for before, after, cleared in (
        (" bgp graceful-restart\n", "", ["vtysh -c 'clear bgp *'"]),
        ("", " neighbor 10.0.0.2 timers 1 3\n", []),
    ):
        steps = plan_patch(between(ROUTER + before + FAMILY, ROUTER + after + FAMILY))
        assert [step.command for step in steps if "clear" in step.command] == cleared


def test_bfd_that_goes_resets_the_session_and_bfd_that_comes_does_not() -> None:
    plan = between(ROUTER + " neighbor UP bfd\n" + FAMILY, ROUTER + FAMILY)
    assert [change.disruption for change in plan.changes] == ["session reset"]
    assert [change.disruption for change in plan.reversed().changes] == ["hitless"]
    (look,) = [step for step in plan_patch(plan.reversed()) if "bfd peers" in step.command]
    assert look.reason.startswith("look: every session")


def test_an_entry_that_gets_another_number_goes_first() -> None:
    """FRR 8 ignores an entry that is there under another number, and the list would then end without it."""
    lists = "ip prefix-list OWN seq {} permit 10.0.0.1/32\nip prefix-list OWN seq {} permit 10.0.0.2/32\n"
    assert list_commands(between(lists.format(30, 20), lists.format(10, 20))) == [
        "no ip prefix-list OWN seq 30 permit 10.0.0.1/32",
        "ip prefix-list OWN seq 10 permit 10.0.0.1/32",
    ]
    swapped = list_commands(between(lists.format(20, 10), lists.format(10, 20)))
    assert [line.startswith("no ") for line in swapped] == [True, True, False, False]
