"""Faults that operators make, each in three shapes on three platforms or more: code, severity, both places and hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.operator_faults import LOSSY, STORE, Fault, judge, plant

ALL = ("sonic", "eos", "cumulus_nvue", "fboss", "frr")
TABLED = ("sonic", "frr", "fboss")
"""Platforms whose headroom comes from a table of the model."""
PAIR = "link: [leaf-u001-r0, spine-01]"
HOST_LINK = (
    "exceptions:\n  - link: [gpu-u001-h01, leaf-u001-r0]\n    n: 1\n    set:\n      mtu: {}\n    reason: a trial\n"
)


def _ecn(text: str) -> str:
    return f"  ecn: {{{text}}}\n"


def _links(*said: str) -> str:
    """Links of a pair without weighted ECMP, which would let the other leafs follow the loss."""
    return "routing: {ecmp: {weights: 'off'}}\nexceptions:\n" + "".join(
        f"  - {{{PAIR}, {each}, reason: broken}}\n" for each in said
    )


def _queues(*edits: tuple[str, str], more: str = "") -> Fault:
    at, hint = "qps_per_connection", "use qps_per_connection: 4"
    return Fault("FG-HST-053", "warning", at, ("leaf-spine:",), hint, edits, f"collectives: {{{at}: 1{more}}}\n")


def _pci(code: str, severity: str, hint: str, *rows: str) -> Fault:
    return Fault(code, severity, rows[0], ("server:",), hint, assets="\n".join(("hostname,rail,pci", *rows)))


def _bootstrap(code: str, severity: str, name: str, *also: str) -> Fault:
    return Fault(
        code, severity, name, also, "socket_interface: eno1", added=f"collectives: {{socket_interface: {name}}}\n"
    )


def _pool(old: str, new: str, hint: str, *more: tuple[str, str]) -> Fault:
    return Fault("FG-ADR-030", "warning", new, (), hint, ((old, new), *more))


def _drain(at: str, hint: str, added: str, *also: str) -> Fault:
    return Fault("FG-EXC-087", "warning", at, also, hint, added=f"exceptions:\n{added}")


def _state(who: str, state: str) -> str:
    return f"  - {{{who}, state: {state}, reason: work}}\n"


_FAMILIES = "addressing:\n  families: [ipv4, ipv6]"
_BOTH = "{{ipv4: {}, ipv6: '{}'}}"
_KB = "if these are kilobytes, write kmin_bytes: 150000"
_H400 = (("host-leaf: {speed: 400G", "host-leaf: {speed: 800G"), ("connectx7_400g", "connectx8_800g"))
_ROW = r"^( *- 400 40 \d+ \d+) \d+"
FAULTS = {
    "threshold below a frame": (
        Fault("FG-QOS-080", "error", "ecn:", ("host-leaf:",), _KB, (),
            _ecn("kmin_bytes: 150, kmax_bytes: 1500000, pmax_pct: 5")),
        Fault("FG-QOS-080", "error", "kmax_bytes: 1500", ("leaf-spine:",), "and kmax_bytes: 1500000", (),
            "  ecn:\n    spine:\n      kmin_bytes: 150\n      kmax_bytes: 1500\n      pmax_pct: 5\n"),
        Fault("FG-QOS-080", "error", "ecn:", ("host-leaf:",), "for example 145600", (),
            _ecn("400G: {kmin_bytes: 1, kmax_bytes: 1000000, pmax_pct: 5}"))),
    "threshold above the buffer": tuple(
        Fault("FG-QOS-081", "error", "ecn:", ("leaf:",), "use a kmax_bytes far below", LOSSY, _ecn(text)) for text in (
            "kmin_bytes: 1000000, kmax_bytes: 900000000, pmax_pct: 5",
            "400G: {kmin_bytes: 1000000, kmax_bytes: 800000000, pmax_pct: 5}",
            "leaf: {kmin_bytes: 1000000, kmax_bytes: 1000000000, pmax_pct: 5}")),
    "path MTU lost": (
        Fault("FG-TOP-040", "warning", "host-leaf:", ("nic:",), "use mtu: 4192",
            (("host-leaf: {", "host-leaf: {mtu: 1500, "),)),
        Fault("FG-TOP-040", "warning", "host-leaf:", ("nic:",), "use mtu: 4192",
            (("host-leaf: {", "host-leaf: {mtu: 4096, "),)),
        Fault("FG-TOP-040", "warning", "mtu: 2048", ("nic:",), "use mtu: 4192", added=HOST_LINK.format(2048))),
    "two path MTUs": (
        Fault("FG-TOP-041", "warning", "store-leaf:", ("host-leaf:",), "use mtu: 9100",
            (*STORE, ("mtu: 9100", "mtu: 1500"))),
        Fault("FG-TOP-041", "warning", "store-leaf:", ("host-leaf:",), "use mtu: 9100",
            (*STORE, ("mtu: 9100", "mtu: 4191"))),
        Fault("FG-TOP-041", "warning", "host-leaf:", ("store-leaf:",), "use mtu: 9100",
            (*STORE, ("host-leaf: {", "host-leaf: {mtu: 2500, ")))),
    "host link above the fabric": (
        Fault("FG-TOP-025", "error", "mtu: 9216", ("leaf-spine:",), "use 9100 or less", added=HOST_LINK.format(9216)),
        Fault("FG-TOP-025", "error", "mtu: 9101", ("leaf-spine:",), "use 9100 or less", added=HOST_LINK.format(9101)),
        Fault("FG-TOP-025", "error", "mtu: 8000", ("leaf-spine:",), "use 5000 or less",
            (("host-leaf: {", "host-leaf: {mtu: 5000, "), ("leaf-spine: {", "leaf-spine: {mtu: 5000, ")),
            HOST_LINK.format(8000))),
    "one queue pair": (_queues(), _queues(more=", split_data_on_qps: true"),
        _queues(("per_pair: 4", "per_pair: 8"), ("count: 4}", "count: 2}"))),
    "public pool": (_pool("loopbacks: 10.255.0.0/16", "loopbacks: 11.255.0.0/16", "10.0.0.0/8"),
        _pool("host_links: 172.16.0.0/12", "host_links: 172.32.0.0/12", "waive this if the range is yours"),
        _pool("loopbacks: 10.255.0.0/16", f"loopbacks: {_BOTH.format('10.255.0.0/16', '2a00:1::/112')}", "fd00::/8",
            ("addressing:", _FAMILIES),
            ("fabric_links: 10.0.0.0/12", f"fabric_links: {_BOTH.format('10.0.0.0/12', 'fd12:3456:789a:1::/108')}"),
            ("host_links: 172.16.0.0/12", f"host_links: {_BOTH.format('172.16.0.0/12', 'fd12:3456:789a:2::/108')}"))),
    "PCI address of the assets": (
        _pci("FG-HST-054", "error", "use 0000:18:00.0", "gpu-u001-h01,0,0000:40:00.0", "gpu-u001-h01,1,0000:18:00.0"),
        _pci("FG-HST-055", "warning", "use 0000:18:00.0", "gpu-u001-h01,0,0000:81:00.0", "gpu-u002-h01,0,0000:81:00.0"),
        _pci("FG-HST-054", "error", "use 0000:dc:00.0", "gpu-u002-h04,7,0000:ce:00.0")),
    "bootstrap over a rail": (_bootstrap("FG-HST-050", "warning", "rail0", "server:"),
        _bootstrap("FG-HST-050", "warning", "rail7p1", "server:"), _bootstrap("FG-HST-051", "error", "lo")),
    "headroom below the wire": (
        Fault("FG-BUF-005", "error", "leaf-spine:", ("leaf:",), "shorter cables", rows=((_ROW, r"\1 60000"),)),
        Fault("FG-BUF-005", "error", "leaf-spine:", ("leaf:",), "smaller mtu", rows=((_ROW, r"\1 91333"),)),
        Fault("FG-BUF-005", "error", "host-leaf:", ("leaf:",), "smaller mtu",
            rows=((_ROW.replace(" 40 ", " 5 "), r"\1 9000"),))),
    "slot slower than the NIC": (Fault("FG-HST-052", "warning", "host-leaf:", ("nic:", "server:"), "PCIe 6", _H400),
        Fault("FG-HST-052", "warning", "host-leaf:", ("nic:", "server:"), "PCIe 5", (("dgx_h100_8", "dgx_a100_8"),)),
        Fault("FG-HST-980", "warning", "host-leaf:", ("nic:", "server:"), "lower speed",
            (*_H400, ("dgx_h100_8", "gb200_tray_4")))),
    "parallel links lost": (
        Fault("FG-EXC-085", "warning", "n: 1", ("leaf-spine:",), "restore the links",
            added=_links("n: 1, state: absent", "n: 2, state: absent")),
        Fault("FG-EXC-085", "warning", "n: 1", ("n: 2", "leaf-spine:"), "state: absent on all 4",
            added=_links("n: 1, state: drained", "n: 2, to: spine-02", "n: 3, state: absent")),
        Fault("FG-EXC-085", "warning", "n: 2", ("leaf-spine:",), "state: absent on all 2",
            (("per_pair: 4", "per_pair: 2"), ("count: 4}", "count: 8}")), _links("n: 2, state: absent"))),
    "drain without effect": (
        _drain("leaf-u001-r0", "drain or remove the hosts", _state("device: leaf-u001-r0", "drained"), "host-leaf:"),
        _drain(PAIR, "remove the state", _state("device: spine-01", "absent") + _state(PAIR, "drained"),
            "device: spine-01"),
        _drain("spine-03", "leave another path open",
            "".join(_state(f"device: spine-0{number}", "drained") for number in range(1, 5)), "spine: {")),
}  # fmt: skip
PLATFORMS = {"headroom below the wire": TABLED}
CASES = [
    pytest.param(fault, platform, id=f"{name}-{number}-{platform}")
    for name, faults in FAULTS.items()
    for number, fault in enumerate(faults, 1)
    for platform in PLATFORMS.get(name, ALL)
]


@pytest.mark.sampled(80, of="fault,platform")
@pytest.mark.parametrize(("fault", "platform"), CASES)
def test_fault_is_told(fault: Fault, platform: str, tmp_path: Path) -> None:
    judge(fault, platform, tmp_path)


@pytest.mark.parametrize("platform", ALL)
def test_the_fabric_without_a_fault_is_told_of_none(platform: str, tmp_path: Path) -> None:
    codes = {fault.code for faults in FAULTS.values() for fault in faults}
    _, found = plant(Fault("", "", "", (), "", STORE), platform, tmp_path)
    assert [(d.code, d.message) for d in found if d.code in codes or d.severity.value == "error"] == []


NO_TABLE = Fault("", "", "", (), "", LOSSY, rows=((r"^headroom:\n(?:(?: .*|#.*)?\n)*", ""),))
NO_SPEED = Fault("", "", "", (), "", LOSSY, rows=((r"^ *- 400 \d+ .*\n", ""),))
TOO_LONG = Fault("", "", "", (), "", (*LOSSY, ("length_m: 30", "length_m: 1900")))


@pytest.mark.parametrize("platform", TABLED)
@pytest.mark.parametrize(
    ("fault", "code"),
    [(NO_TABLE, "FG-BUF-011"), (NO_SPEED, "FG-BUF-012"), (TOO_LONG, "FG-BUF-013")],
    ids=["no table", "no speed", "too long"],
)
def test_headroom_is_asked_for_where_a_class_is_lossless_only(
    fault: Fault, code: str, platform: str, tmp_path: Path
) -> None:
    (tmp_path / "lossy").mkdir()
    (tmp_path / "lossless").mkdir()
    _, lossy = plant(fault, platform, tmp_path / "lossy")
    paused = Fault("", "", "", (), "", tuple(edit for edit in fault.edits if edit not in LOSSY), rows=fault.rows)
    _, lossless = plant(paused, platform, tmp_path / "lossless")
    assert [d.message for d in lossy if d.code == code] == []
    assert [d for d in lossless if d.code == code]


def test_every_class_has_three_shapes_on_three_platforms() -> None:
    assert all(len(faults) >= 3 and len(PLATFORMS.get(name, ALL)) >= 3 for name, faults in FAULTS.items())
