"""Answers of SONiC's own commands."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.state.bench import Bench


def write_table(heads: list[str], rows: list[list[Any]]) -> str:
    """Write a table as python-tabulate does in its format ``simple``, cells to the right."""
    texts = [heads, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in texts) for at in range(len(heads))]
    widths = [max(width, 2 + len(head)) if rows else width for width, head in zip(widths, heads, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in texts]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]]) + "\n"


def sonic_ports(bench: Bench) -> str:
    heads = ["Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin", "Type", "Asym PFC"]
    rows = [
        [name, "1,2,3,4", f"{speed}G", mtu, fec or "N/A", "etp1", "routed", "up" if up else "down", "up", "OSFP", "off"]
        for name, (up, speed, fec, mtu) in bench.ports.items()
    ]
    return write_table(heads, rows)


def sonic_pfc(bench: Bench) -> str:
    titles = [f"PFC{number}" for number in range(8)]
    rows = [[port, *(f"{count:,}" for count in counts)] for port, counts in bench.pauses.items()]
    return write_table(["Port Rx", *titles], rows) + "\n" + write_table(["Port Tx", *titles], rows)


def sonic_watchdog(bench: Bench) -> str:
    heads = ["QUEUE", "STATUS", "STORM DETECTED/RESTORED", "TX OK/DROP", "RX OK/DROP"]
    rows = [
        [f"{port}:3", state, f"{detected}/{restored}", "0/0", "0/0"]
        for port, (state, detected, restored) in bench.watchdogs.items()
    ]
    return write_table(heads, rows)


def sonic_errors(bench: Bench) -> str:
    rows = {port: {"STATE": "U", "RX_ERR": str(n), "TX_ERR": "0", "RX_DRP": "N/A"} for port, n in bench.errors.items()}
    return json.dumps(rows)


def sonic_fec(bench: Bench) -> str:
    rows = {
        port: {"STATE": "U", "FEC_CORR": "130,402", "FEC_UNCORR": f"{count:,}", "FEC_PRE_BER": "1.00e-09"}
        for port, count in bench.uncorrected.items()
    }
    return json.dumps(rows)


def sonic_optics(bench: Bench) -> str:
    """As ``sfpshow`` prints a module of eight host lanes and four of its medium; an empty cage in the end."""
    lines = []
    for port, optic in bench.optics.items():
        lines += [f"{port}: SFP EEPROM detected", "        CMIS Rev: 5.0", "        Media Lane Count: 4"]
        lines.append("        ChannelMonitorValues:")
        for lane in range(8):
            rx, tx = (optic[way][lane] if lane < 4 else "-inf" for way in ("rx", "tx"))
            lines += [f"                RX{lane + 1}Power: {rx}dBm", f"                TX{lane + 1}Power: {tx}dBm"]
        lines.append("        ChannelThresholdValues:")
        for way in ("Rx", "Tx"):
            lines += [
                f"                {f'{way}PowerHighAlarm':18}: 6.9999dBm",
                f"                {f'{way}PowerHighWarning':18}: 4.9999dBm",
                f"                {f'{way}PowerLowAlarm':18}: -11.9044dBm",
            ]
        lines += ["        ModuleMonitorValues:", f"                Temperature: {optic['degrees']}C"]
        lines += [f"                Vcc: {optic['volts']}Volts", "        ModuleThresholdValues:"]
        lines += ["                TempHighAlarm  : 80.0000C", "                TempLowAlarm   : -10.0000C"]
        lines += ["                VccHighAlarm   : 3.6352Volts", "                VccLowAlarm    : 2.9696Volts", ""]
    return "\n".join([*lines, "Ethernet900: SFP EEPROM Not detected", ""])


def sonic_ecn(bench: Bench) -> str:
    rows, other = {}, {"ecnmarkedbytes": "N/A", "wreddroppacket": "0"}
    for port, counts in bench.marks.items():
        queues = {f"UC{at}": {**other, "ecnmarkedpacket": str(count)} for at, count in enumerate(counts)}
        rows[port] = {"time": "2026-01-01 00:00:00", **queues, "ALL20": {"ecnmarkedpacket": "N/A"}}
    return json.dumps(rows)


def sonic_queues(bench: Bench) -> str:
    rows = {}
    for port, counts in bench.drops.items():
        queues = {f"UC{at}": {"totalpacket": "10", "droppacket": str(count)} for at, count in enumerate(counts)}
        none = {"totalpacket": "N/A", "droppacket": "N/A"}
        rows[port] = {"time": "2026-01-01 00:00:00", **queues, "ALL20": none}
    return json.dumps(rows)


def sonic_system(bench: Bench) -> str:
    return f"\nSONiC Software Version: SONiC.{bench.version}.1-abc\nSONiC OS Version: 12\nUptime: up 3 days\n"
