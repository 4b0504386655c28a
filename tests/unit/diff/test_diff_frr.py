"""Real FRR daemons judge reader and patches: what they loaded is no difference, what was typed is exactly one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.diagnostics import Bag
from fabricgen.diff.saved import Saved
from fabricgen.platforms.families.vtysh.patch import list_commands, plan_patch
from fabricgen.platforms.families.vtysh.reader import read
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.patching.steps import ABSENT, PatchStep
from fabricgen.rollout.digests import Meanings, list_kept
from tests.acceptance import frr_roots
from tests.acceptance.run import INVENTORIES, copy_inventory, render_here
from tests.unit.diff import frr_daemons
from tests.unit.situations import FRR_PATH, KINDS, between, compare_texts
from tests.waiting import wait

NEIGHBOR = "neighbor 10.0.0.4"
SEMANTICS = KINDS.of_device("switches", [FRR_PATH])[FRR_PATH].semantics
DRAINED = """exceptions:
  - {device: leaf-u001-r0, state: drained, reason: optics}
  - {link: [leaf-u001-r0, spine-02], n: 1, state: drained, reason: dirt}
"""
EDITS: dict[str, dict[str, str]] = yaml.safe_load(
    Path(__file__).with_name("frr_edits.yaml").read_text(encoding="utf-8")
)


def commands_of(edit: str) -> list[str]:
    return (EDITS["plain"] | EDITS["families"])[edit].splitlines()


@pytest.fixture(scope="module")
def intended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """frr.conf of a leaf and a spine of the quickstart, and of a leaf with both families and no addresses on links."""
    frr_daemons.require()
    plain, both = (tmp_path_factory.mktemp("frr") / "out" for _ in range(2))
    assert render_here(INVENTORIES / "quickstart", plain) == []
    assert render_here(INVENTORIES / "quickstart", both, overlays=("dual", "unnumbered")) == []
    leaf, spine = "leaf-u001-r0", "spine-01"
    places = {leaf: plain / "switches" / leaf, spine: plain / "switches" / spine, "families": both / "switches" / leaf}
    return {name: (folder / "etc/sonic/frr/frr.conf").read_text() for name, folder in places.items()}


@pytest.fixture(params=frr_roots.ALL)
def root(request: pytest.FixtureRequest) -> str:
    """Root of each system whose daemons are to judge."""
    return str(request.param)


@pytest.fixture
def router(request: pytest.FixtureRequest, root: str) -> Iterator[frr_daemons.Router]:
    """Daemons that have not been started."""
    frr_daemons.require()
    made = frr_daemons.Router(getattr(request, "param", "leaf-u001-r0"), root)
    yield made
    made.stop()


def check_form(running: str, wanted: str) -> None:
    """Texts without a difference have one normal form, by which rollouts know a device again."""
    kept = list_kept(read(wanted), SEMANTICS)
    one, other = (Meanings().digest(read(text), SEMANTICS, kept=kept) for text in (running, wanted))
    assert one == other
    changed = re.sub(r"bgp router-id \d+", "bgp router-id 223", wanted)
    assert changed != wanted
    assert Meanings().digest(read(changed), SEMANTICS, kept=kept) != one


@pytest.mark.parametrize("router", ["leaf-u001-r0", "spine-01"], indirect=True)
def test_what_daemons_loaded_is_no_difference(
    router: frr_daemons.Router, intended: dict[str, str], request: pytest.FixtureRequest
) -> None:
    wanted = intended[request.node.callspec.params["router"]]
    router.start(wanted)
    running = router.running()
    assert "Current configuration" in running
    assert running != wanted
    found = compare_texts(running, wanted)
    assert found.changes == []
    assert found.secrets == []
    check_form(running, wanted)


def test_what_is_not_written_is_what_the_next_start_loses(router: frr_daemons.Router, intended: dict[str, str]) -> None:
    saved = Saved(load_platforms({"frr": ()}, "switch", Bag(), [template_root()]), Bag())

    def compare() -> str:
        file = (router.folder / "frr.conf").read_bytes()
        return saved.compare("frr", "etc/frr/frr.conf", router.running().encode(), file).value

    router.start(intended["leaf-u001-r0"])
    assert compare() == "changes nothing", "the file is as rendered"
    router.vtysh("-c", "write memory")
    assert "frr version" in (router.folder / "frr.conf").read_text()
    assert compare() == "changes nothing", "the file is as the daemons write it"
    by_hand = ("no bgp fast-external-failover", "exit", "interface eth0", "description by hand")
    router.type_in("router bgp 4200000001", f"{NEIGHBOR} shutdown", *by_hand)
    assert compare().startswith("takes away 3 settings: interface eth0 description=by hand; router bgp > ")
    router.vtysh("-c", "write memory")
    assert compare() == "changes nothing"


@pytest.mark.parametrize("overlays", [("dual",), ("ipv6",), ("unnumbered",), ("dual", "unnumbered")], ids="+".join)
def test_families_are_no_difference(router: frr_daemons.Router, overlays: tuple[str, ...], tmp_path: Path) -> None:
    inventory = copy_inventory("quickstart", tmp_path / "quickstart", {"expect:": f"{DRAINED}expect:"})
    assert render_here(inventory, tmp_path / "out", overlays=overlays) == []
    wanted = (tmp_path / "out/switches/leaf-u001-r0/etc/sonic/frr/frr.conf").read_text()
    assert "graceful-shutdown" in wanted
    assert "UPPER_IN_DRAINED" in wanted
    router.start(wanted)
    running = router.running()
    assert "Current configuration" in running
    assert compare_texts(running, wanted).changes == []
    check_form(running, wanted)


def test_commands_leave_a_router_with_dotted_as_numbers(router: frr_daemons.Router, intended: dict[str, str]) -> None:
    """FRR 10 keeps the notation that its router was made with; a reload of the file would make another router."""
    wanted = intended["leaf-u001-r0"]
    dotted = wanted.replace("router bgp 4200000001", "router bgp 64086.59905 as-notation dot")
    router.start(re.sub(r"(?m)^  maximum-paths .*", "  maximum-paths 3", dotted))
    running = router.running()
    if "router bgp" not in running:
        pytest.skip("this FRR has no as-notation")
    assert router.apply(list_commands(between(running, wanted))) == ""
    assert "router bgp 64086.59905 as-notation dot" in router.running()
    assert compare_texts(router.running(), wanted).changes == []


@pytest.mark.sampled(2, of="name")
@pytest.mark.parametrize("name", [*EDITS["plain"], *EDITS["families"]])
def test_an_edit_is_repaired_and_brought_back(router: frr_daemons.Router, intended: dict[str, str], name: str) -> None:
    wanted = intended["families" if name in EDITS["families"] else "leaf-u001-r0"]
    router.start(wanted)
    router.type_in(*commands_of(name))
    edited = router.running()
    plan = between(edited, wanted)
    assert plan.changes
    for apply, goal in ((plan, wanted), (plan.reversed(), edited), (plan, wanted)):
        assert router.apply(list_commands(apply)) == ""
        assert compare_texts(router.running(), goal).changes == []


def test_one_neighbour_changed_by_hand_is_exactly_that(router: frr_daemons.Router, intended: dict[str, str]) -> None:
    wanted = intended["leaf-u001-r0"]
    router.start(wanted)
    router.type_in("router bgp 4200000001", f"{NEIGHBOR} remote-as 65009")
    (change,) = compare_texts(router.running(), wanted).changes
    assert change.steps == ("router bgp", NEIGHBOR, "remote-as")
    assert (change.before, change.after) == ("65009", "4200000000")
    assert change.disruption == "session reset"
    commands = list_commands(between(router.running(), wanted))
    assert commands == ["router bgp 4200000001", f" {NEIGHBOR} remote-as 4200000000", "exit"]


def test_nothing_is_turned_off_to_be_set_again(router: frr_daemons.Router, intended: dict[str, str]) -> None:
    wanted = intended["leaf-u001-r0"]
    router.start(wanted)
    for edit in ("settings of a group", "prefix lists", "BFD"):
        router.type_in(*commands_of(edit))
    plan = between(router.running(), wanted)
    replaced = {change.steps[-1] for change in plan.changes if ABSENT not in (change.before, change.after)}
    assert replaced
    for command in list_commands(plan):
        assert not (command.strip().startswith("no ") and any(name in command for name in replaced)), command


OWN = {"10.255.0.3/32", "172.16.0.0/27"}
PEER = """frr defaults datacenter
bfd
 profile FABRIC
 exit
