"""What the catalog knows about hardware, as plain frozen records; every record names its source.

Nothing here reads a file or knows a library, so that worker processes can hold records without paying for either.
"""

from __future__ import annotations

from typing import NamedTuple


class Provenance(NamedTuple):
    """Where a record's values come from.

    Attributes:
        source: Public document, repository and revision.
        confidence: ``sourced``, ``secondary`` (quoted by a third party) or ``unconfirmed``.
        unconfirmed: Field names for which no source was found, whatever the confidence of the rest.
        sources: Fields that come from somewhere else than ``source``, and from where.
    """

    source: str
    confidence: str = "sourced"
    unconfirmed: tuple[str, ...] = ()
    sources: dict[str, str] = {}  # noqa: RUF012 - nobody writes into a record


class Span(NamedTuple):
    """Releases of an operating system that have something: from ``since`` to ``until``, open where empty."""

    since: str = ""
    until: str = ""


ALWAYS = Span()


class Asic(NamedTuple):
    """A switching ASIC. Sizes in bytes, bandwidth in Gb/s; None where nobody published a figure.

    Attributes:
        itm: Memories the buffer consists of, all of one size.
        cells_available: Cells of each memory that pools can be cut from where the maker's SDK reserves the rest.
        pools_exclude_reserved: Pool sizes are what is left once headroom and reserved sizes are taken off; otherwise
            they include both.
        group_reserved_bytes: What the SDK sets aside for each lossy priority group of a port, and for its management
            one; ``group_reserved_8_lanes_bytes`` is the same on a port of eight lanes.
        port_reserved_bytes: What it sets aside for each port beside that, and ``fixed_reserved_bytes`` for the switch.
        queues_reserved_bytes: What the queues of a port keep of an ingress pool that includes reserved sizes.
        udf_hash: The ECMP hash can read bytes at an offset that the user defines.
    """

    id: str
    vendor: str
    provenance: Provenance
    bandwidth_gbps: int | None = None
    buffer_bytes: int | None = None
    cell_bytes: int | None = None
    logical_ports_max: int | None = None
    ecmp_width_max: int | None = None
    ecmp_groups_max: int | None = None
    ecmp_members_max: int | None = None
    dlb_width_max: int | None = None
    dlb_groups_max: int | None = None
    host_routes_max: int | None = None
    itm: int | None = None
    cells_available: int | None = None
    pools_exclude_reserved: bool = False
    group_reserved_bytes: int | None = None
    group_reserved_8_lanes_bytes: int | None = None
    port_reserved_bytes: int | None = None
    fixed_reserved_bytes: int | None = None
    queues_reserved_bytes: int | None = None
    udf_hash: bool | None = None


class ModePort(NamedTuple):
    """One logical port that a breakout mode yields: its speed and how many lanes of the cage it takes."""

    speed_gbps: int
    lanes: int


class Mode(NamedTuple):
    """A breakout mode as the network operating system spells it, for example ``2x400G(8)``.

    ``aliases`` are the names the vendor gives its ports; empty if it gives none.
    """

    text: str
    ports: tuple[ModePort, ...]
    aliases: tuple[str, ...] = ()


class NumberedPort(NamedTuple):
    """A logical port that the maker's software numbers in advance, relative to the ``base`` of its cage.

    Attributes:
        suffix: Last part of the port's name.
        offset: Added to the cage's ``base`` it is the port's own number.
        controller_offset: The same for the port that owns the lanes.
        kind: The maker's code for what the port is for; 0 carries traffic, 4 is management.
        profiles: Numbers of the port profiles it can run, see ``SwitchModel.port_profiles``.
        subsumed_by_profile: Profile number to the offsets of the ports that disappear while it runs.
    """

    suffix: int
    offset: int
    controller_offset: int
    kind: int
    profiles: tuple[int, ...]
    subsumed_by_profile: dict[int, tuple[int, ...]]


