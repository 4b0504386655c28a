"""Hosts of the intent: which server and NIC, how many per unit, how they attach."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fabricgen.intent.types import CatalogName, Count, Counted, HostNamePattern, Identifier, Intent, UnitRanges


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
    name: Annotated[
        HostNamePattern | None, Field(description="Host name pattern with {zone} {pod} {unit} {group} {host}")
    ] = None


class Units(Count):
    """Units (racks, scalable units, segments) per pod."""

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