exit
router bgp 4200000000
 no bgp ebgp-requires-policy
 neighbor LOWER peer-group
 neighbor LOWER timers 3 9
 neighbor LOWER timers connect 1
 neighbor LOWER ttl-security hops 1
 neighbor LOWER bfd
 neighbor LOWER bfd profile FABRIC
 neighbor 10.0.0.1 remote-as 4200000001
 neighbor 10.0.0.1 peer-group LOWER
exit
"""


class Pair:
    """A leaf with its configuration and a spine with little, joined by one cable."""

    def __init__(self, root: str, configuration: str) -> None:
        self.leaf, self.spine = (frr_daemons.Router(name, root) for name in ("leaf-u001-r0", "spine-01"))
        self.leaf.plug_in("Ethernet504", "10.0.0.1/31", self.spine, "10.0.0.0/31")
        self.leaf.ip("address", "add", "10.255.0.3/32", "dev", "lo")
        self.leaf.start(configuration)
        self.spine.start(PEER)
        wait(lambda: self.heard() == OWN and self.session()["peerBfdInfo"]["status"] == "Up")

    def heard(self) -> set[str]:
        """Return what the leaf announces, as the spine has it."""
        return set(self.spine.ask("show bgp ipv4 unicast").get("routes", {}))

    def session(self) -> dict[str, Any]:
        """The session as the spine sees it."""
        return dict(self.spine.ask("show bgp neighbors")["10.0.0.1"])

    def carry_out(self, steps: Iterable[PatchStep]) -> None:
        """Do what steps say, but for files that daemons read when they start."""
        for step in steps:
            if step.command == "vtysh -f {file}":
                assert self.leaf.apply(step.content.splitlines()) == ""
            elif step.command.startswith("vtysh -c "):
                said = self.leaf.vtysh(*shlex.split(step.command)[1:])
                assert "Unknown command" not in said
                assert not said.startswith("%")


@pytest.fixture
def pair(root: str, intended: dict[str, str]) -> Iterator[Pair]:
    """Two routers with a session, the leaf's as intended."""
    made = Pair(root, intended["leaf-u001-r0"])
    yield made
    made.leaf.stop()
    made.spine.stop()


