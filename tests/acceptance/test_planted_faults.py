"""Faults of the contract, planted one by one into rail-1k: each its own code, the lines of both values, and a hint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic

REPOSITORY = Path(__file__).resolve().parents[2]
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


@dataclass(frozen=True)
class Fault:
    """A fault: what is changed, what is added at the end, and where the code must point.

    ``at`` is a part of the line the diagnostic stands on, ``conflicts`` parts of the lines it must name beside it.
    """

    code: str
    at: str
    conflicts: tuple[str, ...]
    edits: tuple[tuple[str, str], ...] = ()
    added: str = ""
    files: tuple[tuple[str, str], ...] = ()


_NO_UDF = """\
id: plain_asic
vendor: broadcom
source: an ASIC of no maker
buffer_bytes: 173268640
udf_hash: false
"""

FAULTS = {
    "two classes with one DSCP": Fault("FG-QOS-001", "roce:", ("cnp:",), (("cnp: {dscp: 46", "cnp: {dscp: 26"),)),
    "a lossless class without PFC": Fault(
        "FG-QOS-011", "mode:", ("roce:",), (("mode: dcqcn", "mode: ecn_only\n  reason: a trial"),)
    ),
    "PFC on a priority no DSCP maps to": Fault("FG-QOS-003", "roce:", ("roce:",), (("roce: {dscp: 26, ", "roce: {"),)),
    "weights over 100 %": Fault("FG-QOS-004", "roce:", ("default:",), (("weight_pct: 95", "weight_pct: 98"),)),
    "ECN minimum above maximum": Fault(
        "FG-QOS-009",
        "kmin_bytes:",
        ("kmax_bytes:",),
        added="  ecn:\n    kmin_bytes: 300000\n    kmax_bytes: 200000\n    pmax_pct: 5\n",
    ),
    "a profile for a speed the SKU lacks": Fault(
        "FG-BUF-012", "leaf-spine:", ("leaf: {model",), (("leaf-spine: {speed: 400G", "leaf-spine: {speed: 50G"),)
    ),
    "a cable beyond the headroom table": Fault(
        "FG-BUF-013", "leaf-spine:", ("leaf: {model",), (("length_m: 50", "length_m: 2000"),)
    ),
    "headroom that cannot fit": Fault(
        "FG-BUF-001",
        "headroom:",
        ("leaf-spine:",),
        (("length_m: 50", "length_m: 150"),),
        added="  headroom: {pool_oversubscription_max: 1.0}\n",
    ),
    "the MTU of the NIC above that of the switches": Fault(
        "FG-TOP-025",
        "leaf-spine:",
        ("host-leaf:",),
        (("host-leaf: {speed: 400G,", "host-leaf: {speed: 400G, mtu: 9216,"),),
    ),
    "another DSCP on one hop by override": Fault(
        "FG-EXC-015",
        "set:",
        ("roce:",),
        added="exceptions:\n  - device: leaf-u001-r0\n    set: {lossless.classes.roce.dscp: 27}\n    reason: a trial\n",
    ),
    "a watchdog shorter than a legal pause": Fault(
        "FG-QOS-019",
        "watchdog:",
        ("leaf: {model", "spine: {model", "host-leaf:", "leaf-spine:"),
        added="  watchdog: {detection_ms: 5}\n",
    ),
    "packets sprayed at a go-back-N NIC": Fault(
        "FG-RTE-018", "load_balancing:", ("hosts:",), added="routing: {ecmp: {load_balancing: per_packet}}\n"
    ),
    "queue pair hashing asked of an ASIC without user-defined fields": Fault(
        "FG-PLT-021",
        "roce_dest_qp",
        ("spine: {model",),
        (("spine: {model: arista_7060x6_64pe", "spine: {model: plain_switch"),),
        "routing: {ecmp: {hash: [five_tuple, roce_dest_qp]}}\n",
        (("catalog/asics/plain_asic.yaml", _NO_UDF),),
    ),
    "BFD asked where it cannot run": Fault(
        "FG-RTE-010",
        "bfd:",
        ("spine: {model",),
        (("spine: {model: arista_7060x6_64pe, platform: sonic", "spine: {model: meta_minipack3, platform: fboss"),),
        "routing: {bfd: on}\n",
    ),
}


def plant(fault: Fault, folder: Path) -> tuple[list[str], list[Diagnostic]]:
    """A copy of rail-1k with the fault: its lines, and what is said about it."""
    text = (REPOSITORY / "inventories/rail-1k/fabric.yaml").read_text(encoding="utf-8") + CONTRACT
    for old, new in fault.edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    text += fault.added
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    for path, content in fault.files:
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(content, encoding="utf-8")
    if "plain_switch" in text:
        model = (REPOSITORY / "tests/cases/kits/switch.yaml").read_text(encoding="utf-8")
        (folder / "catalog/switches").mkdir()
        model = model.replace("@NAME@", "plain_switch").replace("asic: tomahawk5", "asic: plain_asic")
        (folder / "catalog/switches/plain_switch.yaml").write_text(model, encoding="utf-8")
    bag = Bag()
    compiled = compile_inventory(folder, (), bag)
    assert compiled is not None
    return text.split("\n"), place_diagnostics(bag, compiled.document, compiled.read_as)


def line_of(lines: list[str], part: str) -> int:
    """The number of the only line with that part, comments apart."""
    found = [number for number, line in enumerate(lines, 1) if part in line and not line.startswith("#")]
    assert len(found) == 1, (part, found)
    return found[0]


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_caught_at_its_lines(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    lines, found = plant(fault, tmp_path)
    told = [d for d in found if d.code == fault.code and d.place and d.place.line == line_of(lines, fault.at)]
    assert told, [(d.code, d.place, d.message) for d in found]
    named = {related.place.line for d in told for related in d.related if related.place}
    assert {line_of(lines, part) for part in fault.conflicts} <= named
    assert all(d.hint for d in told)


def test_the_contract_written_out_is_clean(tmp_path: Path) -> None:
    _, found = plant(Fault("", "", ()), tmp_path)
    assert [d for d in found if d.severity.value != "info"] == []


def test_every_fault_has_a_code_of_its_own() -> None:
    codes = [fault.code for fault in FAULTS.values()]
    assert len(set(codes)) == len(codes)
