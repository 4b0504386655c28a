"""Catalog records of hosts: servers, their NICs, and NVLink between their GPUs."""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from fabricgen.catalog.forms import Bdf, Count, CpuList, Lanes, PciId, Speed, SwitchBdf, Text, Words
from fabricgen.catalog.records import Provenance
from fabricgen.validation.forms import Form, Key, Misfit, Range, record


@record
class NvlinkGeneration(NamedTuple):
    """A generation of NVLink. Rates count both directions, GB/s decimal, as the maker publishes them.

    Attributes:
        links: Links of one GPU.
        link_gbytes_s: Rate of one link.
        domain_gpus_max: GPUs that switches of the generation can join; None where none is published.
    """

    id: Text
    generation: Annotated[int, Range(1, 99)]
    gpus: Words
    links: Annotated[int, Range(1, 256)]
    link_gbytes_s: Annotated[int, Range(1, 10_000)]
    provenance: Provenance
    domain_gpus_max: Count | None = None


@record
class NvlinkLevel(NamedTuple):
    """A level of NVLink switches.

    Attributes:
        gpus: GPUs that switches up to this level join.
        switches: Switch chips of the level that join them; None where no public source says.
        links: Links that each GPU has through the level; None if all of them are.
    """

    gpus: Annotated[int, Range(2, 100_000)]
    switches: Annotated[int, Range(1, 10_000)] | None = None
    links: Annotated[int, Range(1, 256)] | None = None


@record
class NicModel(NamedTuple):
    """A NIC model. ``lanes_by_gbps`` lists, per port speed, the lane counts its cage can run it on."""

    id: Text
    family: Text
    vendor: Text
    ports: Annotated[int, Range(1, 16)]
    lanes_by_gbps: Annotated[dict[Speed, Lanes], Key("lanes")]
    mtu_max_bytes: Annotated[int, Range(1280, 65535)]
    provenance: Provenance
    pci_vendor: PciId = ""
    pci_device: PciId = ""
    out_of_order: bool = False
    """The NIC places out-of-order packets without retransmission (adaptive routing, per-packet spraying)."""
    embedded_cpu: bool = False
    """The NIC has cores of its own, to which its ports can belong instead of to the host."""


@record
class RailSlot(NamedTuple):
    """Position of a rail in a server: NIC and GPU PCI addresses, their common switch, NUMA node.

    An address is empty and ``numa`` is -1 where no public map says it; ``switch_bdf`` is ``none`` where NIC and GPU
    hang on PCIe roots of their own. ``cage`` is that of the NIC's port, with its number where two NICs share it.
    """

    nic_bdf: Annotated[Bdf, Key("nic")] = ""
    gpu_bdf: Annotated[Bdf, Key("gpu")] = ""
    switch_bdf: Annotated[SwitchBdf, Key("switch")] = ""
    numa: Annotated[int, Range(-1)] = -1
    cage: Annotated[str, Form(r"([A-Z0-9]+(/[0-9])?)?", "a cage and its port, such as OSFP4/2")] = ""


@record
class Cpu(NamedTuple):
    """The CPUs of a server: architecture as in NCCL's words, CPUID numbers, and the CPUs of each NUMA node.

    Source:
        NVIDIA/nccl 5067397c, src/graph/topo.cc, kvDictCpuArch.
    """

    arch: Literal["", "x86_64", "arm64", "ppc64"] = ""
    family: Annotated[int, Range(0, 4095)] = 0
    model: Annotated[int, Range(0, 4095)] = 0
    lists: tuple[CpuList, ...] = ()


@record
class SwitchIds(NamedTuple):
    """PCI ids of the switches above NICs and GPUs."""

    vendor: PciId
    device: PciId
    subsystem_vendor: PciId
    subsystem_device: PciId


@record
class ServerModel(NamedTuple):
    """A server: how many GPUs and back-end NICs, and which GPU shares a PCIe switch with which NIC.

    ``cpu_vendor`` is what the CPU calls itself (x86: the CPUID vendor string). Facts of CPUs and PCIe are empty or 0
    where no public source has them.
    """

    id: Text
    gpus: Annotated[int, Range(0, 1024)]
    rails: tuple[RailSlot, ...]
    pcie_gen: Annotated[int, Range(3, 8)]
    numa_nodes: Annotated[int, Range(1, 64)]
    cpu_vendor: Text
    provenance: Provenance
    gpu_sm: Annotated[int, Range(0, 999)] = 0
    """NVIDIA compute capability times ten, 0 where it does not apply."""
    nvlink: Text = ""
    """Generation of NVLink between its GPUs; empty where they have none."""
    nvlink_gbytes_s: Annotated[int, Range(0, 100_000)] = 0
    """NVLink or Infinity Fabric of one GPU, both directions together; left out where NVLink has its usual rate."""
    gpu_vendor: Literal["", "amd", "nvidia"] = ""
    """Empty without GPUs."""
    nvlink_hosts: Annotated[int, Range(1, 1024)] = 1
    """Such servers that one NVLink switch fabric joins; 1 where NVLink ends at the server."""
    nvlink_levels: tuple[NvlinkLevel, ...] = ()
    """Levels of NVLink switches from the GPUs upwards; empty without switches, or where no public source has them."""
    pcie_lanes: Annotated[int, Range(0, 32)] = 0
    cpu: Cpu = Cpu()
    switch_ids: Annotated[SwitchIds | None, Key("switch")] = None
    gpu_tflops: Annotated[int, Range(0, 1_000_000)] = 0
    """Peak of one GPU in dense BF16, 10^12 operations per second; 0 where no public source has it."""
    gpu_memory_gbytes: Annotated[int, Range(0, 1_000_000)] = 0
    """Memory of one GPU, 10^9 bytes; 0 where no public source has it."""
    pci_map: str = ""
    """A server of the same board whose PCI map is public; empty if this one's is, or none is."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield addresses of two devices, NUMA nodes that there are not, and GPUs of no maker."""
        if not self.rails:
            yield Misfit(("rails",), "is empty; a server has at least one rail")
        seen: set[str] = set()
        for rail, slot in enumerate(self.rails):
            for key, bdf in (("nic", slot.nic_bdf), ("gpu", slot.gpu_bdf)):
                if bdf and bdf in seen:
                    yield Misfit(("rails", rail, key), f"{bdf} is given to two devices")
                seen.add(bdf)
            if slot.numa >= self.numa_nodes:
                yield Misfit(("rails", rail, "numa"), f"{slot.numa} must be below numa_nodes {self.numa_nodes}")
        if self.cpu.lists and len(self.cpu.lists) != self.numa_nodes:
            counts = f"has {len(self.cpu.lists)} items, there are {self.numa_nodes} NUMA nodes"
            yield Misfit(("cpu", "lists"), counts)
        joined = [level.gpus for level in self.nvlink_levels]
        if joined and (joined != sorted(set(joined)) or joined[-1] != self.gpus * self.nvlink_hosts):
            most = f"{self.gpus} GPUs of {self.nvlink_hosts} servers"
            yield Misfit(("nvlink_levels",), f"must join more GPUs level by level, and the last one {most}")
        if bool(self.gpus) != bool(self.gpu_vendor):
            yield Misfit(("gpu_vendor",), "must be amd or nvidia with GPUs, and is left out without them")
