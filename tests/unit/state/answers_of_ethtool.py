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
        lines += [
            f"     {way}_prio{at}_pause: {count}" for way in ("rx", "tx") for at, count in enumerate(counts) if count
        ]
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