class Cage(NamedTuple):
    """A front-panel cage.

    Attributes:
        index: Front-panel number, unique within the model.
        base: Number of its first lane in port names, or of its first port where the maker numbers ports.
        lanes: The ASIC's serdes numbers; empty where nobody published them.
        modes: Breakout modes, in the order the maker lists them; empty where nobody published them.
        native_gbps: Fastest speed of the whole cage.
        service: A low-speed service port: never used for fabric links.
        lane_count: How many lanes the cage has, known or not which; 0 where nobody published it.
        name: What the maker calls the cage, if that is not just its number.
        numbered: The ports the maker's software numbers in advance, if it does.
        earlier: Modes of releases up to some one, each with its span; ``modes`` are those of all others.
        form: What plugs into it where that decides names: ``sfp``; empty for every other pluggable.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    base: int
    lanes: tuple[int, ...]
    modes: tuple[Mode, ...]
    native_gbps: int
    service: bool = False
    lane_count: int = 0
    name: str = ""
    numbered: tuple[NumberedPort, ...] = ()
    form: str = ""
    earlier: tuple[tuple[Span, tuple[Mode, ...]], ...] = ()


class Sku(NamedTuple):
    """A vendor's port profile (HwSKU): which mode each cage has out of the box.

    ``own_modes`` are modes that only this profile knows: its cages run them, breaking out into them later is refused.
    Their aliases are patterns, ``{i}`` stands for the cage's front-panel number.
    """

    name: str
    boards: tuple[str, ...]
    mode_by_cage: dict[int, str]
    fec_by_gbps: dict[int, str] = {}  # noqa: RUF012 - nobody writes into a record
    autoneg_by_gbps: dict[int, str] = {}  # noqa: RUF012 - nobody writes into a record
    own_modes: tuple[Mode, ...] = ()
    span: Span = ALWAYS


class Board(NamedTuple):
    """What the operating system calls the box: its platform string, default SKU and default buffer topology."""

    name: str
    default_sku: str
    default_topology: str
    span: Span = ALWAYS


class BufferPool(NamedTuple):
    """A shared buffer pool; ``kind`` is ingress or egress, ``mode`` static or dynamic."""

    name: str
    kind: str
    mode: str
    size_bytes: int
    xoff_bytes: int | None = None


class BufferProfile(NamedTuple):
    """A buffer profile; exactly one of the thresholds is set. ``dynamic_th`` is log2 of alpha."""

    name: str
    pool: str
    size_bytes: int
    dynamic_th: int | None = None
    static_th_bytes: int | None = None
    xon_bytes: int | None = None
    xon_offset_bytes: int | None = None
    xoff_bytes: int | None = None


class BufferSet(NamedTuple):
    """The pools and profiles a vendor ships for some (SKU, topology) pairs.

    ``skips_reservation``: the vendor keeps the maker's SDK from reserving cells of its own.
    ``pools_exclude_reserved``: as for an ASIC, where one of its vendors counts otherwise than the maker.
    """

    topologies_by_sku: dict[str, tuple[str, ...]]
    pools: tuple[BufferPool, ...]
    profiles: tuple[BufferProfile, ...]
    skips_reservation: bool = False
    span: Span = ALWAYS
    pools_exclude_reserved: bool = False


class HeadroomRow(NamedTuple):
    """One row of a vendor's headroom table: a lossless priority group at a speed, with cables of up to ``row_m``."""

    speed_gbps: int
    row_m: int
    size_bytes: int
    xon_bytes: int
    xoff_bytes: int
    dynamic_th: int
    xon_offset_bytes: int | None = None


class HeadroomTable(NamedTuple):
    """A vendor's headroom table and the SKUs it belongs to; never interpolated, never shared between SKUs.

    ``span`` are the releases whose images have these rows.
    """

    skus: tuple[str, ...]
    rows: tuple[HeadroomRow, ...]
    span: Span = ALWAYS


class EcnProfile(NamedTuple):
    """A named ECN marking profile with its own source; thresholds in bytes, probability in percent.

    Attributes:
        speed_gbps: 0 where the profile is published for every speed.
        setpoint: The maker of a box chose it for a lossless class: no template for any board, no lossy port profile.
        platforms: Operating systems it is published for; empty for every one.
        skus: Port profiles it is published for; empty for every one.
    """

    name: str
    speed_gbps: int
    kmin_bytes: int
    kmax_bytes: int
    pmax_pct: int
    provenance: Provenance
    setpoint: bool = True
    platforms: tuple[str, ...] = ()
    skus: tuple[str, ...] = ()

    def is_for(self, platform: str, sku: str, speed_gbps: int) -> bool:
        """Return whether it is what a maker chose for that system, port profile and speed."""
        return (
            self.setpoint
            and self.speed_gbps in (0, speed_gbps)
            and (not self.platforms or platform in self.platforms)
            and (not self.skus or sku in self.skus)
        )


