"""Fabrics on EOS, NVUE and FRR, and on two platforms, are found again, and the intent that is found has no error."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from fabricgen.diagnostics import Severity
from fabricgen.inference.shape import ImportOptions
from tests.acceptance.run import INVENTORIES, compile_clean, diagnose
from tests.acceptance.test_import import OWN, files_of, judge

MODELS = {"eos": "arista_7060x6_64pe", "nvue": "nvidia_sn5600", "frr": "dell_z9864f"}
"""Models of the overlays: files of these platforms name no board."""
_SERVICES = ("ntp", "dns", "syslog")
_OTHERS = (*_SERVICES, "timezone", "access", "snmp", "tacacs")
OPERATIONS = {"eos": _OTHERS, "nvue": _OTHERS, "frr": _SERVICES}
SHAPES = [["quickstart", *shape] for shape in ([], ["dual"], ["unnumbered"], ["ipv6"], ["host-bgp"])]


@pytest.mark.parametrize("fabric", [*SHAPES, ["rail-1k"]], ids="-".join)
@pytest.mark.parametrize("platform", MODELS)
def test_a_fabric_on_another_platform_is_found_again(platform: str, fabric: list[str], tmp_path: Path) -> None:
    name, *shape = fabric
    # Ports of a plain router name no hosts.
    rails = (4 if name == "quickstart" else 1) if platform == "frr" else 0
    intent = compile_clean(INVENTORIES / name, platform, *shape).intent
    assert intent is not None
    asked = ImportOptions(switch=intent.tiers["leaf"].model, rails_per_leaf=rails)
    judge(files_of(INVENTORIES / name, platform, *shape), tmp_path, asked)
    compile_clean(tmp_path / "found")


def _on_platform(platform: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return an intent on another platform, with what that platform has."""
    own = deepcopy({"fabric": "own", **data})
    for tier in own["tiers"].values():
        tier |= {"model": MODELS[platform], "platform": {"nvue": "cumulus_nvue"}.get(platform, platform)}
    own["operations"] = {key: each for key, each in own["operations"].items() if key in OPERATIONS[platform]}
    own["routing"]["timers"] = {"hold_s": 12}
    own["links"]["leaf-spine"]["mtu"] = 9200
    own["lossless"] = {key: each for key, each in own["lossless"].items() if key != "watchdog"}
    own["lossless"]["headroom"] = {"pool_oversubscription_max": 50}
    return own


@pytest.mark.parametrize("platform", MODELS)
def test_every_setting_is_found_again(platform: str, tmp_path: Path) -> None:
    (tmp_path / "original").mkdir()
    intent = _on_platform(platform, OWN["every setting of its own"])
    (tmp_path / "original/fabric.yaml").write_text(json.dumps(intent))
    compile_clean(tmp_path / "original")
    asked = ImportOptions(switch=MODELS[platform], rails_per_leaf=2 if platform == "frr" else 0)
    judge(files_of(tmp_path / "original"), tmp_path, asked)


def test_lengths_and_room_come_from_either_end(tmp_path: Path) -> None:
    judge(files_of(INVENTORIES / "quickstart", "mixed"), tmp_path / "a", ImportOptions(switch=MODELS["eos"]))
    own = files_of(INVENTORIES / "spectrumx-superpod", "sample")
    asked = ImportOptions(switch=MODELS["nvue"], server="hgx_b200_8", nic="bluefield3_400g")
    judge(own, tmp_path / "b", asked)
    # The server's addresses on PCI are not public; pools have room for what the counts reserve.
    assert {found.code for found in diagnose(tmp_path / "b/found")[1] if found.severity is Severity.ERROR} == {
        "FG-HST-004"
    }
