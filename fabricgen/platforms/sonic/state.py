"""State of a SONiC switch: vtysh and lldpcli in its containers, and its own commands.

Source:
    sonic-net/sonic-utilities 691b1bbc4: scripts/intfutil, scripts/pfcstat, scripts/queuestat, pfcwd/main.py,
    utilities_common/portstat.py, utilities_common/netstat.py (table_as_json), show/main.py (version), scripts/wredstat,
    scripts/sfpshow (maps of names and units) and tests/sfp_test.py; scripts/lldpshow and tests/lldp_test.py: heads,
    rule, rows, a second rule, and how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fabricgen.platforms.observations import linux, records, vtysh
from fabricgen.platforms.observations.content import (
    MisreadError,
    as_map,
    as_measure,
    as_number,
    as_text,
    decode_text,
    members,
    read_document,
    read_tables,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import Counter, Level, Observation

_PORT = re.compile(r"^(\S+): SFP EEPROM (Not detected|detected|is not applicable.*)", re.IGNORECASE | re.MULTILINE)
_VALUE = re.compile(r"^\s+([A-Za-z0-9 ]+?)\s*: (-?(?:inf|[0-9.]+(?:e-?[0-9]+)?))(?:dBm|mA|C|Volts)$", re.MULTILINE)
_LANES = re.compile(r"^\s+Media Lane Count: ([0-9]{1,3})\s*$", re.MULTILINE)
_BY_LANE = re.compile(r"(RX|TX)([0-9]{0,3})(Power|Bias)")
_NAMES = {
    "RXPower": (records.RX_POWER, "RxPower"),
    "TXPower": (records.TX_POWER, "TxPower"),
    "TXBias": (records.BIAS, "TxBias"),
}
_WHOLE = {"Temperature": (records.TEMPERATURE, "Temp"), "Vcc": (records.VOLTAGE, "Vcc")}
_HEADS = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")
_TOTAL = re.compile(r"^Total entries displayed:[ \t]+([0-9]{1,6})[ \t\r]*$", re.MULTILINE)
_NONE = "N/A"
_SPEED = re.compile(r"(\d+(?:\.\d+)?)([GM])")
_PAUSES = {"Port Rx": records.PFC_RECEIVED, "Port Tx": records.PFC_SENT}
_VERSION = re.compile(r"^SONiC Software Version: (?:SONiC\.)?(\S+)", re.MULTILINE)
_STORMS = "STORM DETECTED/RESTORED"


def read_ports(data: bytes) -> list[Observation]:
    """Return the ports of ``show interfaces status``."""
    found: list[Observation] = []
    for heads, cells in read_tables(decode_text(data)):
        row = dict(zip(heads, cells, strict=True))
        if "Interface" not in row or "Oper" not in row:
            raise MisreadError("its table has no columns Interface and Oper")
        found.append(_port(row))
    if not found:
        raise MisreadError("it has no table of ports")
    return found


def _port(row: Mapping[str, str]) -> records.PortState:
    fec, mtu, optic = row.get("FEC", _NONE), row.get("MTU", _NONE), row.get("Type")
    return records.PortState(
        port=row["Interface"],
        up=_is_up(row["Oper"]),
        admin_up=_is_up(row.get("Admin", _NONE)),
        speed_gbps=_speed(row.get("Speed", _NONE)),
        fec="" if fec == _NONE else fec,
        mtu_bytes=None if mtu == _NONE else as_number(mtu, f"{row['Interface']} MTU"),
        optic="none" if optic == _NONE else optic or "",
    )


def _is_up(word: str) -> bool | None:
    return None if word == _NONE else word == "up"


def _speed(word: str) -> float | None:
    """Return a speed in Gb/s."""
    match = _SPEED.fullmatch(word)
    return float(match[1]) / (1 if match[2] == "G" else 1000) if match else None


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of each port of ``show interfaces counters errors -j``."""
    found: list[Observation] = []
    for name, row in members(read_document(data), "port"):
        known = [as_number(row[key], f"{name} {key}") for key in ("RX_ERR", "TX_ERR") if row.get(key, _NONE) != _NONE]
        if known:
            found.append(Counter(name, records.ERRORS, sum(known)))
    refuse_nothing(found, "counter of errors")
    return found


def read_fec(data: bytes) -> list[Observation]:
    """Return the codewords of each port of ``portstat -f -j`` that FEC could not correct."""
    found: list[Observation] = []
    lacking = ""
    for name, row in members(read_document(data), "port"):
        if row.get("FEC_UNCORR", _NONE) != _NONE:
            found.append(Counter(name, records.UNCORRECTED, as_number(row["FEC_UNCORR"], f"{name} FEC_UNCORR")))
        elif "FEC_UNCORR" in row:
            lacking = "no port counts codewords of FEC"
    refuse_nothing(found, "counter of codewords", lacking)
    return found


def read_queues(data: bytes) -> list[Observation]:
    """Return the drops of each unicast queue of ``show queue counters --json``."""
    return _queue_counters(data, "droppacket", records.DROPS, "no queue counts drops: it is not polled")


def read_ecn(data: bytes) -> list[Observation]:
    """Return the packets that each unicast queue of ``show queue wredcounters --json`` has marked."""
    reason = "no queue counts marks: the ASIC does not, or WRED_ECN_QUEUE is not polled"
    return _queue_counters(data, "ecnmarkedpacket", records.MARKED, reason)


