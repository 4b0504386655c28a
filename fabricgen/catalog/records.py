"""Catalog records of hardware, plain and frozen; every record names its source.

A file of the catalog is validated as its record: the annotations are the language of its messages and JSON Schema.
Nothing here loads a library, so that worker processes can hold records without paying for one.

A record knows a board, a port profile or a table from a release on, or up to one. Planning sees a model of one release,
which is what an image of that release has in its folder of the board.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, NamedTuple, TypeVar

from fabricgen.catalog.forms import Bytes, Count, Release, Row, Subsumed, Text, Words
from fabricgen.validation.forms import ByName, Key, Misfit, Range, record, spread


@spread
class Provenance(NamedTuple):
    """Source of a record's values.

    Attributes:
        source: Public document, repository and revision.
        confidence: ``sourced``, ``secondary`` (quoted by a third party) or ``unconfirmed``.
        unconfirmed: Field names for which no source was found, whatever the confidence of the rest.
        sources: Fields that come from somewhere else than ``source``, and from where.
    """

    source: Text
    confidence: Literal["sourced", "secondary", "unconfirmed"] = "sourced"
    unconfirmed: Words = ()
    sources: dict[str, Text] = {}  # noqa: RUF012 - never written to

    @property
    def unsourced(self) -> list[str]:
        """Return the fields that no public source confirms."""
        unknown = self.confidence == "unconfirmed" and not self.unconfirmed
        return ["every field"] if unknown else list(self.unconfirmed)


@spread
class Span(NamedTuple):
    """Releases of an operating system that have something: from ``since`` to ``until``, open where empty."""

    since: Release = ""
    until: Release = ""

    def misfits(self) -> Iterator[Misfit]:
        """Yield a span that ends before it begins."""
        if self.since and self.until and release_rank(self.since) > release_rank(self.until):
            yield Misfit(("since",), f"{self.since} is later than until {self.until}")


def release_rank(name: str) -> int:
    """Order of releases: by their number, a branch without one last."""
    return int(name) if name.isdecimal() else 10**9


ALWAYS = Span()


@record
class Asic(NamedTuple):
    """A switching ASIC. Sizes in bytes, bandwidth in Gb/s; None for unpublished figures.

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
        weight_sum_max: What the SDK scales the weights of a group of next hops to, at most.
        weighted_member_entries: Entries of the member table that a next hop with a weight takes.
    """

    id: Text
    vendor: Text
    provenance: Provenance
    bandwidth_gbps: Count | None = None
    buffer_bytes: Count | None = None
    cell_bytes: Count | None = None
    ecmp_width_max: Count | None = None
    ecmp_groups_max: Count | None = None
    ecmp_members_max: Count | None = None
    dlb_width_max: Count | None = None
    dlb_groups_max: Count | None = None
    host_routes_max: Count | None = None
    itm: Count | None = None
    cells_available: Count | None = None
    pools_exclude_reserved: bool = False
    group_reserved_bytes: Bytes | None = None
    group_reserved_8_lanes_bytes: Bytes | None = None
    port_reserved_bytes: Bytes | None = None
    fixed_reserved_bytes: Bytes | None = None
    queues_reserved_bytes: Bytes | None = None
    udf_hash: bool | None = None
    weight_sum_max: Count | None = None
    weighted_member_entries: Count | None = None


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


@record
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

    suffix: Annotated[int, Range(0)]
    offset: Annotated[int, Range(0)]
    controller_offset: Annotated[int, Range(-64)]
    profiles: Row
    subsumed_by_profile: Annotated[Subsumed, Key("subsumes")] = {}  # noqa: RUF012 - never written to
    kind: Annotated[int, Range(0, 16)] = 0


class Cage(NamedTuple):
    """A front-panel cage.

    Attributes:
        index: Front-panel number, unique within the model.
        base: Number of its first lane in port names, or of its first port where the maker numbers ports.
        lanes: The ASIC's serdes numbers; empty if unpublished.
        modes: Breakout modes, in the order the maker lists them; empty if unpublished.
        native_gbps: Fastest speed of the whole cage.
        service: A low-speed service port: never used for fabric links.
        lane_count: How many lanes the cage has, known or not which; 0 if unpublished.
        name: What the maker calls the cage, if that is not just its number.
        numbered: The ports that the maker's software numbers in advance; empty if it does not.
        earlier: Modes of releases up to some one, each with its span; ``modes`` are those of all others.
        form: What plugs into it where that decides names: ``sfp``; empty for every other pluggable.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which is unused here
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
    fec_by_gbps: dict[int, str] = {}  # noqa: RUF012 - never written to
    autoneg_by_gbps: dict[int, str] = {}  # noqa: RUF012 - never written to
    own_modes: tuple[Mode, ...] = ()
    span: Span = ALWAYS


@record
class Board(NamedTuple):
    """Identifiers of a switch in its operating system: platform string, default SKU and default buffer topology."""

    name: Annotated[str, Key("")]
    default_sku: Text
    default_topology: Text
    span: Span = ALWAYS


