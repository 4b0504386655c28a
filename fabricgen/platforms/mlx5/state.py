"""State of mlx5 NICs: PFC, drops and pause storms by priority, congestion notification, RDMA devices.

Source:
    Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst: statistics of ``ethtool -S``;
    those of pauses exist for a priority only while PFC is enabled on it.
    Linux drivers/infiniband/hw/mlx5/counters.c: names below ``hw_counters``.
    iproute2 ee2a4a8662, rdma/link.c: members of ``rdma -j link``; 00d59f4013, dcb/dcb_app.c: ``dcb app show``.
    Mellanox/mlnx-tools 088fadb3db, python/mlnx_qos; 61e2436df5, python/dcbnetlink.py; 1af04699c4, sbin/cma_roce_tos.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.platforms.observations import records
from fabricgen.platforms.observations.content import (
    MisreadError,
    as_list,
    as_map,
    as_number,
    as_text,
    decode_text,
    read_document,
    refuse_nothing,
)
from fabricgen.platforms.observations.linux import read_statistics, read_units, split_ports
from fabricgen.platforms.observations.records import Counter, Observation

_PAUSE = re.compile(r"(rx|tx)_prio([0-7])_pause")
_DROP = re.compile(r"rx_prio([0-7])_(?:buf_discard|cong_discard|discards)")
_STORM = "tx_pause_storm_error_events"
_CONGESTION = {
    "np_ecn_marked_roce_packets": records.MARKED_RECEIVED,
    "np_cnp_sent": records.CNP_SENT,
    "rp_cnp_handled": records.CNP_HANDLED,
    "rp_cnp_ignored": records.CNP_IGNORED,
}
_LINE = re.compile(r"^(\S+) (\S+) ([0-9]+)$", re.MULTILINE)

_TRUST = re.compile(r"^Priority trust state: (\w+)$", re.MULTILINE)
_MAPPED = re.compile(r"^\tprio:([0-7]) dscp:([0-9,]+)$", re.MULTILINE)
_ENABLED = re.compile(r"^\tenabled +((?:[01] *){8})$", re.MULTILINE)
_APP = re.compile(r"^dscp-prio (.+)$", re.MULTILINE)
_PAIR = re.compile(r"([0-9]{1,2}):([0-7])\b")
_PFC = re.compile(r"^prio-pfc (.+)$", re.MULTILINE)
_SWITCH = re.compile(r"([0-7]):(on|off)\b")
_FILE = re.compile(r"^/sys/\S+/([a-z0-9_]+):([0-9]{1,3})$", re.MULTILINE)
_MASK = re.compile(r"^\*? *ROCE_CC_PRIO_MASK_P[0-9]+ .*?(0x[0-9a-f]+|[0-9]+) +[0-9a-fx]+ *$", re.MULTILINE)
_FIRMWARE = re.compile(r"^firmware-version: (\S+)", re.MULTILINE)
_FILES = {
    "default_roce_tos": records.CM_TOS,
    "cnp_dscp": records.CNP_DSCP,
    "np_cnp_dscp": records.CNP_DSCP,
    "cnp_802p_prio": records.CNP_PRIORITY,
    "np_cnp_prio": records.CNP_PRIORITY,
}
_SIDES = {"roce_np": records.NOTIFIES, "roce_rp": records.REACTS}


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of each port by priority, and the storms of its own pauses that the NIC ended."""
    found: list[Observation] = []
    ports = read_statistics(data)
    for port, values in ports:
        for name, value in values.items():
            if match := _PAUSE.fullmatch(name):
                found.append(
                    Counter(port, records.PFC_RECEIVED if match[1] == "rx" else records.PFC_SENT, value, int(match[2]))
                )
        if _STORM in values:
            found.append(Counter(port, records.PAUSE_STORMS, values[_STORM]))
    if any(values for _, values in ports):
        refuse_nothing(found, "statistic of pauses")
    return found


def read_queues(data: bytes) -> list[Observation]:
    """Return the packets of each priority that a port dropped because a buffer was full."""
    found: list[Observation] = [counter for port, values in read_statistics(data) for counter in _drops(port, values)]
    refuse_nothing(found, "statistic of dropped packets")
    return found


