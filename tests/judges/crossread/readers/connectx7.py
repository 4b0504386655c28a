"""ConnectX NICs: the scripts that set run-time QoS and firmware keys are rehearsed → neutral facts.

Each script runs on two made-up machines, one with NVIDIA's own driver and tools and one with those of Linux; both
must come to the same. What files a driver has is from Linux drivers/infiniband/hw/mlx5/cong.c and NVIDIA's DCQCN
parameter list.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from ..facts import Device, Nic, shown
from ..rehearsal import Rehearsal, Stage, code_of, rehearse
from ..tree import Files, Reader

RUNTIME = "usr/local/sbin/fabricgen-roce"
FIRMWARE = "usr/local/sbin/fabricgen-mlxconfig"
PCIE = "usr/local/sbin/fabricgen-pcie"
_RAIL = re.compile(r"^(\S+) ([0-9a-f]{4}:[0-9a-f:.]+)$", re.MULTILINE)
"""A row of PCIE's table: a port of a rail, and its PCI address."""

MASK = "ROCE_CC_PRIO_MASK_P"
UNSET = "unset"
PRIORITIES = range(8)
RP_FILES = (
    "clamp_tgt_rate", "clamp_tgt_rate_after_time_inc", "rpg_time_reset", "rpg_byte_reset", "rpg_threshold",
    "rpg_max_rate", "rpg_ai_rate", "rpg_hai_rate", "rpg_gd", "rpg_min_dec_fac", "rpg_min_rate",
    "rate_to_set_on_first_cnp", "dce_tcp_g", "dce_tcp_rtt", "rate_reduce_monitor_period", "initial_alpha_value",
)  # fmt: skip
NP_FILES = ("min_time_between_cnps", "cnp_dscp", "cnp_802p_prio")
CC_PARAMS = (
    "rp_clamp_tgt_rate", "rp_clamp_tgt_rate_ati", "rp_time_reset", "rp_byte_reset", "rp_threshold", "rp_max_rate",
    "rp_ai_rate", "rp_hai_rate", "rp_gd", "rp_min_dec_fac", "rp_min_rate", "rp_rate_to_set_on_first_cnp",
    "rp_dce_tcp_g", "rp_dce_tcp_rtt", "rp_rate_reduce_monitor_period", "rp_initial_alpha_value",
    "np_min_time_between_cnps", "np_cnp_dscp", "np_cnp_prio", "np_cnp_prio_mode",
)  # fmt: skip

_OPTION = {
    "-i": "interface", "--interface": "interface", "--trust": "trust", "-f": "pfc", "--pfc": "pfc",
    "-p": "prio_tc", "--prio_tc": "prio_tc", "-s": "tsa", "--tsa": "tsa", "-t": "tcbw", "--tcbw": "tcbw",
    "--dscp2prio": "dscp2prio", "--cable_len": "", "-d": "dcbx", "--dcbx": "dcbx",
}  # fmt: skip
"""Options of mlnx_qos, all with a value; empty for those that prove nothing here."""

_DCB = {"prio-tc": "prio_tc", "tc-tsa": "tsa", "tc-bw": "tcbw", "prio-pfc": "pfc", "dscp-prio": "dscp2prio"}
_KEY = re.compile(r"^([A-Z][A-Z0-9_]+)=", re.MULTILINE)


Pairs = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Host:
    """Findings of the scripts of a host."""

    scripts: dict[str, str]
    ports: tuple[str, ...]
    rdma: dict[str, str]
    bdf: dict[str, str]
    problems: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.problems.append(text)

    def rails(self) -> list[tuple[str, str, str]]:
        """Interface, RDMA device and PCI address of every rail that udev names."""
        return [(name, rdma, self.bdf[name]) for name, rdma in sorted(self.rdma.items())]


