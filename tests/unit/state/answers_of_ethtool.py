"""Answers of ``ethtool`` and of the kernel about NICs and ports of switches that Linux runs."""

from __future__ import annotations

import json
from math import inf

from tests.unit.state.bench import Bench


def _power(title: str, dbm: float) -> str:
    """A line as sff-common.h of ethtool prints it: mW, then dBm."""
    milliwatts = 0.0 if dbm == -inf else 10 ** (dbm / 10)
    return f"\t{title:<41} : {milliwatts:.4f} mW / {dbm:.2f} dBm"


def ethtool_optics(bench: Bench) -> str:
    """Modules of four lanes that have places for eight; a copper cable, which has an identity and no measures."""
    lines = []
    for port, optic in bench.optics.items():
        lines += [f"port {port}", f"\t{'Identifier':<41} : 0x19 (OSFP 8X Pluggable Transceiver)"]
        lines += [f"\t{'Module temperature':<41} : {optic['degrees']:.2f} degrees C / 105.80 degrees F"]
        lines += [f"\t{'Module voltage':<41} : {optic['volts']:.4f} V"]
        for lane in range(8):
            lines.append(f"\t{f'Laser tx bias current (Channel {lane + 1})':<41} : {60.0 if lane < 4 else 0:.3f} mA")
            for title, way in (("Transmit avg optical power", "tx"), ("Rcvr signal avg optical power", "rx")):
                lines.append(_power(f"{title} (Channel {lane + 1})", float(optic[way][lane]) if lane < 4 else -inf))
        lines += [f"\t{'Rx power high alarm   (Chan 1)':<41} : Off"]
        lines += [f"\t{'Laser bias current low alarm threshold':<41} : 20.000 mA"]
        lines += [_power("Laser output power low alarm threshold", -6.5)]
        lines += [_power("Laser rx power high alarm threshold", 5.0)]
        lines += [_power("Laser rx power low alarm threshold", -9.9)]
        lines += [_power("Laser rx power low warning threshold", -1.0)]
        lines += [f"\t{'Module temperature high alarm threshold':<41} : 75.00 degrees C / 167.00 degrees F"]
        lines += [f"\t{'Module voltage low alarm threshold':<41} : 3.1000 V"]
    return "\n".join([*lines, "port dac0", f"\t{'Identifier':<41} : 0x11 (QSFP28)", "port lo", ""])


def ethtool_fec(bench: Bench) -> str:
    lines = ["port lo"]
    for port, count in bench.uncorrected.items():
        lines += [f"port {port}", f"FEC parameters for {port}:", "Supported/Configured FEC encodings: Auto RS"]
        lines += ["Active FEC encoding: RS", "Statistics:", "  corrected_blocks: 7", f"  uncorrectable_blocks: {count}"]
        lines += ["    Lane 0: 0", "    Lane 1: 0"]
    return "\n".join([*lines, ""])


def ethtool_fec_modes(bench: Bench) -> str:
    words = {"rs": "RS", "fc": "BaseR"}
    lines = ["port lo"]
    for port, (_, _, fec, _) in bench.ports.items():
        lines += [f"port {port}", f"FEC parameters for {port}:", "Supported/Configured FEC encodings: Auto"]
        lines.append(f"Active FEC encodings: {words.get(fec, 'Off')}")
    return "\n".join([*lines, ""])


def cumulus_pfc(bench: Bench) -> str:
    lines = ["port lo"]
    for port, counts in bench.pauses.items():
        lines.append(f"port {port}")
        lines += [f"     HwIf{way}Pfc{at}Pkt: {count}" for way in ("In", "Out") for at, count in enumerate(counts)]
    return "\n".join([*lines, ""])


def cumulus_system(bench: Bench) -> str:
    return json.dumps({"build": f"Cumulus Linux {bench.version}", "hostname": bench.name, "uptime": "3 days"})


def mlx5_pfc(bench: Bench) -> str:
    """Pauses of the priorities under PFC only: the driver has no others."""
    lines = ["port lo"]
    for port, counts in bench.pauses.items():
        lines.append(f"port {port}")
        lines += [f"     {way}_prio{at}_pause: {n}" for way in ("rx", "tx") for at, n in enumerate(counts) if n]
        lines.append(f"     tx_pause_storm_error_events: {bench.watchdogs[port][1]}")
    return "\n".join([*lines, ""])


