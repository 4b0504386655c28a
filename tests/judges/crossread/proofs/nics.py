"""The NIC's half of the contract: what it pauses, maps, answers with, and what the collectives ask of it."""

from __future__ import annotations

import re

from ..facts import Device, End, Interface, Nic
from ..graph import place
from ..policy import prefix
from .case import Case
from .rails import rail_number, rails_of
from .traffic import data_dscp, differences


def prove_nics_agree(case: Case) -> list[str]:
    """Every rail's NIC trusts DSCP, pauses what its leaf port pauses, and maps code points as the leaf does."""
    found = []
    for host, leaf in case.host_links:
        nic, port = _nic(case, host), case.port(leaf)
        if nic is None or port is None:
            found.append(f"{place(host)}: nothing configures its NIC")
            continue
        if nic.trust != "dscp":
            found.append(f"{place(host)}: trusts {nic.trust or 'what the driver chooses'}, not dscp")
        if nic.pfc != port.qos.pfc:
            shown = "nothing is set" if nic.pfc is None else sorted(nic.pfc)
            found.append(f"{place(host)}: PFC on {shown}, but {place(leaf)} has {sorted(port.qos.pfc)}")
        differs = differences(nic.dscp_to_priority, case.priorities(port.qos))
        if differs:
            found.append(f"{place(host)}: priority by DSCP differs from {place(leaf)}: {differs}")
        found += _scheduling(host, nic, leaf, port)
    return found


def prove_order(case: Case) -> list[str]:
    """NICs take packets that overtook each other where switches spray them, and keep to order where none does."""
    spraying = sorted(device.name for device in case.fabric.switches() if device.sprays)
    found = []
    for host, _ in case.host_links:
        nic = _nic(case, host)
        if nic is None or nic.overtaking == bool(spraying):
            continue
        if spraying:
            found.append(f"{place(host)}: wants packets in order, but {spraying[0]} sprays them")
        else:
            found.append(f"{place(host)}: lets packets overtake each other, but no switch sprays them")
    return found


def _nic(case: Case, host: End) -> Nic | None:
    return case.fabric.devices[host[0]].host.nics.get(host[1])


def _scheduling(host: End, nic: Nic, leaf: End, port: Interface) -> list[str]:
    """Strict where the leaf is strict, for every priority that a code point maps to; shares add up."""
    found = []
    for priority in sorted(set(nic.dscp_to_priority.values())):
        tc = nic.priority_to_tc.get(priority, priority)
        queue = port.qos.pfc_to_queue.get(priority, priority)
        mine = "strict" if nic.tsa.get(tc) == "strict" else "weighted"
        theirs = "strict" if port.qos.scheduler.get(queue) == "strict" else "weighted"
        if mine != theirs:
            found.append(f"{place(host)}: priority {priority} is {mine}, on {place(leaf)} {theirs}")
    shared: dict[int, set[int]] = {}
    for priority in set(nic.dscp_to_priority.values()):
        shared.setdefault(nic.priority_to_tc.get(priority, priority), set()).add(priority)
    found += [
        f"{place(host)}: priorities {sorted(p)} share traffic class {tc}" for tc, p in shared.items() if len(p) > 1
    ]
    total = sum(nic.bandwidth_pct.get(tc, 0) for tc, kind in nic.tsa.items() if kind == "ets")
    if nic.tsa and total != 100:
        found.append(f"{place(host)}: shares of the weighted classes add up to {total}")
    return found


def prove_congestion_control(case: Case) -> list[str]:
    """DCQCN runs on the lossless priorities; CNPs are marked alike everywhere and ride a strict queue."""
    wanted = case.lossless if case.expected.has_ecn else frozenset[int]()
    mask = sum(1 << p for p in wanted)
    found = []
    notices: dict[tuple[int | None, int | None], str] = {}
    for host, leaf in case.host_links:
        nic, port = _nic(case, host), case.port(leaf)
        if nic is None or port is None:
            continue
        for role in ("rp", "np"):
            runs = nic.cc_priorities.get(role, frozenset())
            if runs != wanted:
                found.append(f"{place(host)}: DCQCN {role} on {sorted(runs)}, the contract says {sorted(wanted)}")
        if nic.firmware_cc_mask is not None and nic.firmware_cc_mask != mask:
            found.append(f"{place(host)}: firmware DCQCN mask {nic.firmware_cc_mask}, the contract says {mask}")
        if case.expected.has_ecn:
            found += _notices(case, host, nic, leaf, port)
        for source, notice in nic.cnp.items():
            notices.setdefault(notice, f"{place(host)} ({source})")
    if len(notices) > 1:
        said = ", ".join(f"dscp {n[0]} priority {n[1]} at {where}" for n, where in notices.items())
        found.append(f"fabric: CNPs are not marked alike: {said}")
    return found