def _both(host: _Host, own: bool) -> tuple[list[tuple[str, str]], list[str], list[tuple[str, str]]]:
    """Files, folders and links below /sys of a machine with NVIDIA's driver, or Linux' own."""
    files: list[tuple[str, str]] = []
    folders, links = ["kernel/config/rdma_cm"], []
    for name, rdma, bdf in host.rails():
        folders += [f"class/infiniband/{rdma}", f"devices/{bdf}"]
        if bdf == host.bdf[rdma]:
            links += [(f"class/infiniband/{rdma}/device", f"devices/{bdf}")]
        links += [(f"class/net/{name}/device", f"devices/{bdf}"), (f"bus/pci/devices/{bdf}", f"devices/{bdf}")]
        port = f"kernel/config/rdma_cm/{rdma}/ports/1"
        files += [(f"{port}/default_roce_mode", "IB/RoCE v1"), (f"{port}/default_roce_tos", "0")]
        if own:
            ecn = f"class/net/{name}/ecn"
            files += [(f"{ecn}/{role}/enable/{p}", UNSET) for role in ("roce_rp", "roce_np") for p in PRIORITIES]
            files += [(f"{ecn}/roce_rp/{f}", UNSET) for f in RP_FILES]
            files += [(f"{ecn}/roce_np/{f}", UNSET) for f in NP_FILES]
        else:
            files += [(f"kernel/debug/mlx5/{bdf}/cc_params/{f}", UNSET) for f in CC_PARAMS]
    return files, folders, links


def _stage(host: _Host, tools: Pairs, own: bool) -> Stage:
    files, folders, links = _both(host, own)
    return Stage(tools, tuple(files), tuple(folders), tuple(links))


class _Nics:
    """Settings of every NIC port after one rehearsal."""

    def __init__(self, host: _Host) -> None:
        self.host = host
        self.nics = {name: Nic(name, dscp_to_priority={d: d >> 3 for d in range(64)}) for name in host.ports}

    def mlnx_qos(self, words: list[str]) -> None:
        pairs = list(zip(words[::2], words[1::2], strict=False))
        interface = next((value for name, value in pairs if name in ("-i", "--interface")), "")
        if interface not in self.nics:
            self.host.say(f"{RUNTIME}: mlnx_qos on {interface or 'nothing'}, no such rail")
            return
        for option, value in pairs:
            if option not in _OPTION or len(words) % 2:
                self.host.say(f"{RUNTIME}: {option} of mlnx_qos is not understood")
            elif _OPTION[option] == "trust":
                self.nics[interface].trust = value
            elif _OPTION[option] == "dscp2prio":
                kind, dscp, priority = value.split(",")
                self.apply(interface, "dscp2prio" if kind == "set" else kind, {int(dscp): priority})
            elif _OPTION[option] in _DCB.values():
                self.apply(interface, _OPTION[option], dict(enumerate(value.split(","))))

    def dcb(self, words: list[str]) -> None:
        """One call of dcb: an object, a verb, ``dev`` and its name, then keywords with lists of pairs."""
        interface = words[words.index("dev") + 1] if "dev" in words else ""
        if interface not in self.nics:
            self.host.say(f"{RUNTIME}: dcb on {interface or 'nothing'}, no such rail")
            return
        keyword = ""
        for word in words[words.index("dev") + 2 :]:
            number, colon, value = word.partition(":")
            if not colon:
                keyword = word
            elif keyword in _DCB:
                said = {"on": "1", "off": "0"}.get(value, value)
                numbers = PRIORITIES if number == "all" else (int(number),)
                self.apply(interface, _DCB[keyword], dict.fromkeys(numbers, said))
        if words[0] == "app":
            self.nics[interface].trust = "dscp"

    def ethtool(self, words: list[str]) -> None:
        """One call of ethtool: what the port of a link negotiates."""
        nic = self.nics.get(words[1]) if len(words) > 1 else None
        if nic is None:
            self.host.say(f"{RUNTIME}: ethtool {' '.join(words)} is about no rail")
            return
        said = dict(zip(words[2::2], words[3::2], strict=False))
        autoneg, speed, fec = nic.link
        speed = int(said["speed"]) // 1000 if "speed" in said else speed
        nic.link = (said.get("autoneg", autoneg), speed, said.get("encoding", fec))

    def apply(self, interface: str, name: str, values: dict[int, str]) -> None:
        """Set some priorities, classes or code points of a NIC."""
        nic = self.nics[interface]
        if name == "pfc":
            before = nic.pfc or frozenset()
            nic.pfc = before.difference(values).union(n for n, bit in values.items() if bit == "1")
        elif name == "prio_tc":
            nic.priority_to_tc |= {n: int(tc) for n, tc in values.items()}
        elif name == "tsa":
            nic.tsa |= values
        elif name == "tcbw":
            nic.bandwidth_pct |= {n: int(share) for n, share in values.items()}
        elif name == "dscp2prio":
            nic.dscp_to_priority |= {n: int(priority) for n, priority in values.items()}
        else:
            self.host.say(f"{RUNTIME}: {interface}: --dscp2prio {name} may flip trust back to pcp")

    def files(self, left: dict[str, str]) -> None:
        """The kernel's files as the script left them."""
        for name, rdma, _ in self.host.rails():
            nic = self.nics[name]
            ecn, params = f"class/net/{name}/ecn", f"kernel/debug/mlx5/{self.host.bdf[rdma]}/cc_params"
            for role in ("rp", "np"):
                switches = {p: left.get(f"{ecn}/roce_{role}/enable/{p}") for p in PRIORITIES}
                if any(switches.values()):
                    nic.cc_priorities[role] = frozenset(p for p, value in switches.items() if value != "0")
            dscp = left.get(f"{ecn}/roce_np/cnp_dscp", left.get(f"{params}/np_cnp_dscp", UNSET))
            priority = left.get(f"{ecn}/roce_np/cnp_802p_prio", left.get(f"{params}/np_cnp_prio", UNSET))
            if dscp != UNSET or priority != UNSET:
                nic.cnp["runtime"] = (_number(dscp), _number(priority))
            nic.traffic_class["RDMA CM"] = int(left[f"kernel/config/rdma_cm/{rdma}/ports/1/default_roce_tos"])


