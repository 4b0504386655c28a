"""Addressing and routing of the intent."""

from typing import Annotated, Any, Literal

from netaddr import IPNetwork
from pydantic import BeforeValidator, Field

from fabricgen.intent.topology import Ecmp
from fabricgen.intent.types import Address, Asn, Intent, Network


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
    loopbacks: Annotated[Network, Field(description="Loopbacks of the switches")] = IPNetwork("10.255.0.0/16")
    fabric_links: Annotated[
        Network | Literal["unnumbered"], Field(description="/31 links between switches, or unnumbered")
    ] = IPNetwork("10.0.0.0/10")
    host_links: Annotated[Network, Field(description="/31 links between NICs and leafs")] = IPNetwork("172.16.0.0/12")
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
    bfd: Annotated[Literal["auto", "on", "off"], Field(description="auto: on where the platform runs it")] = "auto"
    hosts: Annotated[Literal["static", "bgp"], Field(description="How hosts learn their routes")] = "static"
    ecmp: Ecmp = Field(default_factory=Ecmp)
