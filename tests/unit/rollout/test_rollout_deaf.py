"""Switches that do not honour graceful shutdown get the policy for it before a neighbour of theirs is drained."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from rollout_site import plan, resume, verify

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rehearsal_states import find_states
from fabricgen.api.rollout import Planned, plan_rollout
from fabricgen.api.sides import Where, open_side
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.rollout.bundle import PlannedDevice
from fabricgen.rollout.opening import open_bundle
from tests.acceptance.run import INVENTORIES, render_here

pytestmark = pytest.mark.sampled(1, of="")
CONFIG = "mnt/flash/startup-config"
LEAF, SPINE = "leaf-u001-r0-1", "spine-01"
FLOOR = "rollout: {floor: 0.5}\n"
LIST = (r"^ip community-list DRAINED .*\n", "")
ENTRIES = (r"(?m)^(route-map (\S+) permit) \d+\n(?:   .*\n)*?   match community DRAINED\n(?:   .*\n)*!\n", "")
RESTART = (r"^service routing protocols model .*\n", "")
OWN_LIST = (r"(match ip address prefix-list) FABRIC\n", r"\1 LEGACY\n")
LEGACY = (r"\Z", "ip prefix-list LEGACY\n   seq 10 permit 0.0.0.0/0 le 32\n")
NO_MAP = (r"^ +neighbor \S+ (?:route-map \S+ in|missing-policy .*)\n", "")
JUMP = (r"^route-map (?:UPPER|LOWER)_IN permit \d+\n", r"\g<0>   continue 100\n")
Edit = tuple[str, str]


@pytest.fixture(scope="module")
def dual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inventory dual-tor, of whose spines one may be out, with its tree, as a collector has it."""
    folder = tmp_path_factory.mktemp("dual")
    shutil.copytree(INVENTORIES / "dual-tor", folder / "fabric")
    with (folder / "fabric/fabric.yaml").open("a") as file:
        file.write(FLOOR)
    assert render_here(folder / "fabric", folder / "deployed") == []
    shutil.rmtree(folder / "deployed/manifest")
    return folder


Deploying = Callable[..., Path]


@pytest.fixture
def deploying(dual: Path, tmp_path: Path) -> Deploying:
    """A collection in which startup-configs of some switches are edited."""

    def make(edits: Iterable[Edit], *names: str) -> Path:
        deployed = Path(shutil.copytree(dual / "deployed", tmp_path / "deployed"))
        for file in sorted((deployed / "switches").glob(f"*/{CONFIG}")):
            if not names or file.parts[-4] in names:
                text = file.read_text()
                for pattern, put in edits:
                    text, count = re.subn(pattern, put, text, flags=re.MULTILINE)
                    assert count, pattern
                file.write_text(text)
        return deployed

    return make


def chain(planned: Planned | None, name: str) -> list[tuple[str, PlannedDevice]]:
    """Changes of a device in a rollout, with the kinds of the waves."""
    assert planned is not None
    return [(wave.kind, device) for wave in planned.rollout.waves for device in wave.devices if device.name == name]


def put_after(planned: Planned, dual: Path, deployed: Path, kind: str) -> None:
    """Carry out the commands of all waves of a kind on EOS, as far as they add lines and sections."""
    for wave in planned.rollout.waves:
        for device in wave.devices if wave.kind == kind else ():
            lines = planned.files[f"{device.folder}/apply/1-startup-config.commands"].decode()
            file = deployed / "switches" / device.name / CONFIG
            file.write_text(file.read_text().removesuffix("end\n") + lines + "end\n")