def _notices(case: Case, host: End, nic: Nic, leaf: End, port: Interface) -> list[str]:
    """Return what is wrong with one NIC's CNPs as its leaf would see them."""
    if not nic.cnp:
        return [f"{place(host)}: nothing says how CNPs are marked"]
    found = []
    for source, (dscp, priority) in nic.cnp.items():
        seen = None if dscp is None else case.priorities(port.qos).get(dscp)
        if seen is None or seen != priority:
            said = f"{source} CNP dscp {dscp} priority {priority}"
            found.append(f"{place(host)}: {said}, {place(leaf)} maps it to {seen}")
            continue
        queue = port.qos.pfc_to_queue.get(seen, seen)
        if port.qos.scheduler.get(queue) != "strict":
            found.append(f"{place(host)}: CNPs ride queue {queue} of {place(leaf)}, which is not strict")
        if seen in port.qos.pfc or queue in port.qos.ecn:
            found.append(f"{place(host)}: CNPs ride queue {queue} of {place(leaf)}, which is paused or marked")
    return found


def prove_collectives_configured(case: Case) -> list[str]:
    """Hosts with equally many rails all configure the collective library, or none does; somebody does."""
    kinds: dict[int, dict[bool, list[str]]] = {}
    for host in (host for host in case.fabric.hosts() if host.name not in case.expected.without_gpus):
        kinds.setdefault(len(host.interfaces), {}).setdefault(bool(host.host.collective), []).append(host.name)
    nobody = bool(kinds) and not any(True in kind for kind in kinds.values())
    found = ["fabric: no host configures a collective library"] if nobody else []
    for kind in kinds.values():
        if len(kind) == 2:
            found.append(f"{', '.join(kind[False])}: no collective library, but {kind[True][0]} has one")
    return found


def prove_collectives(case: Case) -> list[str]:
    """The collective library's traffic class is a lossless code point, the one that RDMA connections use."""
    found = []
    for host, leaf in case.host_links:
        device, nic, port = case.fabric.devices[host[0]], _nic(case, host), case.port(leaf)
        dscp = data_dscp(case, host[0])
        if dscp is None and device.host.collective:
            found.append(f"{place(host)}: NCCL_IB_TC is not set")
        if dscp is None:
            continue
        if port is None or nic is None:
            continue
        maps = {place(leaf): case.priorities(port.qos), "the NIC": nic.dscp_to_priority}
        for where, mapped in ((where, found_map.get(dscp)) for where, found_map in maps.items()):
            if mapped not in case.lossless:
                found.append(f"{place(host)}: NCCL_IB_TC is dscp {dscp}, priority {mapped} at {where}, not lossless")
        tc = int(device.host.collective["NCCL_IB_TC"])
        if tc & 3 not in (0, 2):
            found.append(f"{place(host)}: NCCL_IB_TC {tc} sets ECN bits {tc & 3}")
        for source, byte in nic.traffic_class.items():
            if byte >> 2 != dscp:
                found.append(f"{place(host)}: {source} sets traffic class {byte}, NCCL_IB_TC is {tc}")
    return found


def prove_environment(case: Case) -> list[str]:
    """RDMA programs beside the collective library use the code point of RDMA connections, too."""
    found = []
    for host, _leaf in case.host_links:
        device, nic = case.fabric.devices[host[0]], _nic(case, host)
        connections = nic.traffic_class.get("RDMA CM") if nic else None
        if connections is None:
            continue
        told = {name: int(value) for name, value in device.host.environment.items()
                if name.endswith(("_TC", "_TRAFFIC_CLASS"))}  # fmt: skip
        if not told:
            found.append(f"{device.name}: RDMA programs beside the collective library are told no traffic class")
        found += [
            f"{device.name}: {name} is {value}, RDMA connections use {connections}"
            for name, value in told.items()
            if value >> 2 != connections >> 2 or value & 3 not in (0, 2)
        ]
    return sorted(set(found))


