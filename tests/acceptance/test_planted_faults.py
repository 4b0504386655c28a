"""Faults of the contract, planted one by one into rail-1k: each its own code, the lines of both values, and a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.operator_faults import Fault, judge, plant
from tests.command_line import REPOSITORY

CONTRACT = """\
lossless:
  mode: dcqcn
  classes:
    roce: {dscp: 26, priority: 3, lossless: true, weight_pct: 95}
    cnp: {dscp: 46, priority: 6, strict: true}
    control: {dscp: [48, 56], priority: 7, strict: true}
    default: {priority: 0, weight_pct: 5}
"""
"""The default contract, written out so that its lines can be named."""
BASE = (REPOSITORY / "inventories/rail-1k/fabric.yaml").read_text(encoding="utf-8") + CONTRACT
PLAIN_ASIC = """\
id: plain_asic
vendor: broadcom
source: an ASIC of no maker
buffer_bytes: 173268640
udf_hash: false
"""
"""An ASIC without user-defined fields."""


def _edit(code: str, at: str, also: tuple[str, ...], *edits: tuple[str, str], added: str = "") -> Fault:
    return Fault(code, "", at, also, "", edits, added)


FAULTS = {
    "two classes with one DSCP": _edit("FG-QOS-001", "roce:", ("cnp:",), ("cnp: {dscp: 46", "cnp: {dscp: 26")),
    "a lossless class without PFC": _edit("FG-QOS-011", "mode:", ("roce:",),
        ("mode: dcqcn", "mode: ecn_only\n  reason: a trial")),
    "PFC on a priority no DSCP maps to": _edit("FG-QOS-003", "roce:", ("roce:",), ("roce: {dscp: 26, ", "roce: {")),
    "weights over 100 %": _edit("FG-QOS-004", "roce:", ("default:",), ("weight_pct: 95", "weight_pct: 98")),
    "ECN minimum above maximum": _edit("FG-QOS-009", "kmin_bytes:", ("kmax_bytes:",),
        added="  ecn:\n    kmin_bytes: 300000\n    kmax_bytes: 200000\n    pmax_pct: 5\n"),
    "a profile for a speed the SKU lacks": _edit("FG-BUF-012", "leaf-spine:", ("leaf: {model",),
        ("leaf-spine: {speed: 400G", "leaf-spine: {speed: 50G")),
    "a cable beyond the headroom table": _edit("FG-BUF-013", "leaf-spine:", ("leaf: {model",),
        ("length_m: 50", "length_m: 2000")),
    "headroom that cannot fit": _edit("FG-BUF-001", "headroom:", ("leaf-spine:",), ("length_m: 50", "length_m: 150"),
        added="  headroom: {pool_oversubscription_max: 1.0}\n"),
    "the MTU of the NIC above that of the switches": _edit("FG-TOP-025", "leaf-spine:", ("host-leaf:",),
        ("host-leaf: {speed: 400G,", "host-leaf: {speed: 400G, mtu: 9216,")),
    "another DSCP on one hop by override": _edit("FG-EXC-015", "set:", ("roce:",),
        added="exceptions:\n  - device: leaf-u001-r0\n    set: {lossless.classes.roce.dscp: 27}\n    reason: r\n"),
    "a watchdog shorter than a legal pause": _edit("FG-QOS-019", "watchdog:",
        ("leaf: {model", "spine: {model", "host-leaf:", "leaf-spine:"), added="  watchdog: {detection_ms: 5}\n"),
    "packets sprayed at a go-back-N NIC": _edit("FG-RTE-018", "load_balancing:", ("hosts:",),
        added="routing: {ecmp: {load_balancing: per_packet}}\n"),
    "queue pair hashing asked of an ASIC without user-defined fields": _edit("FG-PLT-021", "roce_dest_qp",
        ("spine: {model",), ("spine: {model: arista_7060x6_64pe", "spine: {model: plain_switch"),
        added="routing: {ecmp: {hash: [five_tuple, roce_dest_qp]}}\n"),
    "BFD asked where it cannot run": _edit("FG-RTE-010", "bfd:", ("spine: {model",),
        ("spine: {model: arista_7060x6_64pe, platform: sonic", "spine: {model: meta_minipack3, platform: fboss"),
        added="routing: {bfd: on}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_caught_at_its_lines(name: str, tmp_path: Path) -> None:
    model = (REPOSITORY / "tests/cases/kits/switch.yaml").read_text(encoding="utf-8")
    model = model.replace("@NAME@", "plain_switch").replace("asic: tomahawk5", "asic: plain_asic")
    for path, text in (("asics/plain_asic", PLAIN_ASIC), ("switches/plain_switch", model)):
        (tmp_path / "catalog" / path).parent.mkdir(parents=True)
        (tmp_path / f"catalog/{path}.yaml").write_text(text, encoding="utf-8")
    judge(FAULTS[name], "sonic", tmp_path, BASE)


def test_the_contract_written_out_is_clean(tmp_path: Path) -> None:
    _, found = plant(Fault("", "", "", (), ""), "sonic", tmp_path, BASE)
    assert [d for d in found if d.severity.value != "info"] == []


def test_every_fault_has_a_code_of_its_own() -> None:
    codes = [fault.code for fault in FAULTS.values()]
    assert len(set(codes)) == len(codes)