def _number(text: str) -> int | None:
    return int(text, 0) if text and text != UNSET else None


def _rehearse(host: _Host, path: str, arguments: tuple[str, ...], stage: Stage) -> Rehearsal | None:
    """Run a script of the host; what it complains of is a problem."""
    if path not in host.scripts:
        return None
    try:
        done = rehearse(host.scripts[path], arguments, stage)
    except (PermissionError, subprocess.TimeoutExpired) as error:
        host.say(f"{path}: {error}")
        return None
    if done.status:
        host.say(f"{path} {' '.join(arguments)}: ends with {done.status}: {done.complaint}")
    return done


def _read_firmware(host: _Host) -> Iterator[tuple[str, dict[str, str]]]:
    keys = sorted(set(_KEY.findall(host.scripts.get(FIRMWARE, ""))))
    answer = "Configurations:      Default      Current      Next Boot\n" + "".join(
        f"  {k}  77  77  77\n" for k in keys
    )
    done = _rehearse(host, FIRMWARE, ("--apply",), _stage(host, (("mlxconfig", answer),), True))
    by_bdf = {bdf: name for name, _, bdf in host.rails()}
    for words in done.calls["mlxconfig"] if done else ():
        if "set" not in words:
            continue
        where = words[words.index("-d") + 1] if "-d" in words else ""
        if where not in by_bdf:
            host.say(f"{FIRMWARE}: sets {where or 'nothing'}, which is no rail's PCI address")
            continue
        pairs = (word.partition("=") for word in words[words.index("set") + 1 :])
        yield by_bdf[where], {key: value for key, _, value in pairs}


def _same(host: _Host, first: _Nics, second: _Nics) -> None:
    """Both drivers must end up with the same NIC."""
    for name, nic in first.nics.items():
        other = second.nics[name]
        for what in ("trust", "pfc", "dscp_to_priority", "priority_to_tc", "tsa", "bandwidth_pct", "cnp", "link"):
            mine, theirs = getattr(nic, what), getattr(other, what)
            if mine != theirs:
                host.say(f"{name}: {what} is {shown(mine)} by mlnx_qos, {shown(theirs)} by dcb")