def prove_nic_names(case: Case) -> list[str]:
    """The collective library uses exactly the RDMA devices of the rails, at the PCI addresses udev names."""
    found = []
    for device in case.fabric.hosts():
        if not device.host.collective:
            continue
        rails = set(device.host.rdma.values())
        asked = device.host.collective.get("NCCL_IB_HCA", "")
        names = set(filter(None, asked.lstrip("=^").split(",")))
        if not asked.startswith("=") or names != rails:
            found.append(f"{device.name}: NCCL_IB_HCA is {asked or 'not set'}, the rails are {_list(rails)}")
        used = _bootstrap(device.host.collective.get("NCCL_SOCKET_IFNAME", ""), device)
        if used:
            found.append(f"{device.name}: NCCL_SOCKET_IFNAME uses rails {_list(used)}")
        found += _topology(device, rails)
        found += _family(device)
    return found


def _bootstrap(said: str, device: Device) -> set[str]:
    """Rails that bootstrap may use: exact ones behind ``=``, beginnings, or all but those behind ``^``."""
    names = device.interfaces.keys() | device.bonds.keys()
    if said.startswith("="):
        return names & set(said[1:].split(","))
    words = tuple(said.lstrip("^").split(","))
    matching = {name for name in names if said and name.startswith(words)}
    return names - matching if said.startswith("^") or not said else matching


def _family(device: Device) -> list[str]:
    """Every program takes its GID from a range of the family it names that has every rail in it; IPv4 by default."""
    settings = {**device.host.collective, **device.host.environment}
    beside = {name.partition("_")[0] for name in device.host.environment} & {"NVSHMEM", "UCCL"}
    names = {name for name in settings if name.endswith("_IB_ADDR_RANGE")}
    found = []
    for name in sorted(names | {f"{program}_IB_ADDR_RANGE" for program in beside}):
        said = settings.get(name, "0.0.0.0/0")
        family = settings.get(name.replace("RANGE", "FAMILY"), "AF_INET")
        lacking = [r.end[1] for r in rails_of(device) if not any(prefix(said).covers(a.subnet) for a in r.addresses)]
        found += [f"{device.name}: {name} {said} leaves out {', '.join(lacking)}"] if lacking else []
        if (family == "AF_INET6") != (":" in said):
            found.append(f"{device.name}: {name} is {said}, its family {family}")
    return found


def _topology(device: Device, rails: set[str]) -> list[str]:
    if not device.host.topology_bdfs and "NCCL_TOPO_FILE" not in device.host.collective:
        return []
    found = []
    if "NCCL_TOPO_FILE" not in device.host.collective:
        found.append(f"{device.name}: has a topology file, no NCCL_TOPO_FILE names it")
    nets = {net.name: net for net in device.host.topology}
    if not nets:
        absent = {device.host.bdf[name] for name in rails} - device.host.topology_bdfs
        return found + ([f"{device.name}: the topology file lacks the NICs {_list(absent)}"] if absent else [])
    if nets.keys() != rails:
        found.append(f"{device.name}: the topology file has {_list(set(nets))}, the rails are {_list(rails)}")
    planes = 1 + max((net.plane for net in nets.values()), default=0)
    ports = 1 + max((_port(interface) for interface in device.host.rdma), default=0)
    for name in sorted(nets.keys() & rails):
        interface = next(i for i, rdma in device.host.rdma.items() if rdma == name)
        if nets[name].rail not in (-1, rail_number(interface)):
            found.append(
                f"{device.name}: {name} is rail {nets[name].rail} in the topology, udev pairs it with {interface}"
            )
        # Neighbouring ports of a NIC meet the same plane where it has more ports than there are planes.
        if nets[name].plane not in (-1, _port(interface) * planes // ports):
            found.append(f"{device.name}: {name} is in plane {nets[name].plane}, its interface is {interface}")
        bdf = device.host.bdf[name]
        if nets[name].bdf != bdf:
            found.append(f"{device.name}: {name} is at {nets[name].bdf} in the topology, udev says {bdf}")
    return found


def _port(interface: str) -> int:
    found = re.search(r"p(\d+)$", interface)
    return int(found[1]) if found else 0


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def prove_domains(case: Case) -> list[str]:
    """Every host of an NVLink domain lists the same hosts, itself among them; lists of addresses are only compared."""
    found = []
    lists = {host.name: host.host.domain for host in case.fabric.hosts() if host.host.domain}
    for name, domain in lists.items():
        known = [node for node in domain if node in case.fabric.devices]
        if known and name not in domain:
            found.append(f"{name}: is not in its own NVLink domain {', '.join(domain)}")
        for node in known:
            if lists.get(node) != domain:
                found.append(f"{name}: lists {node} in its NVLink domain, which has another list")
        if known and len(known) < len(domain):
            found.append(f"{name}: its NVLink domain {', '.join(domain)} has hosts that do not exist")
    return found