@pytest.mark.nightly
def test_routes_are_announced_after_change_undo_and_change_again(pair: Pair, intended: dict[str, str]) -> None:
    """A clean difference is not enough: the neighbour hears what the leaf has to announce."""
    wanted = intended["leaf-u001-r0"]
    pair.leaf.type_in(*commands_of("entries that change places"))
    plan = between(pair.leaf.running(), wanted)
    for steps in (plan, plan.reversed(), plan):
        pair.carry_out(plan_patch(steps))
    assert compare_texts(pair.leaf.running(), wanted).changes == []
    wait(lambda: pair.heard() == OWN)


@pytest.mark.nightly
def test_timers_hold_and_bfd_that_goes_resets_as_steps_say(pair: Pair, intended: dict[str, str]) -> None:
    """New timers are negotiated once the steps are done; removed BFD takes the session down, as its class says."""
    running = pair.leaf.running()
    text = intended["leaf-u001-r0"]
    pair.spine.type_in("router bgp 4200000000", "neighbor LOWER timers 2 7")
    slow = text.replace(" neighbor UPPER timers 3 9\n", " neighbor UPPER timers 4 12\n")
    pair.carry_out(plan_patch(between(running, slow)))
    wait(lambda: pair.session()["bgpState"] == "Established" and pair.heard() == OWN)
    negotiated = pair.leaf.ask("show bgp neighbors 10.0.0.0")["10.0.0.0"]
    assert negotiated["bgpTimerHoldTimeMsecs"] == 7000, "the smaller hold time of both ends"
    wait(lambda: pair.session()["peerBfdInfo"]["status"] == "Up")
    before = pair.session()["connectionsDropped"]
    without = slow.replace(" neighbor UPPER bfd\n", "").replace(" neighbor UPPER bfd profile FABRIC\n", "")
    plan = between(pair.leaf.running(), without)
    assert {change.disruption for change in plan.changes if change.steps[-1] == "bfd"} == {"session reset"}
    pair.carry_out(plan_patch(plan))
    wait(lambda: pair.session()["connectionsDropped"] > before)