class SwitchModel(NamedTuple):
    """A switch model: its cages, the operating systems it runs and what vendors publish about its buffers."""

    id: str
    asic: Asic
    platforms: tuple[str, ...]
    cages: tuple[Cage, ...]
    provenance: Provenance
    boards: tuple[Board, ...] = ()
    skus: tuple[Sku, ...] = ()
    buffers: tuple[BufferSet, ...] = ()
    headroom: tuple[HeadroomTable, ...] = ()
    ecn_profiles: tuple[EcnProfile, ...] = ()
    """One per speed the model can run, each with that speed filled in."""
    port_profiles: dict[int, str] = {}  # noqa: RUF012 - nobody writes into a record
    """Numbered port profiles of the maker's software, see ``NumberedPort.profiles``."""
    copper_m_by_lane_gbps: dict[int, tuple[int, ...]] = {}  # noqa: RUF012 - nobody writes into a record
    """Lengths of passive copper for which the maker ships transmitter settings, by rate of a lane."""
    product: str = ""
    """What the box calls itself, as the maker's software prints it; empty where no public source says."""


class NicModel(NamedTuple):
    """A NIC model. ``lanes_by_gbps`` lists, per port speed, the lane counts its cage can run it on."""

    id: str
    family: str
    vendor: str
    ports: int
    lanes_by_gbps: dict[int, tuple[int, ...]]
    mtu_max_bytes: int
    pci_vendor: str
    pci_device: str
    provenance: Provenance
    out_of_order: bool = False
    """The NIC places out-of-order packets without retransmission (adaptive routing, per-packet spraying)."""
    embedded_cpu: bool = False
    """The NIC has cores of its own, to which its ports can belong instead of to the host."""


class RailSlot(NamedTuple):
    """Where rail ``rail`` sits in a server: NIC and GPU PCI addresses, their common switch, NUMA node.

    An address is empty and ``numa`` is -1 where no public map says it; ``switch_bdf`` is ``none`` where NIC and GPU
    hang on PCIe roots of their own.
    """

    rail: int
    nic_bdf: str
    gpu_bdf: str
    switch_bdf: str
    numa: int


class ServerModel(NamedTuple):
    """A server: how many GPUs and back-end NICs, and which GPU shares a PCIe switch with which NIC.

    ``cpu_vendor`` is what the CPU calls itself (x86: the CPUID vendor string), ``cpu_arch`` the machine of ``uname -m``
    in NCCL's words, ``cpu_family`` and ``cpu_model`` its CPUID numbers, ``cpu_lists`` the CPUs of each NUMA node as
    the kernel lists them. ``switch_ids`` are the PCI ids of the switches above NICs and GPUs: vendor, device and those
    of the subsystem. Of these facts each is empty or 0 where no public source has it.
    """

    id: str
    gpus: int
    rails: tuple[RailSlot, ...]
    gpu_sm: int
    """NVIDIA compute capability times ten, 0 where it does not apply."""
    pcie_gen: int
    nvlink_gbytes_s: int
    numa_nodes: int
    cpu_vendor: str
    provenance: Provenance
    gpu_vendor: str = ""
    """``nvidia`` or ``amd``; empty without GPUs."""
    nvlink_hosts: int = 1
    """How many such servers one NVLink switch fabric joins; 1 where NVLink ends at the server."""
    pcie_lanes: int = 0
    cpu_arch: str = ""
    cpu_family: int = 0
    cpu_model: int = 0
    cpu_lists: tuple[str, ...] = ()
    switch_ids: tuple[str, ...] = ()
    pci_map: str = ""
    """A server of the same board whose PCI map is public; empty if this one's is, or none is."""