@record
class BufferPool(NamedTuple):
    """A shared buffer pool; ``kind`` is ingress or egress, ``mode`` static or dynamic."""

    name: Annotated[str, Key("")]
    kind: Literal["ingress", "egress"]
    mode: Literal["static", "dynamic"]
    size_bytes: Count
    xoff_bytes: Bytes | None = None


@record
class BufferProfile(NamedTuple):
    """A buffer profile; exactly one of the thresholds is set. ``dynamic_th`` is log2 of alpha."""

    name: Annotated[str, Key("")]
    pool: Text
    size_bytes: Bytes
    dynamic_th: Annotated[int, Range(-8, 8)] | None = None
    static_th_bytes: Bytes | None = None
    xon_bytes: Bytes | None = None
    xon_offset_bytes: Bytes | None = None
    xoff_bytes: Bytes | None = None

    def misfits(self) -> Iterator[Misfit]:
        """Yield a profile without threshold, or with two."""
        if (self.dynamic_th is None) == (self.static_th_bytes is None):
            yield Misfit((), "needs either dynamic_th or static_th_bytes")


@record
class BufferSet(NamedTuple):
    """The pools and profiles a vendor ships for some (SKU, topology) pairs.

    ``skips_reservation``: the vendor keeps the maker's SDK from reserving cells of its own.
    ``pools_exclude_reserved``: as for an ASIC, where one of its vendors counts otherwise than the maker.
    """

    pools: Annotated[tuple[BufferPool, ...], ByName()]
    topologies_by_sku: Annotated[dict[str, Words], Key("skus")] = {}  # noqa: RUF012 - never written to
    profiles: Annotated[tuple[BufferProfile, ...], ByName()] = ()
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


@record
class EcnProfile(NamedTuple):
    """A named ECN marking profile with its own source; thresholds in bytes, probability in percent.

    Attributes:
        speed_gbps: 0 where the profile is published for every speed.
        setpoint: The maker of a box chose it for a lossless class: no template for any board, no lossy port profile.
        platforms: Operating systems it is published for; empty for every one.
        skus: Port profiles it is published for; empty for every one.
    """

    name: Annotated[Text, Key("id")]
    kmin_bytes: Count
    kmax_bytes: Count
    pmax_pct: Annotated[int, Range(1, 100)]
    provenance: Provenance
    speed_gbps: Annotated[int, Range(0)] = 0
    setpoint: bool = True
    platforms: Words = ()
    skus: Words = ()

    def misfits(self) -> Iterator[Misfit]:
        """Yield thresholds in the wrong order."""
        if self.kmin_bytes >= self.kmax_bytes:
            yield Misfit(("kmin_bytes",), f"{self.kmin_bytes} must be below kmax_bytes {self.kmax_bytes}")

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
    port_profiles: dict[int, str] = {}  # noqa: RUF012 - never written to
    """Numbered port profiles of the maker's software, see ``NumberedPort.profiles``."""
    copper_m_by_lane_gbps: dict[int, tuple[int, ...]] = {}  # noqa: RUF012 - never written to
    """Lengths of passive copper for which the maker ships transmitter settings, by rate of a lane."""
    product: str = ""
    """The box's own name, as the maker's software prints it; empty where no public source says."""


_Dated = TypeVar("_Dated", Board, BufferSet, HeadroomTable, Sku)


def holds(span: Span, release: str) -> bool:
    """Return whether a release has what the span belongs to; without one of SONiC's, whether the newest one has it."""
    if not release or "." in release:
        return not span.until
    rank = release_rank(release)
    return (not span.since or release_rank(span.since) <= rank) and (not span.until or rank <= release_rank(span.until))


def overlap(one: Span, other: Span) -> bool:
    """Return whether some release has both."""
    return _before(one.since, other.until) and _before(other.since, one.until)


def _before(since: str, until: str) -> bool:
    return not since or not until or release_rank(since) <= release_rank(until)


def model_at(model: SwitchModel, release: str) -> SwitchModel:
    """The model as an image of a release knows it; an empty release is the newest."""
    return model._replace(
        cages=tuple(_cage_at(cage, release) for cage in model.cages),
        boards=_at(model.boards, release),
        skus=_at(model.skus, release),
        buffers=_at(model.buffers, release),
        headroom=_at(model.headroom, release),
    )


def _cage_at(cage: Cage, release: str) -> Cage:
    """A cage with the modes it has in the release."""
    if not cage.earlier:
        return cage
    modes = next((modes for span, modes in cage.earlier if release and holds(span, release)), cage.modes)
    return cage._replace(modes=modes, earlier=())


def _at(records: Iterable[_Dated], release: str) -> tuple[_Dated, ...]:
    return tuple(record for record in records if holds(record.span, release))


def has_board(model: SwitchModel, release: str) -> bool:
    """Return whether an image of the release starts on the box: a board has a port profile, or the box needs none."""
    if not model.boards:
        return True
    names = {name for sku in _at(model.skus, release) for name in sku.boards}
    return any(board.name in names for board in _at(model.boards, release))