def _drops(port: str, values: dict[str, int]) -> Iterator[Counter]:
    dropped: dict[int, int] = {}
    for name, value in values.items():
        if match := _DROP.fullmatch(name):
            dropped[int(match[1])] = dropped.get(int(match[1]), 0) + value
    return (Counter(port, records.DROPS, value, priority) for priority, value in dropped.items())


def read_ecn(data: bytes) -> list[Observation]:
    """Return marked packets and CNPs of each port, from lines of a port, a counter and its value."""
    text = decode_text(data)
    if not text.startswith("counters\n"):
        raise MisreadError("it does not begin with the line counters")
    found: list[Observation] = [
        Counter(match[1], _CONGESTION[match[2]], as_number(match[3], f"{match[1]} {match[2]}"))
        for match in _LINE.finditer(text)
        if match[2] in _CONGESTION
    ]
    empty = text.count("\n") == 1
    refuse_nothing(found, "counter of CNPs", "no RDMA device counts congestion notification" if empty else "")
    return found


def read_rdma(data: bytes) -> list[Observation]:
    """Return the RDMA devices of ``rdma -j link``, by the port that each belongs to."""
    links = [as_map(item, "link") for item in as_list(read_document(data), "the answer")]
    return [
        records.RdmaDevice(
            as_text(link.get("netdev", ""), "netdev"),
            as_text(link.get("ifname"), "ifname"),
            as_text(link.get("state"), "state").lower(),
        )
        for link in links
    ]


def read_contract(data: bytes) -> list[Observation]:
    """Return the settings of each port: answers of ``mlnx_qos`` or ``dcb``, files of the kernel, ``mlxconfig``."""
    found: list[Observation] = []
    for port, text in split_ports(data):
        found += [records.ActiveSetting(port, name, value) for name, value in (*_read_qos(text), *_read_kernel(text))]
    refuse_nothing(found, "setting of a port")
    return found


def _list_points(text: str) -> list[tuple[int, int]]:
    """Return pairs of a priority and a code point that becomes it."""
    rows = [(int(row[1]), row[2].split(",")) for row in _MAPPED.finditer(text)]
    points = [(priority, int(each)) for priority, listed in rows for each in listed if each]
    return points + [(int(to), int(each)) for row in _APP.finditer(text) for each, to in _PAIR.findall(row[1])]


def _read_qos(text: str) -> Iterator[tuple[str, str]]:
    """Yield trust, PFC and code points; where only ``dcb`` answers, DSCP is trusted if it has entries."""
    points, trust, switches = _list_points(text), _TRUST.search(text), _PFC.search(text)
    if trust is not None or switches is not None:
        yield records.TRUST, trust[1] if trust else "dscp" if points else "pcp"
    yield from _read_paused(text)
    for priority in range(8) if points else ():
        yield f"{records.CODE_POINTS} {priority}", records.name_numbers(point for to, point in points if to == priority)


def _read_paused(text: str) -> Iterator[tuple[str, str]]:
    """Yield the priorities with PFC."""
    bits, switches = _ENABLED.search(text), _PFC.search(text)
    if bits is not None:
        yield records.PAUSED, records.name_numbers(at for at, bit in enumerate(bits[1].split()) if bit == "1")
    elif switches is not None:
        yield records.PAUSED, records.name_numbers(int(at) for at, word in _SWITCH.findall(switches[1]) if word == "on")


def _read_kernel(text: str) -> Iterator[tuple[str, str]]:
    """Yield what files of the kernel, the firmware's tool and the driver say."""
    yield from ((_FILES[file], value) for file, value in _FILE.findall(text) if file in _FILES)
    for side, name in _SIDES.items():
        switches = re.findall(rf"/ecn/{side}/enable/([0-7]):([01])$", text, re.MULTILINE)
        if switches:
            yield name, records.name_numbers(int(priority) for priority, is_on in switches if is_on == "1")
    mask = _MASK.search(text)
    if mask:
        listed = records.name_numbers(bit for bit in range(8) if int(mask[1], 0) >> bit & 1)
        yield from ((name, listed) for name in _SIDES.values())
    firmware = _FIRMWARE.search(text)
    if firmware:
        yield records.FIRMWARE, firmware[1]


READERS: records.Readers = {
    "pfc": read_pfc,
    "queues": read_queues,
    "ecn": read_ecn,
    "contract": read_contract,
    "rdma": read_rdma,
    "units": read_units,
}
"""Readers by state reading."""