@pytest.mark.parametrize(
    ("edits", "lines"),
    [
        pytest.param((LIST,), [], id="its list"),
        pytest.param((LIST, ENTRIES), ["route-map UPPER_IN permit 10"], id="list and entry"),
        pytest.param((LIST, ENTRIES, OWN_LIST, LEGACY), ["route-map UPPER_IN permit 10"], id="another policy"),
        pytest.param((LIST, ENTRIES, NO_MAP), ["route-map GSHUT_IN permit 10"], id="no policy"),
    ],
)
def test_policy_alone_goes_before_the_drain(
    edits: tuple[Edit, ...], lines: list[str], dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    deployed = deploying((*edits, RESTART), LEAF, SPINE)
    planned, codes = plan(dual / "fabric", deployed, tmp_path / "bundle")
    assert "FG-ROL-059" not in codes
    kinds, devices = zip(*chain(planned, LEAF), strict=True)
    assert kinds[:2] == ("prepare", "drain")
    assert "prepare" not in kinds[1:]
    assert [device.disruption for device in devices[:2]] == ["hitless", "reboot"]
    for device, later in pairwise(devices):
        assert device.after == later.before
        assert device.files[0].after == later.files[0].before
    first = devices[0]
    assert planned is not None
    commands = planned.files[f"{first.folder}/apply/1-startup-config.commands"].decode()
    assert "ip community-list DRAINED permit GSHUT" in commands.splitlines()
    assert [line for line in lines if line not in commands] == []
    assert "service routing protocols" not in commands
    assert {check.when for check in first.checks} == {"before", "after"}
    assert "honor graceful shutdown" in planned.files["runbook.md"].decode()


def test_states_of_a_prepared_switch_are_found_again(dual: Path, deploying: Deploying, tmp_path: Path) -> None:
    deployed = deploying((LIST, ENTRIES, RESTART))
    planned, _ = plan(dual / "fabric", deployed, tmp_path / "bundle")
    assert planned is not None
    assert [wave.kind for wave in planned.rollout.waves] == ["prepare", "prepare", "prepare", "drain", "drain"]
    rest, said = resume(tmp_path / "bundle", deployed)
    assert (rest is not None and len(rest.rest.waves), said) == (5, [])
    put_after(planned, dual, deployed, "prepare")
    rest, said = resume(tmp_path / "bundle", deployed, tmp_path / "rest")
    assert said == []
    assert rest is not None
    assert [wave.kind for wave in rest.rest.waves] == ["drain", "drain"]
    moved, codes = verify(tmp_path / "bundle", deployed)
    assert (moved is not None and {each.state for each in moved.moved}, codes) == ({"changed"}, set())
    assert verify(tmp_path / "rest", deployed) == (moved._replace(moved=()) if moved else None, set())
    rest, said = resume(tmp_path / "bundle", dual / "deployed")
    assert (rest is not None and rest.rest.waves, said) == ((), [])


@pytest.mark.parametrize("edits", [(LIST, ENTRIES), (LIST, ENTRIES, OWN_LIST, LEGACY)], ids=["once", "in phases"])
def test_rehearsal_finds_what_each_later_wave_leaves(
    edits: tuple[Edit, ...], dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    """The wave of the policy leaves a switch without a state of its own: the lab's FRR needs no policy."""
    deployed = deploying((*edits, RESTART), LEAF, SPINE)
    planned, _ = plan(dual / "fabric", deployed, tmp_path / "bundle")
    (_, first), *later = chain(planned, LEAF)
    bag = Bag()
    kinds = load_kinds(None, bag)
    where = Where(tmp_path, bytes, lambda: tmp_path / "scratch", names=kinds.names)
    sides = [open_side(str(side), where, bag) for side in (dual / "fabric", deployed)]
    bundle = open_bundle(tmp_path / "bundle", bag)
    assert sides[0] is not None
    assert sides[1] is not None
    assert bundle is not None
    states = find_states(bundle, sides[0].side, sides[1].side, kinds)
    assert first.folder not in states
    assert {device.folder for _, device in later} <= states.keys()


def test_policy_that_cannot_be_put_before_is_told_with_the_reason(
    dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    deployed = deploying((LIST, ENTRIES, RESTART, JUMP), LEAF, SPINE)
    bag = Bag()
    planned = plan_rollout(str(dual / "fabric"), str(deployed), tmp_path / "bundle", DiffOptions(tmp_path), bag)
    assert planned is not None
    assert [[device.name for device in wave.devices][:1] for wave in planned.rollout.waves][:2] == [[LEAF], [SPINE]]
    (told,) = (item for item in bag if item.code == "FG-ROL-059")
    assert told.device == SPINE
    assert "entry 30 of LOWER_IN goes on elsewhere" in told.message
    assert told.hint is not None
    assert "65535:0" in told.hint


def test_bgpd_that_reads_its_policy_at_start_goes_out_before_its_neighbors(tmp_path: Path) -> None:
    """Spines on SONiC honour it, so that leafs on FBOSS are drained while no other switch is."""
    fabric, bag = Path(shutil.copytree(INVENTORIES / "quickstart", tmp_path / "fabric")), Bag()
    with (fabric / "fabric.yaml").open("a") as file:
        file.write(FLOOR)
    assert render_here(fabric, tmp_path / "deployed", overlays=("mixed-fboss",)) == []
    shutil.rmtree(tmp_path / "deployed/manifest")
    for file in sorted((tmp_path / "deployed/switches").glob("*/etc/coop/bgpcpp.conf")):
        data = json.loads(file.read_text())
        for statement in data["policies"]["bgp_policy_statements"]:
            terms = statement["policy_entries"]
            statement["policy_entries"] = [term for term in terms if "65535:0" not in repr(term)]
        file.write_text(json.dumps(data))
    for file in sorted((tmp_path / "deployed/switches").glob("spine-*/etc/sonic/config_db.json")):
        file.write_text(re.sub(r'"size": *"\d+"', '"size": "1000000"', file.read_text(), count=1))
    options = DiffOptions(tmp_path, overlays=("mixed-fboss",))
    planned = plan_rollout(str(fabric), str(tmp_path / "deployed"), tmp_path / "bundle", options, bag)
    assert planned is not None
    assert "FG-ROL-059" not in {item.code for item in bag}
    tiers = [{device.tier for device in wave.devices if device.kind == "switches"} for wave in planned.rollout.waves]
    assert tiers == sorted(tiers, key=lambda some: some != {"leaf"})
    assert {"leaf"} in tiers
    assert {"spine"} in tiers


@pytest.mark.parametrize(
    ("edits", "names"),
    [
        pytest.param((LIST, ENTRIES, RESTART), (LEAF,), id="no neighbor is drained"),
        pytest.param((LIST, ENTRIES), (), id="hitless"),
        pytest.param((RESTART,), (), id="they have it"),
    ],
)
def test_nothing_is_prepared_in_vain(
    edits: tuple[Edit, ...], names: tuple[str, ...], dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    planned, codes = plan(dual / "fabric", deploying(edits, *names), tmp_path / "bundle")
    assert planned is not None
    assert "FG-ROL-059" not in codes
    assert "prepare" not in {wave.kind for wave in planned.rollout.waves}


def test_router_whose_policy_hides_a_drain_gets_one_that_honors_it(tmp_path: Path) -> None:
    """Under FRR `set community` without `additive` replaces the community of graceful shutdown."""
    inventory = Path(shutil.copytree(INVENTORIES / "quickstart", tmp_path / "quickstart"))
    assert render_here(inventory, tmp_path / "deployed") == []
    shutil.rmtree(tmp_path / "deployed/manifest")
    for file in (tmp_path / "deployed/switches").glob("leaf-*/etc/sonic/frr/frr.conf"):
        file.write_text(file.read_text().replace("set community 64512:1 additive", "set community 64512:1"))
    text = (inventory / "fabric.yaml").read_text().replace("fabric_links: 10.0.0.0/12", "fabric_links: 10.64.0.0/12")
    (inventory / "fabric.yaml").write_text(text + FLOOR)
    planned, codes = plan(inventory, tmp_path / "deployed", tmp_path / "bundle")
    assert "FG-ROL-059" not in codes
    kinds, devices = zip(*chain(planned, "leaf-u001-r0"), strict=True)
    assert kinds[0] == "prepare"
    assert devices[0].disruption == "hitless"
    assert planned is not None
    (commands,) = (
        data.decode()
        for path, data in planned.files.items()
        if path.startswith(f"{devices[0].folder}/apply/") and path.endswith("frr.conf.commands")
    )
    assert "bgp community-list standard GSHUT seq 10 permit graceful-shutdown" in commands
    assert "route-map UPPER_IN permit 5\n" in commands
    assert " set local-preference 0\n" in commands
    assert chain(planned, "spine-01")[0][0] != "prepare"


@pytest.mark.parametrize(
    ("line", "sends"),
    [
        ("neighbor UPPER send-community", True),
        ("neighbor UPPER send-community standard extended", True),
        ("", False),
        ("no neighbor UPPER send-community", False),
        ("neighbor UPPER send-community extended", False),
    ],
    ids=["all", "standard", "without", "refused", "extended"],
)
def test_switch_that_cannot_tell_of_its_drain_is_warned_of(
    line: str, sends: bool, dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    deployed = deploying((RESTART, (r"^ +neighbor UPPER send-community .*\n", f"   {line}\n")), LEAF)
    _, codes = plan(dual / "fabric", deployed, tmp_path / "bundle")
    assert ("FG-ROL-068" in codes) is not sends
