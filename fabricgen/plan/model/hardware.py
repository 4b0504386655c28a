"""Hardware of a server as far as a file of its hosts names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin

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

    pcie_gen: Annotated[int, Origin(keys.SERVER)] = 0
    pcie_lanes: Annotated[int, Origin(keys.SERVER)] = 0
    cpu_arch: Annotated[str, Origin(keys.SERVER)] = ""
    cpu_vendor: Annotated[str, Origin(keys.SERVER)] = ""
    cpu_family: Annotated[int, Origin(keys.SERVER)] = 0
    cpu_model: Annotated[int, Origin(keys.SERVER)] = 0
    cpu_lists: Annotated[tuple[str, ...], Origin(keys.SERVER)] = ()
    switch_ids: Annotated[tuple[str, ...], Origin(keys.SERVER)] = ()
