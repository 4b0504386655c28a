"""Platform and load balancing: the lines that stand in the files of a leaf and its hosts, or the code that refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Severity
from fabricgen.render.engine import Renderer
from tests.acceptance.run import diagnose

QUICKSTART = Path(__file__).parents[2] / "inventories" / "quickstart"
BOXES = {
    "sonic": "{model: dell_z9864f, platform: sonic}",
    "frr": "{model: dell_z9864f, platform: frr}",
    "cumulus_nvue": "{model: nvidia_sn5600, platform: cumulus_nvue}",
    "eos": "{model: arista_7060x6_64pe, platform: eos}",
    "fboss": "{model: meta_minipack3, platform: fboss, board_data: boards/sample_minipack3.yaml}",
}
ECMP = {
    "auto": "load_balancing: auto", "static": "load_balancing: static", "flowlet": "load_balancing: flowlet",
    "per_packet": "load_balancing: per_packet", "adaptive": "load_balancing: adaptive", "resilient": "resilient: true",
    "gap": "load_balancing: flowlet, flowlet_gap_us: 64",
}  # fmt: skip


def compiled(folder: Path, platform: str, mode: str, nic: str = "bluefield3_400g") -> tuple[str, str, set[str]]:
    """Texts of the first leaf and of the first host, and the codes of errors."""
    inventory = folder / "quickstart"
    shutil.copytree(QUICKSTART, inventory)
    box = BOXES[platform]
    overlay = f"hosts: {{nic: {nic}}}\ntiers: {{leaf: {box}, spine: {box}}}\nrouting: {{ecmp: {{{ECMP[mode]}}}}}\n"
    (inventory / "overlays" / "mode.yaml").write_text(overlay, encoding="utf-8")
    made, bag = diagnose(inventory, "mode")
    errors = {d.code for d in bag if d.severity is Severity.ERROR}
    if errors:
        return "", "", errors
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, Bag())
    switch = renderer.render_switch(lowering.lower_switch(next(iter(made.plan.switches()))))
    host = renderer.render_host(lowering.lower_host(next(iter(made.plan.all_hosts()))))
    return *("".join(file.data.decode() for file in files) for files in (switch, host)), errors


ADAPTIVE = "adaptive-routing: {state: enabled}"


@pytest.mark.parametrize(
    ("platform", "mode", "mark", "sprayed"),
    [
        ("sonic", "auto", "", False), ("sonic", "static", "", False), ("cumulus_nvue", "auto", ADAPTIVE, True),
        ("cumulus_nvue", "static", "", False), ("cumulus_nvue", "adaptive", ADAPTIVE, True),
        ("eos", "flowlet", "ip hardware fib load-balance distribution dynamic", False),
        ("fboss", "flowlet", '"switchingMode": 0,', False), ("fboss", "per_packet", '"switchingMode": 1,', True),
        ("fboss", "gap", '"inactivityIntervalUsecs": 64,', False),
    ],
)  # fmt: skip
def test_a_mode_is_rendered_at_both_ends(platform: str, mode: str, mark: str, sprayed: bool, tmp_path: Path) -> None:
    switch, host, errors = compiled(tmp_path, platform, mode)
    assert errors == set()
    assert mark in switch
    assert (ADAPTIVE in switch) == (mark == ADAPTIVE)
    assert f"ROCE_ADAPTIVE_ROUTING_EN={int(sprayed)}" in host
    assert ("NCCL_IB_ADAPTIVE_ROUTING=1" in host) == (mark == ADAPTIVE)


@pytest.mark.parametrize(
    ("platform", "mode", "nic", "code"),
    [
        ("sonic", "per_packet", "bluefield3_400g", "FG-PLT-021"), ("frr", "resilient", "bluefield3_400g", "FG-PLT-021"),
        ("eos", "gap", "bluefield3_400g", "FG-PLT-021"), ("fboss", "per_packet", "connectx7_400g", "FG-RTE-018"),
        ("cumulus_nvue", "adaptive", "connectx7_400g", "FG-RTE-018"),
    ],
)  # fmt: skip
def test_a_mode_an_end_cannot_is_an_error(platform: str, mode: str, nic: str, code: str, tmp_path: Path) -> None:
    assert code in compiled(tmp_path, platform, mode, nic)[2]


def test_the_advice_keeps_to_the_hash_where_a_nic_requires_order(tmp_path: Path) -> None:
    switch, host, errors = compiled(tmp_path, "cumulus_nvue", "auto", "connectx7_400g")
    assert errors == set()
    assert "adaptive-routing" not in switch
    assert "ADAPTIVE_ROUTING" not in host


def test_cluster_load_balancing_of_eos_leads_to_a_snippet(tmp_path: Path) -> None:
    text = (QUICKSTART / "fabric.yaml").read_text().replace("{model: dell_z9864f, platform: sonic", BOXES["eos"][:-1])
    (tmp_path / "fabric.yaml").write_text(f"{text}\nrouting: {{ecmp: {{load_balancing: cluster}}}}\n")
    hints = {found.hint for found in diagnose(tmp_path)[1] if found.code == "FG-PLT-021"}
    assert hints == {"use flowlet, or add Arista's cluster load balancing by a raw snippet"}
