"""A queue for credits and a hash that reads the queue pair: collectives ask for both beside the class of their data."""

from __future__ import annotations

from ..graph import place
from .case import Case
from .traffic import data_dscp

CREDITS = "NCCL_IB_FIFO_TC"
ROCE_PORT, BEHIND_UDP = 4791, 3
DESTINATION = ((13, 3), (14, 2))
"""Offset and size of the destination queue pair from the UDP header on: behind 8 bytes of UDP and 5 of the base
transport header, or the lower two of its three bytes.

Source:
    facebook/fboss 14ec47ec, UDF groups of RoCE; InfiniBand Architecture Specification volume 1, base transport header.
"""


def prove_credits(case: Case) -> list[str]:
    """Credits ride a strict queue that nothing pauses or marks, the same at NIC and leaf, and not the data's."""
    found = []
    for host, leaf in case.host_links:
        device, port = case.fabric.devices[host[0]], case.port(leaf)
        said, nic = device.host.collective.get(CREDITS), device.host.nics.get(host[1])
        if said is None or port is None or nic is None:
            continue
        dscp = int(said) >> 2
        priority, at_nic = case.priorities(port.qos).get(dscp), nic.dscp_to_priority.get(dscp)
        if dscp == data_dscp(case, host[0]):
            found.append(f"{place(host)}: credits have the data's code point {dscp}")
        if priority is None or priority != at_nic:
            found.append(f"{place(host)}: credits have priority {at_nic}, at {place(leaf)} {priority}")
            continue
        queue = port.qos.pfc_to_queue.get(priority, priority)
        if port.qos.scheduler.get(queue) != "strict" or priority in case.lossless or queue in port.qos.ecn:
            found.append(f"{place(host)}: credits ride queue {queue} of {place(leaf)}, which is not strict and lossy")
    return found


def prove_queue_pairs(case: Case) -> list[str]:
    """Leafs that hash on more than five fields read the destination queue pair, and then all of them do."""
    leafs = sorted({leaf[0] for _, leaf in case.host_links})
    reads = {name: case.fabric.devices[name].queue_pair_hash for name in leafs}
    found = [
        f"{name}: hashes on {size} bytes from {offset} behind header {header} of UDP port {port}, no queue pair"
        for name, groups in reads.items()
        for port, header, offset, size in groups
        if (port, header) != (ROCE_PORT, BEHIND_UDP) or (offset, size) not in DESTINATION
    ]
    one = next((name for name, groups in reads.items() if groups), None)
    if one is None:
        return found
    silent = [name for name, groups in reads.items() if not groups and name not in case.expected.own_hash]
    return found + [f"{name}: hashes on no queue pair, but {one} does" for name in silent]
