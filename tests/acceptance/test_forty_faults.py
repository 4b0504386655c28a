"""Forty faults in one fabric of 1,024 GPUs: all are caught on their own lines in one run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from fabricgen.diagnostics import Diagnostic
from tests.acceptance.operator_faults import errors_of

FABRIC = Path(__file__).parent / "forty"
SHIPPED = Path(__file__).resolve().parents[2] / "fabricgen/catalog/data/switches/arista_7060x6_64pe.yaml"
OWN = "catalog/switches/hall_spine.yaml"


@dataclass(frozen=True)
class Fault:
    """A line that is changed, and the code that must stand on it; ``file`` is where, ``at`` names another line."""

    code: str
    old: str
    new: str
    file: str = "fabric.yaml"
    at: str = ""


FAULTS = (
    Fault("FG-HST-001", "    units: 1-4", "    units: 1-9"),
    Fault("FG-TOP-011", "  max: 8", "  max: 3"),
    Fault("FG-TOP-006", "  leaf:\n    model:", "  leaf:\n    count: 2\n    model:", at="    count: 2"),
    Fault("FG-PLT-021", "      hash: [five_tuple]", "      hash: [five_tuple, roce_dest_qp]"),
    Fault("FG-TOP-025", "    per_pair: 2", "    per_pair: 2\n    mtu: 4000", at="    mtu: 4000"),
    Fault("FG-TOP-020", "      length_m: 30\n  leaf", "      length_m: 3000\n  leaf", at="      length_m: 3000"),
    Fault("FG-BUF-013", "{media: smf, length_m: 40}", "{media: smf, length_m: 700}"),
    Fault("FG-ADR-001", "loopbacks: 10.255.0.0/16", "loopbacks: 10.255.0.0/28"),
    Fault("FG-ADR-014", "fabric_links: 10.0.0.0/12", "fabric_links: 224.0.0.0/12"),
    Fault("FG-ADR-012", "gateway: first", "gateway: 192.169.0.1"),
    Fault("FG-RTE-001", "base: 4200000000", "base: 65530"),
    Fault("FG-RTE-018", "load_balancing: static", "load_balancing: per_packet"),
    Fault("FG-RTE-011", "max_paths: auto", "max_paths: 2"),
    Fault("FG-INT-003", "    detection_ms: 1000", "    detection_ms: 0"),
    Fault("FG-INT-003", "    action: drop\n  ecn", "    action: drops\n  ecn", at="    action: drops"),
    Fault("FG-QOS-009", "    kmin_bytes: 200000", "    kmin_bytes: 900000"),
    Fault("FG-QOS-033", "    rpg_ai_rate: 5", "    rpg_ai_rat: 5"),
    Fault("FG-QOS-001", "cnp: {dscp: 46", "cnp: {dscp: 10"),
    Fault("FG-QOS-004", "weight_pct: 95", "weight_pct: 90"),
    Fault("FG-INT-003", "  qps_per_connection: 4", '  qps_per_connection: "4"'),
    Fault("FG-RTE-017", "  timeout_exponent: 20", "  timeout_exponent: 10"),
    Fault("FG-INT-003", "  timezone: UTC", "  timezone: 5 past twelve"),
    Fault("FG-ADR-011", "    - 192.168.0.10", "    - 172.17.0.9"),
    Fault("FG-ADR-011", "    - 192.168.0.12", "    - 192.168.1.2"),
    Fault("FG-INT-001", "    location: hall 1", "    location: hall 1\n    colour: blue", at="    colour: blue"),
    Fault("FG-EXP-001", "  gpus: 1024", "  gpus: 1000"),
    Fault("FG-EXP-001", "    leaf: 1.0", "    leaf: 3.0"),
    Fault("FG-QOS-033", "    leaf: 32", "    leav: 32"),
    Fault("FG-EXP-001", "    spine: 15", "    spine: 99"),
    Fault("FG-EXC-001", "  - device: leaf-u001-r0", "  - device: leaf-u001-r99"),
    Fault("FG-EXC-003", "  - link: [leaf-u001-r1, spine-01]", "  - link: [leaf-u001-r1, leaf-u001-r4]"),
    Fault("FG-INT-002", "      length_m: 30\n    reason: another tray", "      length_m: 30", at="spine-02]"),
    Fault("FG-EXC-003", "spine-03]\n    n: 1", "spine-03]\n    n: 5", at="    n: 5"),
    Fault("FG-EXC-015", "operations.snmp.location: hall 2", "routing.asn.base: 4200000500"),
    Fault("FG-EXC-016", "lossless.watchdog.action: drop", "lossless.watchdog.action: explode"),
    Fault("FG-EXC-021", '{"FEATURE"', '{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo"}}, "FEATURE"',
          "snippets/comment.json"),
    Fault("FG-EXC-020", '"nat": {', '"nat" {', "snippets/other.json"),
    Fault("FG-INT-003", "02:00:00:00:00:02", "02:00:00:00:zz", "assets.csv"),
    Fault("FG-INT-001", "product: DCS-7060X6-64PE", "colour: blue", OWN),
    Fault("FG-INT-001", "    sampling_rate: 50000", "    sampling: 50000", "overlays/hall.yaml"),
)  # fmt: skip


def write(folder: Path, faults: tuple[Fault, ...]) -> dict[str, str]:
    """A copy of the fabric with faults; text by file."""
    shutil.copytree(FABRIC, folder, dirs_exist_ok=True)
    (folder / OWN).parent.mkdir(parents=True)
    (folder / OWN).write_text(SHIPPED.read_text("utf-8").replace("id: arista_7060x6_64pe", "id: hall_spine"), "utf-8")
    texts = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        text = path.read_text("utf-8")
        for fault in faults:
            if fault.file == name:
                assert text.count(fault.old) == 1, fault
                text = text.replace(fault.old, fault.new)
        path.write_text(text, "utf-8")
        texts[name] = text
    return texts


def line_of(fault: Fault, texts: dict[str, str]) -> tuple[str, int]:
    """File and number of the only line the fault stands on."""
    part = fault.at or fault.new
    found = [number for number, line in enumerate(texts[fault.file].split("\n"), 1) if part in line]
    assert len(found) == 1, (part, found)
    return fault.file, found[0]


def is_caught(fault: Fault, folder: Path, texts: dict[str, str], found: list[Diagnostic]) -> bool:
    file, line = line_of(fault, texts)
    places = {(item.place.file, item.place.line) for item in found if item.code == fault.code and item.place}
    return (str(folder / file), line) in places


def test_the_fabric_has_no_fault(tmp_path: Path) -> None:
    write(tmp_path, ())
    assert errors_of(tmp_path, "hall") == []


def test_forty_faults_are_caught_on_their_lines_in_one_run(tmp_path: Path) -> None:
    assert len(FAULTS) == len({(fault.code, fault.file, fault.new) for fault in FAULTS}) == 40
    texts = write(tmp_path, FAULTS)
    found = errors_of(tmp_path, "hall")
    assert [fault for fault in FAULTS if not is_caught(fault, tmp_path, texts, found)] == []
    planted = {(str(tmp_path / file), line) for file, line in (line_of(fault, texts) for fault in FAULTS)}
    strayed = [item for item in found if not item.place or (item.place.file, item.place.line) not in planted]
    assert strayed == [], "follow-ups of the faults on other lines"
