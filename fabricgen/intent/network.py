"""Addressing and routing of the intent."""

from typing import Annotated, Any, Literal

from netaddr import IPNetwork
from pydantic import AfterValidator, BeforeValidator, Field

from fabricgen.intent.topology import Ecmp
from fabricgen.intent.types import Address, Asn, Intent, Network, refuse

UNNUMBERED: Literal["unnumbered"] = "unnumbered"
"""Links between switches without addresses of their own."""


def _of_version(version: int) -> AfterValidator:
    """Refuse a network of the other family."""

    def check(value: IPNetwork) -> IPNetwork:
        if value.version != version:
            raise refuse(f"is an IPv{value.version} pool; IPv{version} is meant here")
        return value

    return AfterValidator(check)


Pool4 = Annotated[Network, _of_version(4)]
Pool6 = Annotated[Network, _of_version(6)]


class Pools(Intent):
    """A pool of addresses in each family; written as one prefix, or as a map of both."""

    ipv4: Annotated[Pool4 | None, Field(description="IPv4 pool")] = None
    ipv6: Annotated[Pool6 | None, Field(description="IPv6 pool")] = None


class LoopbackPools(Pools):
    """Pools of the switches' loopbacks."""

    ipv4: Annotated[Pool4 | None, Field(description="IPv4 pool")] = IPNetwork("10.255.0.0/16")


class FabricLinkPools(Pools):
    """Pools of the links between switches."""

    ipv4: Annotated[Pool4 | None, Field(description="IPv4 pool, a /31 per link")] = IPNetwork("10.0.0.0/10")
    ipv6: Annotated[Pool6 | None, Field(description="IPv6 pool, a /127 per link")] = None


class HostLinkPools(Pools):
    """Pools of the links between NICs and leafs."""

    ipv4: Annotated[Pool4 | None, Field(description="IPv4 pool, a /31 per NIC port")] = IPNetwork("172.16.0.0/12")
    ipv6: Annotated[Pool6 | None, Field(description="IPv6 pool, a /127 per NIC port")] = None


def _pools(value: Any) -> Any:
    """One prefix stands for the pool of its family."""
    if not isinstance(value, str) or value == UNNUMBERED:
        return value
    return {"ipv6" if ":" in value else "ipv4": value}


class Management(Intent):
    """Pool of the switches' management addresses and the gateway in it."""

    pool: Annotated[Network, Field(description="Management address pool")]
    gateway: Annotated[
        Literal["first", "last"] | Address, Field(description="first or last address of the pool, or an address")
    ] = "first"


def _management(value: Any) -> Any:
    return {"pool": value} if isinstance(value, str) else value


class Addressing(Intent):
    """Where every address comes from."""

    families: Annotated[
        list[Literal["ipv4", "ipv6"]], Field(min_length=1, description="Address families of the fabric")
    ] = ["ipv4"]
    loopbacks: Annotated[
        LoopbackPools,
        BeforeValidator(_pools, json_schema_input_type=str | LoopbackPools),
        Field(description="Loopbacks of the switches: a pool, or {ipv4, ipv6}"),
    ] = Field(default_factory=LoopbackPools)
    fabric_links: Annotated[
        FabricLinkPools | Literal["unnumbered"],
        BeforeValidator(_pools, json_schema_input_type=str | FabricLinkPools),
        Field(description="Links between switches: a pool, {ipv4, ipv6}, or unnumbered"),
    ] = Field(default_factory=FabricLinkPools)
    host_links: Annotated[
        HostLinkPools,
        BeforeValidator(_pools, json_schema_input_type=str | HostLinkPools),
        Field(description="Links between NICs and leafs: a pool, or {ipv4, ipv6}"),
    ] = Field(default_factory=HostLinkPools)
    management: Annotated[
        Management,
        BeforeValidator(_management, json_schema_input_type=str | Management),
        Field(description="Pool, or {pool, gateway}"),
    ] = Field(default_factory=lambda: Management(pool=IPNetwork("192.168.0.0/16")))


class AsnPlan(Intent):
    """How autonomous system numbers are given."""

    scheme: Annotated[
        Literal["rfc7938"], Field(description="Leafs unique, spines shared per pod and plane, upper tiers shared")
    ] = "rfc7938"
    base: Annotated[Asn, Field(description="First number")] = 4_200_000_000


class Routing(Intent):
    """BGP as the fabric runs it."""

    asn: AsnPlan = Field(default_factory=AsnPlan)
    bfd: Annotated[Literal["auto", "on", "off"], Field(description="auto: where both ends of a link can")] = "auto"
    hosts: Annotated[Literal["static", "bgp"], Field(description="How hosts learn their routes")] = "static"
    ecmp: Ecmp = Field(default_factory=Ecmp)
