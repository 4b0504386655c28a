"""Switches that honour graceful shutdown only after their own change go out before their neighbours, or are told."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from rollout_site import FLOOR, edit_intent, plan, plan_and_tell

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.reading.semantics import load_semantics
from tests.acceptance.run import INVENTORIES, render_here

pytestmark = pytest.mark.sampled(1, of="")
CONFIG = "mnt/flash/startup-config"
LEAF, SPINE = "leaf-u001-r0-1", "spine-01"
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


@pytest.mark.parametrize(
    "edits", [(LIST,), (LIST, ENTRIES), (LIST, ENTRIES, NO_MAP)], ids=["list", "entry", "no policy"]
)
def test_switch_of_which_a_neighbor_is_drained_before_is_told(
    edits: tuple[Edit, ...], dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    deployed = deploying((*edits, RESTART), LEAF, SPINE)
    planned, found = plan_and_tell(dual / "fabric", deployed, tmp_path / "bundle", base="")
    assert [[device.name for device in wave.devices][:1] for wave in planned.rollout.waves][:2] == [[LEAF], [SPINE]]
    (told,) = (item for item in found if item.code == "FG-ROL-059")
    assert told.device == SPINE
    assert "comes with a reboot, and a neighbor is drained before" in told.message


def test_bgpd_that_reads_its_policy_at_start_goes_out_before_its_neighbors(tmp_path: Path) -> None:
    """Spines on SONiC honour it, so that leafs on FBOSS are drained while no other switch is."""
    fabric = edit_intent(Path(shutil.copytree(INVENTORIES / "quickstart", tmp_path / "fabric")), more=FLOOR)
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
    planned, codes = plan(fabric, tmp_path / "deployed", tmp_path / "bundle", base="", overlays=("mixed-fboss",))
    assert "FG-ROL-059" not in codes
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
def test_nothing_is_told_in_vain(
    edits: tuple[Edit, ...], names: tuple[str, ...], dual: Path, deploying: Deploying, tmp_path: Path
) -> None:
    planned, codes = plan(dual / "fabric", deploying(edits, *names), tmp_path / "bundle")
    assert planned is not None
    assert "FG-ROL-059" not in codes


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


@pytest.mark.parametrize(
    ("file", "path", "part"),
    [
        ("shared/vtysh.yaml", "route-map UPPER_IN > 10 > set community", "honors"),
        ("shared/vtysh.yaml", "route-map UPPER_OUT > 10 > set community", ""),
        ("shared/vtysh.yaml", "router bgp > address-family ipv4 unicast > neighbor UPPER > route-map in", "honors"),
        (
            "shared/vtysh.yaml",
            "router bgp > address-family ipv4 unicast > neighbor UPPER > send-community standard",
            "tells",
        ),
        ("switch/cumulus_nvue/startup.yaml", "router > policy > route-map > upper-in > rule > 10", "honors"),
        (
            "switch/cumulus_nvue/startup.yaml",
            "vrf > default > router > bgp > peer-group > upper > address-family > ipv4-unicast > policy > inbound",
            "honors",
        ),
    ],
)
def test_policies_of_other_platforms_are_known(file: str, path: str, part: str) -> None:
    meaning = load_semantics(template_root(), file, Bag()).root
    for step in path.split(" > "):
        meaning = meaning.child(step)
    assert meaning.get("shutdown") == part
