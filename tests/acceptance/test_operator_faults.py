"""Faults that operators make, each on every platform: code, severity, both places and hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.operator_faults import LOSSY, STORE, Fault, judge, plant

ALL = ("sonic", "eos", "cumulus_nvue", "fboss", "frr")
TABLED = ("sonic", "frr", "fboss")
"""Platforms whose headroom comes from a table of the model."""
PAIR = "link: [leaf-u001-r0, spine-01]"
HOST_LINK = "exceptions:\n  - link: [gpu-u001-h01, leaf-u001-r0]\n    n: 1\n    set: {{mtu: {}}}\n    reason: a trial\n"


def _ecn(text: str) -> str:
    return f"  ecn: {{{text}}}\n"


def _links(*said: str) -> str:
    """Links of a pair without weighted ECMP, which would let the other leafs follow the loss."""
    links = "".join(f"  - {{{PAIR}, {each}, reason: broken}}\n" for each in said)
    return f"routing: {{ecmp: {{weights: 'off'}}}}\nexceptions:\n{links}"


def _pci(code: str, severity: str, hint: str, *rows: str) -> Fault:
    return Fault(code, severity, rows[0], ("server:",), hint, assets="\n".join(("hostname,rail,pci", *rows)))


def _bootstrap(code: str, severity: str, name: str, *also: str) -> Fault:
    added = f"collectives: {{socket_interface: {name}}}\n"
    return Fault(code, severity, name, also, "socket_interface: eno1", added=added)


def _drain(at: str, hint: str, added: str, *also: str) -> Fault:
    return Fault("FG-EXC-087", "warning", at, also, hint, added=f"exceptions:\n{added}")


def _state(who: str, state: str) -> str:
    return f"  - {{{who}, state: {state}, reason: work}}\n"


_H400 = (("host-leaf: {speed: 400G", "host-leaf: {speed: 800G"), ("connectx7_400g", "connectx8_800g"))
_ROW = r"^( *- 400 40 \d+ \d+) \d+"
FAULTS = {
    "threshold below a frame": Fault("FG-QOS-080", "error", "kmax_bytes: 1500", ("leaf-spine:",), "kmax_bytes: 1500000",
        (), "  ecn:\n    spine:\n      kmin_bytes: 150\n      kmax_bytes: 1500\n      pmax_pct: 5\n"),
    "threshold above the buffer": Fault("FG-QOS-032", "error", "ecn:", ("leaf:",), "use a kmax_bytes far below", LOSSY,
        _ecn("leaf: {kmin_bytes: 1000000, kmax_bytes: 1000000000, pmax_pct: 5}")),
    "path MTU lost": Fault("FG-TOP-040", "warning", "mtu: 2048", ("nic:",), "use mtu: 4192",
        added=HOST_LINK.format(2048)),
    "two path MTUs": Fault("FG-TOP-040", "warning", "store-leaf:", ("host-leaf:",), "9100",
        (*STORE, ("mtu: 9100", "mtu: 4191"))),
    "host link above the fabric": Fault("FG-TOP-025", "error", "mtu: 9101", ("leaf-spine:",), "use 9100 or less",
        added=HOST_LINK.format(9101)),
    "one queue pair": Fault("FG-HST-053", "warning", "qps_per_connection", ("leaf-spine:",),
        "use qps_per_connection: 4", added="collectives: {qps_per_connection: 1}\n"),
    "public pool": Fault("FG-ADR-030", "warning", "host_links: 172.32.0.0/12", (), "waive this if the range is yours",
        (("host_links: 172.16.0.0/12", "host_links: 172.32.0.0/12"),)),
    "PCI address of the assets": _pci("FG-HST-054", "error", "use 0000:18:00.0", "gpu-u001-h01,0,0000:40:00.0",
        "gpu-u001-h01,1,0000:18:00.0"),
    "PCI address of two servers": _pci("FG-HST-055", "warning", "use 0000:18:00.0", "gpu-u001-h01,0,0000:81:00.0",
        "gpu-u002-h01,0,0000:81:00.0"),
    "bootstrap over a rail": _bootstrap("FG-HST-050", "warning", "rail7p1", "server:"),
    "bootstrap inside the host": _bootstrap("FG-HST-051", "error", "lo"),
    "headroom below the wire": Fault("FG-BUF-005", "error", "leaf-spine:", ("leaf:",), "smaller mtu",
        rows=((_ROW, r"\1 91333"),)),
    "slot slower than the NIC": Fault("FG-HST-052", "warning", "host-leaf:", ("nic:", "server:"), "PCIe 6", _H400),
    "slot of no known speed": Fault("FG-HST-052", "warning", "host-leaf:", ("nic:", "server:"), "lower speed",
        (*_H400, ("dgx_h100_8", "gb200_tray_4"))),
    "parallel links lost": Fault("FG-EXC-085", "warning", "n: 1", ("n: 2", "leaf-spine:"), "state: absent on all 4",
        added=_links("n: 1, state: drained", "n: 2, to: spine-02", "n: 3, state: absent")),
    "drain without effect": _drain("spine-03", "leave another path open",
        "".join(_state(f"device: spine-0{number}", "drained") for number in range(1, 5)), "spine: {"),
    "drain of a link of a switch that is gone": _drain(PAIR, "remove the state",
        _state("device: spine-01", "absent") + _state(PAIR, "drained"), "device: spine-01"),
}  # fmt: skip
PLATFORMS = {"headroom below the wire": TABLED}
CASES = [
    pytest.param(fault, platform, id=f"{name}-{platform}")
    for name, fault in FAULTS.items()
    for platform in PLATFORMS.get(name, ALL)
]


@pytest.mark.sampled(80, of="fault,platform")
@pytest.mark.parametrize(("fault", "platform"), CASES)
def test_fault_is_told(fault: Fault, platform: str, tmp_path: Path) -> None:
    judge(fault, platform, tmp_path)


@pytest.mark.parametrize("platform", ALL)
def test_the_fabric_without_a_fault_is_told_of_none(platform: str, tmp_path: Path) -> None:
    codes = {fault.code for fault in FAULTS.values()}
    _, found = plant(Fault("", "", "", (), "", STORE), platform, tmp_path)
    assert [(d.code, d.message) for d in found if d.code in codes or d.severity.value == "error"] == []


NO_TABLE = Fault("", "", "", (), "", LOSSY, rows=((r"^headroom:\n(?:(?: .*|#.*)?\n)*", ""),))
NO_SPEED = Fault("", "", "", (), "", LOSSY, rows=((r"^ *- 400 \d+ .*\n", ""),))
TOO_LONG = Fault("", "", "", (), "", (*LOSSY, ("length_m: 30", "length_m: 1900")))


@pytest.mark.parametrize("platform", TABLED)
@pytest.mark.parametrize(
    ("fault", "code"),
    [(NO_TABLE, "FG-BUF-011"), (NO_SPEED, "FG-BUF-011"), (TOO_LONG, "FG-BUF-013")],
    ids=["no table", "no speed", "too long"],
)
def test_headroom_is_asked_for_where_lossless_only(fault: Fault, code: str, platform: str, tmp_path: Path) -> None:
    (tmp_path / "lossy").mkdir()
    (tmp_path / "lossless").mkdir()
    _, lossy = plant(fault, platform, tmp_path / "lossy")
    paused = Fault("", "", "", (), "", tuple(edit for edit in fault.edits if edit not in LOSSY), rows=fault.rows)
    _, lossless = plant(paused, platform, tmp_path / "lossless")
    assert [d.message for d in lossy if d.code == code] == []
    assert [d for d in lossless if d.code == code]