def mlx5_queues(bench: Bench) -> str:
    lines = ["port lo"]
    for port, counts in bench.drops.items():
        lines.append(f"port {port}")
        lines += [f"     rx_prio{at}_discards: {count}" for at, count in enumerate(counts)]
        lines += [f"     rx_prio{at}_buf_discard: 0" for at in range(8)]
    return "\n".join([*lines, ""])


def mlx5_ecn(bench: Bench) -> str:
    names = ("np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled", "rp_cnp_ignored")
    rows = ((port, *row) for port, counts in bench.cnps.items() for row in zip(names, counts, strict=True))
    return "counters\n" + "".join(f"{port} {name} {count}\n" for port, name, count in rows)


def mlx5_rdma(bench: Bench) -> str:
    links = [
        {"ifindex": at, "ifname": f"mlx5_{at}", "port": 1, "state": state, "physical_state": "LINK_UP", "netdev": port}
        for at, (port, state) in enumerate(bench.rdma.items())
    ]
    return json.dumps(links)


def _files(folder: str, values: dict[str, object]) -> list[str]:
    """Files of the kernel as ``grep -H`` prints them."""
    return [f"{folder}/{name}:{value}" for name, value in values.items()]


def mlx5_contract(bench: Bench) -> str:
    """With NVIDIA's own driver: mlnx_qos (Mellanox/mlnx-tools 088fadb3db) breaks lists of code points after eight."""
    lines = []
    for at, (port, has) in enumerate(bench.contract.items()):
        lines += [f"port {port}", "DCBX mode: OS controlled", f"Priority trust state: {has['trust']}"]
        if has["trust"] == "dscp":
            lines.append("dscp2prio mapping:")
            for priority in range(8):
                points = [f"{point:02d}," for point, to in enumerate(has["dscp"]) if to == priority]
                rows = ["".join(points[first : first + 8]) for first in range(0, len(points), 8)]
                lines += [f"\tprio:{priority} dscp:{row}" for row in rows]
        lines += ["default priority:", "Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,total_size=1027728"]
        lines += ["Cable len: 7", "PFC configuration:", "\tpriority    0   1   2   3   4   5   6   7"]
        lines += ["\tenabled     " + "   ".join(map(str, has["pfc"])), "\tbuffer      0   0   0   1   0   0   0   0"]
        lines += ["tc: 3 ratelimit: unlimited, tsa: ets, bw: 50%", "\t priority:  3"]
        lines += _files(f"/sys/kernel/config/rdma_cm/mlx5_{at}/ports/1", {"default_roce_tos": has["tos"]})
        for side in ("np", "rp"):
            switches: dict[str, object] = {str(number): int(number in has[side]) for number in range(8)}
            lines += _files(f"/sys/class/net/{port}/ecn/roce_{side}/enable", switches)
        marks = dict(zip(("cnp_dscp", "cnp_802p_prio"), has["cnp"], strict=True))
        lines += _files(f"/sys/class/net/{port}/ecn/roce_np", marks)
        lines += ["driver: mlx5_core", "version: 24.10-1.1.4", f"firmware-version: {has['firmware']} (MT_0000000838)"]
    return "\n".join([*lines, ""])


def mlx5_contract_of_linux(bench: Bench) -> str:
    """With Linux' own driver: dcb (iproute2 00d59f4013), debugfs, and mstconfig: default, current, next boot."""
    lines = []
    for at, (port, has) in enumerate(bench.contract.items()):
        folder = f"/sys/kernel/debug/mlx5/0000:{at:02x}:00.0/cc_params"
        mask = sum(1 << number for number in has["np"])
        lines += [f"port {port}"]
        if has["trust"] == "dscp":
            lines.append("dscp-prio " + "".join(f"{point}:{to} " for point, to in enumerate(has["dscp"])))
        lines.append("prio-pfc " + "".join(f"{at}:{'on' if on else 'off'} " for at, on in enumerate(has["pfc"])))
        lines += _files(f"/sys/kernel/config/rdma_cm/mlx5_{at}/ports/1", {"default_roce_tos": has["tos"]})
        lines += _files(folder, dict(zip(("np_cnp_dscp", "np_cnp_prio"), has["cnp"], strict=True)))
        lines += ["Configurations:                              Default         Current         Next Boot"]
        lines += [f"*       ROCE_CC_PRIO_MASK_P1                     255             {mask}               {mask}"]
        lines += ["driver: mlx5_core", f"firmware-version: {has['firmware']} (MT_0000000838)"]
    return "\n".join([*lines, ""])
