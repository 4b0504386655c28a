"""State of mlx5 NICs: PFC, drops and pause storms by priority, congestion notification, RDMA devices.

Source:
    Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst: statistics of ``ethtool -S``;
    those of pauses exist for a priority only while PFC is enabled on it.
    Linux drivers/infiniband/hw/mlx5/counters.c: names below ``hw_counters``.
    iproute2 ee2a4a8662, rdma/link.c: members of ``rdma -j link``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
from fabricgen.platforms.observations.ethtool import read_statistics
from fabricgen.platforms.observations.records import (
    CNP_HANDLED,
    CNP_IGNORED,
    CNP_SENT,
    DROPS,
    MARKED_RECEIVED,
    PAUSE_STORMS,
    PFC_RECEIVED,
    PFC_SENT,
    Counter,
    Observation,
    RdmaDevice,
    Readers,
)

_PAUSE = re.compile(r"(rx|tx)_prio([0-7])_pause")
_DROP = re.compile(r"rx_prio([0-7])_(?:buf_discard|cong_discard|discards)")
_STORM = "tx_pause_storm_error_events"
_CONGESTION = {
    "np_ecn_marked_roce_packets": MARKED_RECEIVED,
    "np_cnp_sent": CNP_SENT,
    "rp_cnp_handled": CNP_HANDLED,
    "rp_cnp_ignored": CNP_IGNORED,
}
_LINE = re.compile(r"^(\S+) (\S+) ([0-9]+)$", re.MULTILINE)


def read_pfc(data: bytes) -> list[Observation]:
    """Return the PFC frames of each port by priority, and the storms of its own pauses that the NIC ended."""
    found: list[Observation] = []
    ports = read_statistics(data)
    for port, values in ports:
        for name, value in values.items():
            if match := _PAUSE.fullmatch(name):
                found.append(Counter(port, PFC_RECEIVED if match[1] == "rx" else PFC_SENT, value, int(match[2])))
        if _STORM in values:
            found.append(Counter(port, PAUSE_STORMS, values[_STORM]))
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
    return (Counter(port, DROPS, value, priority) for priority, value in dropped.items())


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
        RdmaDevice(
            as_text(link.get("netdev", ""), "netdev"),
            as_text(link.get("ifname"), "ifname"),
            as_text(link.get("state"), "state").lower(),
        )
        for link in links
    ]


READERS: Readers = {"pfc": read_pfc, "queues": read_queues, "ecn": read_ecn, "rdma": read_rdma}
"""Readers by state reading."""
