"""Hardware of a server as far as a file of its hosts names it."""

from __future__ import annotations

from dataclasses import dataclass

NO_SWITCH = "none"
"""Instead of a PCI address: NIC and GPU of the rail hang on PCIe roots of their own."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """CPUs and PCIe of a server; what no source says is empty or 0.

    Attributes:
        cpu_vendor: What the CPU calls itself (x86: the CPUID vendor string).
        cpu_family: CPUID family; ``cpu_model`` is its model.
        cpu_lists: CPUs of each NUMA node as the kernel lists them.
        switch_ids: PCI ids of the switches above NICs and GPUs: vendor, device and those of the subsystem.
    """

    pcie_gen: int = 0
    pcie_lanes: int = 0
    cpu_arch: str = ""
    cpu_vendor: str = ""
    cpu_family: int = 0
    cpu_model: int = 0
    cpu_lists: tuple[str, ...] = ()
    switch_ids: tuple[str, ...] = ()
