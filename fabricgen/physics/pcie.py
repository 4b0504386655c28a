"""Capacity of a PCIe slot."""

from __future__ import annotations

SLOT_LANES_MAX = 16
"""Lanes of the widest slot (PCI Express Card Electromechanical Specification)."""

LANE_MBPS_BY_GEN = {
    3: 8_000 * 128 // 130,
    4: 16_000 * 128 // 130,
    5: 32_000 * 128 // 130,
    6: 64_000,
}
"""Rate of a lane in each direction after line coding, Mb/s.

Source:
    Linux, drivers/pci/pci.h, PCIE_SPEED2MBS_ENC.
"""


def slot_gbps(generation: int, lanes: int) -> float | None:
    """Return what a slot carries in each direction before packet headers, Gb/s; None for an unknown generation.

    Args:
        generation: PCIe generation.
        lanes: Lanes of the slot.

    Source:
        Linux, drivers/pci/pci.c, pcie_bandwidth_capable; its 504.112 Gb/s of a fifth-generation slot of 16 lanes is
        what the kernel prints.
    """
    rate = LANE_MBPS_BY_GEN.get(generation)
    return None if rate is None else rate * lanes / 1000
