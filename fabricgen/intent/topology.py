"""Tiers, links and hosts of the intent."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.intent.types import (
    PER_DEVICE,
    PER_LINK,
    CatalogName,
    Count,
    Counted,
    FilePath,
    HostNamePattern,
    Identifier,
    Intent,
    Release,
    Speed,
    SwitchNamePattern,
    UnitRanges,
)
from fabricgen.validation.forms import Form, Or, refuse

_MAX_PATHS = Or(("auto",), Annotated[int, Field(ge=1, le=1024)], "a whole number from 1 to 1024")
_GAP = Or(("auto",), Annotated[int, Field(ge=1, le=32767)], "a whole number from 1 to 32767, microseconds")
HashWord = Literal["five_tuple", "roce_dest_qp", "ingress_port"]
Balancing = Literal["auto", "static", "flowlet", "per_packet", "adaptive", "cluster"]


class Ecmp(Intent):
    """Distribution of traffic over equal-cost paths."""

    hash: Annotated[
        list[HashWord], Field(min_length=1, max_length=8, description="What the hash reads"), PER_DEVICE
    ] = ["five_tuple"]
    decorrelate: Annotated[Literal["auto", "off"], Field(description="auto: neighbouring tiers hash differently")] = (
        "auto"
    )
    max_paths: Annotated[
        Literal["auto"] | int,
        _MAX_PATHS,
        Field(description="Equal-cost next hops; auto is the planned width at the reserved maximum"),
        PER_DEVICE,
    ] = "auto"
    load_balancing: Annotated[
        Balancing,
        Field(description="Static hash, flowlets, per-packet spraying or adaptive routing; auto is the maker's advice"),
        PER_DEVICE,
    ] = "auto"
    resilient: Annotated[bool, Field(description="A next hop that is lost moves no flow of the others")] = False
    flowlet_gap_us: Annotated[
        Literal["auto"] | int,
        _GAP,
        Field(description="Pause after which a flow may take another link; auto is above the spread of path delays"),
    ] = "auto"
    weights: Annotated[
        Literal["auto", "on", "off"],
        Field(
            description="Next hops weighted by the links behind them; auto: with parallel links, where what every tier "
            "makes of it is published"
        ),
    ] = "auto"

    def with_own(self, own: "TierEcmp | None") -> "Ecmp":
        """Return the settings of a tier that has some of its own."""
        return self.model_copy(update=own.model_dump(exclude_none=True)) if own else self


class TierEcmp(Intent):
    """Deviations of one tier from ``routing.ecmp``."""

    hash: Annotated[list[HashWord] | None, Field(min_length=1, max_length=8, description="What the hash reads")] = None
    decorrelate: Annotated[Literal["auto", "off"] | None, Field(description="Differ from the other tiers")] = None
    max_paths: Annotated[
        Annotated[Literal["auto"] | int, _MAX_PATHS] | None, Field(description="Equal-cost next hops")
    ] = None
    load_balancing: Annotated[
        Balancing | None, Field(description="Static hash, flowlets, spraying or adaptive routing")
    ] = None
    resilient: Annotated[bool | None, Field(description="A lost next hop moves no flow of the others")] = None
    flowlet_gap_us: Annotated[
        Annotated[Literal["auto"] | int, _GAP] | None, Field(description="Pause after which a flow may move")
    ] = None


class TierIntent(Intent):
    """One tier of switches."""

    model: Annotated[CatalogName, Field(description="Switch model of the catalog"), PER_DEVICE]
    platform: Annotated[CatalogName, Field(description="Network operating system"), PER_DEVICE]
    release: Annotated[
        Release | None, Field(description="Release of the switches' software, as the platform numbers them"), PER_DEVICE
    ] = None
    per: Annotated[
        Literal["pod", "zone", "fabric"] | None,
        Field(description="Scope an upper tier is built per; leafs are placed by the attachment"),
    ] = None
    count: Annotated[Counted | None, Field(description="Switches per scope and plane; upper tiers only")] = None
    name: Annotated[
        SwitchNamePattern | None,
        Field(description="Name pattern with {zone} {pod} {unit} {plane} {rail} {group} {index}"),
    ] = None
    ecmp: Annotated[TierEcmp | None, Field(description="What this tier has different from routing.ecmp")] = None
    board_data: Annotated[
        FilePath | None,
        Field(
            description=(
                "Board data that the vendor ships and the platform requires in its configuration, JSON or YAML"
            )
        ),
        PER_DEVICE,
    ] = None


class Cable(Intent):
    """Cable of a link group."""

    media: Annotated[Literal["dac", "aec", "aoc", "mmf", "smf"], Field(description="Medium")]
    length_m: Annotated[float, Field(gt=0, le=100_000, strict=False, description="Longest one-way length in metres")]


class Stripe(Intent):
    """Lower devices meet one group of upper devices, by their index or by their rail."""

    stripe: Annotated[Literal["index", "rail"], Field(description="Whether groups follow the index or the rail")]


def _pattern(value: Any) -> Any:
    return None if value == "mesh" else value


class Links(Intent):
    """The links between two tiers, or between hosts and leafs."""

    speed: Annotated[Speed, Field(description="Speed of one link")]
    cable: Annotated[Cable, Field(description="Medium and longest length")]
    per_pair: Annotated[int, Field(ge=1, le=256, description="Parallel links between two devices")] = 1
    pattern: Annotated[
        Stripe | None,
        BeforeValidator(_pattern, json_schema_input_type=Literal["mesh"] | Stripe),
        Field(description="mesh, {stripe: index} or {stripe: rail}"),
    ] = None
    mtu: Annotated[int, Field(ge=1500, le=9216, description="IP MTU at both ends, bytes"), PER_LINK] = 9100


class Attachment(Intent):
    """Attachment of the NIC ports of a host to the leafs of its unit."""

    group: Annotated[
        Literal["rail", "host"],
        Field(description="rail: one leaf per unit, plane and rail group; host: all NICs on the unit's leaf"),
    ] = "rail"
    rails_per_leaf: Annotated[int, Field(ge=1, le=64, description="How many rails share a leaf")] = 1
    leafs_per_group: Annotated[
        Literal[1, 2], Field(description="2 makes a pair of leafs per rail group (dual ToR)")
    ] = 1
    bond: Annotated[
        Literal["none", "lacp", "routed"],
        Field(
            description="Whether a NIC's ports form one LACP bond: lacp in one subnet for the hosts of a rail group, "
            "routed with a prefix of its own"
        ),
    ] = "none"


class HostGroupIntent(Intent):
    """A group of equal hosts."""

    server: Annotated[CatalogName, Field(description="Server model of the catalog")]
    nic: Annotated[CatalogName, Field(description="NIC model of the catalog")]
    per_unit: Annotated[Counted, Field(description="Hosts in each unit that has this group")]
    backup_per_unit: Annotated[
        Counted | None, Field(description="Further hosts per unit kept as spares; never counted as capacity")
    ] = None
    units: Annotated[UnitRanges | None, Field(description="Which units have this group; all of them if left out")] = (
        None
    )
    attachment: Annotated[Attachment | None, Field(description="Own attachment, where it differs")] = None
    nvlink_domain: Annotated[int | None, Field(ge=1, le=1024, description="Hosts per NVLink scale-up domain")] = None
    os: Annotated[
        CatalogName | None,
        Field(description="Operating system the host files are written for; the one that is installed if left out"),
    ] = None
    firmware: Annotated[
        # mlx5 prints "%d.%d.%04d": another form would equal no version that runs (Linux, mlx5 get_dev_fw_str).
        Annotated[str, Form(r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{4}$", "a version as NICs print it, such as 28.43.2026")]
        | None,
        Field(description="Version of the firmware that its NICs have to run; the same on all of a host if left out"),
    ] = None
    name: Annotated[
        HostNamePattern | None, Field(description="Host name pattern with {zone} {pod} {unit} {group} {host}")
    ] = None


_NumberOfHosts = Annotated[int, Field(ge=0, le=1_000_000)]


def _hosts_of_kind(value: Any) -> Any:
    """A number of hosts is that of the group ``gpu``, as one group written directly is."""
    return {"gpu": value} if isinstance(value, int) else value


class UnitKindIntent(Intent):
    """Units that lack something of the others; their places stay reserved."""

    units: Annotated[UnitRanges, Field(description="Which units are of this kind")]
    hosts: Annotated[
        dict[Identifier, _NumberOfHosts],
        BeforeValidator(_hosts_of_kind, json_schema_input_type=_NumberOfHosts | dict[str, _NumberOfHosts]),
        Field(description="Hosts of each group in such a unit; as many as elsewhere if left out"),
    ] = {}
    uplinks: Annotated[
        int | None, Field(ge=1, le=1024, description="Uplinks of each leaf; as many as elsewhere if left out")
    ] = None
    state: Annotated[Literal["absent"] | None, Field(description="absent: neither leafs nor hosts are there")] = None

    @model_validator(mode="after")
    def _has_effect(self) -> "UnitKindIntent":
        if not (self.hosts or self.uplinks or self.state):
            raise refuse("sets nothing; add hosts, uplinks or state")
        if self.state and (self.hosts or self.uplinks):
            raise refuse("has a state of absent, and hosts or uplinks; remove one of the two")
        return self


class Units(Count):
    """Units (racks, scalable units, segments) per pod."""

    kinds: Annotated[
        dict[Identifier, UnitKindIntent], Field(max_length=64, description="Units that lack something of the others")
    ] = {}
    name: Annotated[
        Literal["unit", "rack", "segment", "scalable_unit", "block"], Field(description="What a unit is called")
    ] = "unit"


class Pods(Count):
    """Pods (AI zones) per zone."""

    name: Annotated[Literal["pod", "ai_zone", "cluster", "block"], Field(description="What a pod is called")] = "pod"


class Zones(Count):
    """Zones in the fabric."""

    name: Annotated[Literal["zone", "building", "region", "dc"], Field(description="What a zone is called")] = "zone"


PlaneNumber = Annotated[int, Field(ge=1, le=8)]
"""Planes are lettered; no NIC has more than eight ports."""


class Planes(Count):
    """Planes: how many times everything above the host exists, and how a host sees them."""

    count: Annotated[PlaneNumber, Field(description="Number of them now")]
    max: Annotated[PlaneNumber | None, Field(description="Number that addresses, ports and names leave room for")] = (
        None
    )
    host: Annotated[
        Literal["separate", "bond", "nic"],
        Field(description="separate netdevs and addresses, one LACP bond, or one address that the NIC spreads"),
    ] = "separate"


def _groups(value: Any) -> Any:
    """One group written directly stands for the group ``gpu``."""
    if isinstance(value, dict) and ("server" in value or "per_unit" in value or "nic" in value):
        return {"gpu": value}
    return value


HostGroups = Annotated[
    dict[Identifier, HostGroupIntent],
    BeforeValidator(_groups, json_schema_input_type=HostGroupIntent | dict[str, HostGroupIntent]),
    Field(min_length=1, max_length=64),
]