def _read_runtime(host: _Host, masks: dict[str, str]) -> _Nics:
    """NICs as the script of the run time leaves them, given some masks in their firmware."""
    answer = "".join(f"  {key}  {value}  {value}\n" for key, value in masks.items())
    own = _rehearse(host, RUNTIME, ("all",), _stage(host, (("mlnx_qos", ""), ("ethtool", "")), True))
    linux_tools = (("dcb", ""), ("ethtool", ""), ("mstconfig", answer))
    every = tuple(name for name, *_ in host.rails())
    linux = _rehearse(host, RUNTIME, every, _stage(host, linux_tools, False))
    nics, others = _Nics(host), _Nics(host)
    if own and linux:
        for words in own.calls["mlnx_qos"]:
            nics.mlnx_qos(words)
        nics.files(own.files)
        for words in linux.calls["dcb"]:
            others.dcb(words)
        for found, done in ((nics, own), (others, linux)):
            for words in done.calls["ethtool"]:
                found.ethtool(words)
        others.files(linux.files)
        _same(host, nics, others)
    return nics


@lru_cache(maxsize=4096)
def _programmed(
    scripts: Pairs, ports: tuple[str, ...], rdma: Pairs, bdf: Pairs
) -> tuple[dict[str, Nic], tuple[str, ...]]:
    """NICs and problems of a host; hosts that find the same with the same code have the same NICs."""
    host = _Host(dict(scripts), ports, dict(rdma), dict(bdf))
    firmware = dict(_read_firmware(host))
    nics = _read_runtime(host, {k: keys[k] for keys in firmware.values() for k in sorted(keys) if k.startswith(MASK)})
    for name, keys in firmware.items():
        # The ports of a bond have one RDMA device, and their NIC is asked once.
        shared = sorted(port for port, device in host.rdma.items() if device == host.rdma[name])
        for number, port in enumerate(shared, 1):
            nic = nics.nics[port]
            nic.firmware_cc_mask = _number(keys.get(f"{MASK}{number}", ""))
            nic.overtaking = keys.get("ROCE_ADAPTIVE_ROUTING_EN") == "1"
            dscp, priority = (keys.get(f"{key}_P{number}", "") for key in ("CNP_DSCP", "CNP_802P_PRIO"))
            if dscp or priority:
                nic.cnp["firmware"] = (_number(dscp), _number(priority))
    return nics.nics, tuple(host.problems)


def _read_pcie(text: str, device: Device) -> None:
    """The script that only looks names every rail by a port of it, at the address that udev names it by."""
    rows, rdma = dict(_RAIL.findall(text)), device.host.rdma
    wrong = [name for name, bdf in rows.items() if device.host.bdf.get(name) != bdf]
    left = {*rdma.values()} - {rdma[name] for name in rows if name in rdma}
    for name in (*wrong, *sorted(left)):
        device.say(f"{PCIE}: {name} is not at the address of udev, or is left out")


def read(files: Files, device: Device) -> bool:
    if RUNTIME not in files.paths:
        return False
    if (pcie := files.text(PCIE)) is not None:
        _read_pcie(pcie, device)
    texts = {path: text for path in (RUNTIME, FIRMWARE) if (text := files.text(path)) is not None}
    if not files.runs_scripts:
        return True
    scripts = tuple((path, code_of(text)) for path, text in texts.items())
    host = device.host
    found = _programmed(scripts, tuple(device.interfaces), tuple(host.rdma.items()), tuple(host.bdf.items()))
    host.nics, problems = found
    for name, nic in host.nics.items():
        port = device.interfaces[name]
        port.autoneg, port.speed_gbps, port.fec = nic.link
    for problem in problems:
        device.say(problem)
    return True


READER = Reader("host", read, stage=1)
