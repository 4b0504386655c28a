"""ConnectX and BlueField NICs: the scripts that set run-time QoS and firmware keys → neutral facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from ..facts import Device, Nic
from ..text.shell import Command, ShellError, commands
from ..tree import Files, Reader

RUNTIME = "usr/local/sbin/fabricgen-roce"
FIRMWARE = "usr/local/sbin/fabricgen-mlxconfig"

_ECN = re.compile(r"/sys/class/net/([^/]+)/ecn/roce_(rp|np)/(?:enable/(\d)|(\w+))")
_BYTES = {
    "tc/1/traffic_class": re.compile(r"/sys/class/infiniband/([^/]+)/tc/1/traffic_class"),
    "default_roce_tos": re.compile(r"/sys/kernel/config/rdma_cm/([^/]+)/ports/1/default_roce_tos"),
}

_OPTION = {
    "-i": "interface", "--interface": "interface", "--trust": "trust", "-f": "pfc", "--pfc": "pfc",
    "-p": "prio_tc", "--prio_tc": "prio_tc", "-s": "tsa", "--tsa": "tsa", "-t": "tcbw", "--tcbw": "tcbw",
    "--dscp2prio": "dscp2prio", "--cable_len": "", "-d": "", "--dcbx": "", "-r": "", "--prio2buffer": "",
    "--buffer_size": "",
}  # fmt: skip
"""Options of mlnx_qos that take a value; empty for those that prove nothing here."""


def default_priorities() -> dict[int, int]:
    """What a NIC does with code points that nobody sets: the upper three bits are the priority."""
    return {dscp: dscp >> 3 for dscp in range(64)}


class _Nics:
    """Collects what the commands do to each NIC port."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.by_rdma = {rdma: name for name, rdma in device.host.rdma.items()}
        self.by_bdf = {bdf: name for name, bdf in device.host.bdf.items() if name in device.interfaces}

    def nic(self, interface: str) -> Nic:
        """Facts of one NIC port, begun with what its driver does by itself."""
        nics = self.device.host.nics
        if interface not in nics:
            nics[interface] = Nic(interface, dscp_to_priority=default_priorities())
        return nics[interface]

    def qos(self, command: Command) -> None:
        """One call of mlnx_qos."""
        given: list[tuple[str, str]] = []
        words = list(command.words[1:])
        while words:
            option = words.pop(0)
            if option not in _OPTION or not words:
                self.device.say(f"{RUNTIME}:{command.line}: option {option} of mlnx_qos is not understood")
                return
            given.append((_OPTION[option], words.pop(0)))
        interface = next((value for name, value in given if name == "interface"), "")
        if interface not in self.device.interfaces:
            self.device.say(f"{RUNTIME}:{command.line}: mlnx_qos on {interface or 'nothing'}, no such rail")
            return
        for name, value in given:
            if name not in ("", "interface"):
                self.set_qos(self.nic(interface), name, value)

    def set_qos(self, nic: Nic, name: str, value: str) -> None:
        """Apply one option's value."""
        listed = value.split(",")
        if name == "trust":
            nic.trust = value
        elif name == "pfc":
            nic.pfc = frozenset(i for i, bit in enumerate(listed) if bit == "1")
        elif name == "prio_tc":
            nic.priority_to_tc = {i: int(tc) for i, tc in enumerate(listed)}
        elif name == "tsa":
            nic.tsa = dict(enumerate(listed))
        elif name == "tcbw":
            nic.bandwidth_pct = {i: int(share) for i, share in enumerate(listed)}
        elif listed[0] == "set":
            nic.dscp_to_priority[int(listed[1])] = int(listed[2])
        else:
            self.device.say(f"{nic.interface}: --dscp2prio {value}: flips trust back to pcp")

    def write(self, target: str, value: str) -> None:
        """A value written to a file of the kernel's."""
        found = _ECN.fullmatch(target)
        if found:
            self.ecn(self.nic(found[1]), found[2], found[3], found[4], value)
            return
        for source, pattern in _BYTES.items():
            found = pattern.fullmatch(target)
            if found:
                self.traffic_class(found[1], source, value)

    def ecn(self, nic: Nic, role: str, priority: str | None, name: str | None, value: str) -> None:
        """A DCQCN parameter."""
        if priority is not None:
            running = nic.cc_priorities.get(role, frozenset())
            one = frozenset((int(priority),))
            nic.cc_priorities[role] = running | one if value == "1" else running - one
        elif name in ("cnp_dscp", "cnp_802p_prio"):
            self.notice(nic, "runtime", name, value)

    def notice(self, nic: Nic, source: str, name: str, value: str) -> None:
        """Half of what marks a CNP."""
        dscp, priority = nic.cnp.get(source, (None, None))
        nic.cnp[source] = (int(value), priority) if name == "cnp_dscp" else (dscp, int(value))

    def traffic_class(self, rdma: str, source: str, value: str) -> None:
        """The byte that RDMA connections of a device carry."""
        if rdma not in self.by_rdma:
            self.device.say(f"{RUNTIME}: {source} of {rdma}, which is no rail's RDMA device")
            return
        self.nic(self.by_rdma[rdma]).traffic_class[source] = int(value)

    def firmware(self, command: Command) -> None:
        """One call of mlxconfig."""
        where = command.option("-d", "--dev") or ""
        interface = self.by_bdf.get(where) or self.by_bdf.get(f"0000:{where}")
        if "set" not in command.words:
            return
        if interface is None:
            self.device.say(f"{FIRMWARE}:{command.line}: sets {where or 'nothing'}, which is no rail's PCI address")
            return
        nic = self.nic(interface)
        for word in command.words[command.words.index("set") + 1 :]:
            key, _, value = word.partition("=")
            if key == "ROCE_CC_PRIO_MASK_P1":
                nic.firmware_cc_mask = int(value, 0)
            elif key in ("CNP_DSCP_P1", "CNP_802P_PRIO_P1"):
                self.notice(nic, "firmware", key.lower().removesuffix("_p1"), value)


@lru_cache(maxsize=64)
def _commands(text: str) -> tuple[Command, ...]:
    """Commands of a script; hosts of one class have the same script."""
    return tuple(commands(text))


def _script(files: Files, device: Device, path: str) -> Iterable[Command]:
    text = files.text(path)
    if text is None:
        return ()
    try:
        return _commands(text)
    except ShellError as error:
        device.say(f"{path}: {error}")
        return ()


def read(files: Files, device: Device) -> bool:
    """Read what a host does to its ConnectX NICs."""
    nics = _Nics(device)
    calls: dict[str, Callable[[Command], None]] = {"mlnx_qos": nics.qos}
    for command in _script(files, device, RUNTIME):
        name = command.words[0].rpartition("/")[2]
        if name in calls:
            calls[name](command)
        elif name in ("echo", "printf") and command.target:
            nics.write(command.target, command.words[-1])
        elif name == "cma_roce_tos":
            nics.traffic_class(command.option("-d") or "", "cma_roce_tos", command.option("-t") or "0")
    for command in _script(files, device, FIRMWARE):
        if command.words[0].rpartition("/")[2] in ("mlxconfig", "mstconfig"):
            nics.firmware(command)
    return RUNTIME in files.paths


READER = Reader("host", read, stage=1)