def _queue_counters(data: bytes, key: str, name: str, reason: str) -> list[Observation]:
    """Return a counter of each unicast queue that has it; where all of them are empty, the reason is raised."""
    found: list[Observation] = []
    lacking = ""
    for port, queues in members(read_document(data), "port"):
        for queue, row in queues.items():
            if not queue.startswith("UC") or key not in as_map(row, f"{port} {queue}"):
                continue
            if row[key] == _NONE:
                lacking = reason
                continue
            number = as_number(queue[2:], f"{port} {queue}")
            found.append(Counter(port, name, as_number(row[key], f"{port} {queue}"), number))
    refuse_nothing(found, f"queue with {key}", lacking)
    return found


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of ``show pfc counters``, by port and priority."""
    found: list[Observation] = []
    for heads, cells in read_tables(decode_text(data)):
        name = _PAUSES.get(heads[0])
        if name is None:
            raise MisreadError(f"its table begins with {heads[0]!r}; expected Port Rx or Port Tx")
        for head, cell in zip(heads[1:], cells[1:], strict=True):
            if cell != _NONE:
                priority = as_number(head.removeprefix("PFC"), "priority")
                found.append(Counter(cells[0], name, as_number(cell, f"{cells[0]} {head}"), priority))
    if not found:
        raise MisreadError("it has no table of PFC frames")
    return found


def read_watchdog(data: bytes) -> list[Observation]:
    """Return the watchdog of each queue of ``pfcwd show stats --empty``; without it a quiet queue is left out."""
    found: list[Observation] = []
    text = decode_text(data)
    if "QUEUE" not in text:
        raise MisreadError("it has no table of queues")
    for heads, cells in read_tables(text):
        row = dict(zip(heads, cells, strict=True))
        if "QUEUE" not in row or "STATUS" not in row or _STORMS not in row:
            raise MisreadError("its table has no columns QUEUE, STATUS and STORM DETECTED/RESTORED")
        port, _, queue = row["QUEUE"].rpartition(":")
        detected, _, restored = row[_STORMS].partition("/")
        what = f"{row['QUEUE']} storms"
        found.append(
            records.QueueWatchdog(
                port,
                as_number(queue, "queue"),
                "off" if row["STATUS"] == _NONE else row["STATUS"],
                as_number(detected, what),
                as_number(restored, what),
            )
        )
    return found


def read_system(data: bytes) -> list[Observation]:
    """Return the version of ``show version``."""
    match = _VERSION.search(decode_text(data))
    if match is None:
        raise MisreadError("it has no line SONiC Software Version")
    return [records.System(as_text(match[1], "version"))]


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    text = decode_text(data)
    if _HEADS[0] not in text:
        return linux.read_neighbors(data)
    total = _TOTAL.search(text)
    if not total:
        raise MisreadError("its last line, 'Total entries displayed', is missing")
    # The second rule, and the line after it, look like rows.
    rows = [cells for heads, cells in read_tables(text[: total.start()]) if heads == _HEADS and cells[0].strip("-")]
    if len(rows) != int(total[1]):
        raise MisreadError(f"it has {len(rows)} entries and says that they are {total[1]}")
    return [records.LldpNeighbor(port, device, peer_port, described) for port, device, peer_port, _, described in rows]


def read_optics(data: bytes) -> list[Observation]:
    """Return what the transceivers measure, with their alarm thresholds; an empty cage measures nothing."""
    text = decode_text(data)
    heads = list(_PORT.finditer(text))
    if not heads:
        raise MisreadError("it has no line of a port with its SFP EEPROM")
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        each
        for head, end in zip(heads, ends, strict=True)
        for each in _read_port(head[1], head[2], text[head.end() : end])
    ]


def _read_port(port: str, word: str, text: str) -> Iterator[records.Module | Level]:
    """Yield the module of a port and its levels; lanes beyond those of the medium carry no light."""
    if not word.lower().startswith("not"):
        yield records.Module(port)
    values = {match[1]: as_measure(match[2], f"{port} {match[1]}") for match in _VALUE.finditer(text)}
    lanes = _LANES.search(text)
    for name, value in values.items():
        if name in _WHOLE:
            quantity, threshold = _WHOLE[name]
            yield _level(port, quantity, value, threshold, None, values)
        elif match := _BY_LANE.fullmatch(name):
            lane = int(match[2] or 1)
            if f"{match[1]}{match[3]}" in _NAMES and not (lanes and 0 < int(lanes[1]) < lane):
                quantity, threshold = _NAMES[f"{match[1]}{match[3]}"]
                yield _level(port, quantity, value, threshold, lane, values)


def _level(port: str, name: str, value: float, threshold: str, lane: int | None, values: Mapping[str, float]) -> Level:
    return Level(port, name, value, values.get(f"{threshold}LowAlarm"), values.get(f"{threshold}HighAlarm"), lane)


READERS: records.Readers = {
    "sessions": vtysh.read_sessions,
    "bfd": vtysh.read_bfd,
    "routes": vtysh.read_routes,
    "routes6": vtysh.read_routes,
    "lldp": read_neighbors,
    "ports": read_ports,
    "errors": read_errors,
    "fec": read_fec,
    "optics": read_optics,
    "queues": read_queues,
    "pfc": read_pfc,
    "watchdog": read_watchdog,
    "ecn": read_ecn,
    "system": read_system,
}
"""Readers by state reading."""
