"""Addressing and routing of the intent."""

from typing import Annotated, Any, Literal

from netaddr import IPAddress, IPNetwork
from pydantic import AfterValidator, BeforeValidator, Field

from fabricgen.intent.topology import Ecmp
from fabricgen.intent.types import Address, Asn, Identifier, Intent, Network, SecretRef
from fabricgen.validation.forms import Or, refuse

UNNUMBERED: Literal["unnumbered"] = "unnumbered"
"""Links between switches without addresses of their own."""


def _of_version(version: int) -> AfterValidator:
    """Refuse a network of the other family."""

    def check(value: IPNetwork) -> IPNetwork:
        if value.version != version:
            raise refuse(f"is an IPv{value.version} pool; expected an IPv{version} pool")
        return value

    return AfterValidator(check)


Pool4 = Annotated[Network, _of_version(4)]
Pool6 = Annotated[Network, _of_version(6)]


class Pools(Intent):
    """A pool of addresses in each family; written as one prefix, or as a map of both."""

    ipv4: Annotated[Pool4 | None, Field(description="IPv4 pool")] = None
    ipv6: Annotated[Pool6 | None, Field(description="IPv6 pool")] = None


def _default(pool: str) -> Any:
    """The pool if the intent sets none; a map replaces it whole, so that an overlay never brings a default back."""
    return Field(default_factory=lambda: Pools(ipv4=IPNetwork(pool)))


def _pools(value: Any) -> Any:
    """One prefix stands for the pool of its family."""
    if isinstance(value, str):
        return {"ipv6" if ":" in value else "ipv4": value}
    if isinstance(value, dict | Pools):
        return value
    raise refuse("is neither an address pool, such as 10.0.0.0/12, nor a mapping of ipv4 and ipv6")


_Pools = Annotated[Pools, BeforeValidator(_pools, json_schema_input_type=str | Pools)]


class Management(Intent):
    """Pool of the switches' management addresses and the gateway in it."""

    pool: Annotated[Network, Field(description="Management address pool")]
    gateway: Annotated[
        Literal["first", "last"] | IPAddress,
        Or(("first", "last"), Address, "an IP address"),
        Field(description="first or last address of the pool, or an address"),
    ] = "first"


def _management(value: Any) -> Any:
    return {"pool": value} if isinstance(value, str) else value


Dimension = Literal["zone", "pod", "unit", "plane", "group", "index", "host", "port"]
"""Dimensions that devices and links are counted along: the variables of names, and a device's links."""


class Series(Intent):
    """Numbers of one tier apart from the others, or in an order of their own."""

    order: Annotated[
        Annotated[list[Dimension], Field(max_length=8)] | None,
        Field(description="What numbers count along, the outermost first; as without a series if left out"),
    ] = None
    strides: Annotated[
        dict[Dimension, Annotated[int, Field(ge=1, le=2**32)]],
        Field(max_length=8, description="Numbers from one member of a dimension to the next; the least if left out"),
    ] = {}


class AddressSeries(Series):
    """Addresses of one tier in a pool; written as the first one, or as a map."""

    first: Annotated[
        Address | None,
        Field(description="First address, in either family; of links that of the upper end, even or odd"),
    ] = None


class AsnSeries(Series):
    """AS numbers of one tier; written as the first one, or as a map."""

    first: Annotated[Asn | None, Field(description="First AS number, routing.asn.base if left out")] = None


def _first(value: Any) -> Any:
    """A bare number stands for the series that begins with it."""
    return {"first": value} if isinstance(value, str | int) and not isinstance(value, bool) else value


_Addresses = Annotated[AddressSeries, BeforeValidator(_first, json_schema_input_type=Address | AddressSeries)]
_AsNumbers = Annotated[AsnSeries, BeforeValidator(_first, json_schema_input_type=Asn | AsnSeries)]


class AddressingIntent(Intent):
    """Sources of every address."""

    families: Annotated[
        list[Literal["ipv4", "ipv6"]], Field(min_length=1, max_length=8, description="Address families of the fabric")
    ] = ["ipv4"]
    loopbacks: Annotated[_Pools, Field(description="Loopbacks of the switches: a pool, or {ipv4, ipv6}")] = _default(
        "10.255.0.0/16"
    )
    fabric_links: Annotated[
        Pools | Literal["unnumbered"],
        Or((UNNUMBERED,), _Pools, "an address pool, such as 10.0.0.0/12"),
        Field(description="Links between switches: a pool, {ipv4, ipv6}, or unnumbered"),
    ] = _default("10.0.0.0/10")
    host_links: Annotated[_Pools, Field(description="Links between NICs and leafs: a pool, or {ipv4, ipv6}")] = (
        _default("172.16.0.0/12")
    )
    management: Annotated[
        Management,
        BeforeValidator(_management, json_schema_input_type=str | Management),
        Field(description="Pool, or {pool, gateway}"),
    ] = Field(default_factory=lambda: Management(pool=IPNetwork("192.168.0.0/16")))
    series: Annotated[
        dict[Identifier, dict[Literal["loopbacks", "fabric_links", "host_links", "management"], _Addresses]],
        Field(max_length=8, description="Addresses of a tier apart from the others: by tier and pool"),
    ] = {}


class AsnPlan(Intent):
    """Assignment of autonomous system numbers."""

    scheme: Annotated[
        Literal["rfc7938"], Field(description="Leafs unique, spines shared per pod and plane, upper tiers shared")
    ] = "rfc7938"
    base: Annotated[Asn, Field(description="First number")] = 4_200_000_000
    series: Annotated[
        dict[Identifier, _AsNumbers],
        Field(max_length=8, description="AS numbers of a tier apart from the others"),
    ] = {}


class RoutingSecurity(Intent):
    """Protection of the BGP sessions; both ends of a session have the same."""

    ttl: Annotated[
        Literal["auto", "on", "off"],
        Field(description="GTSM, packets with TTL 255 only; auto: where both ends of a link can"),
    ] = "auto"
    key: Annotated[
        SecretRef | None,
        Field(description="MD5 password of the sessions, as a secret reference, where both ends of a link can"),
    ] = None


def _hold(value: int) -> int:
    if 0 < value < 3:
        raise refuse("is no hold time; expected 0, or a whole number from 3 to 3600")
    return value


def _seconds(longest: int) -> Or:
    """Return what reads auto, or seconds."""
    return Or(("auto",), Annotated[int, Field(ge=1, le=longest)], f"a whole number from 1 to {longest}, seconds")


class BgpTimers(Intent):
    """Timers of every BGP session; the defaults are those of FRR's datacenter profile (bgpd/bgp_vty.c)."""

    keepalive_s: Annotated[
        Literal["auto"] | int, _seconds(1200), Field(description="Between keepalives; auto is a third of hold_s")
    ] = "auto"
    hold_s: Annotated[
        int,
        Field(ge=0, le=3600, description="Until a silent neighbour is lost; 0: only BFD notices"),
        AfterValidator(_hold),
    ] = 9
    connect_retry_s: Annotated[
        Literal["auto"] | int, _seconds(65535), Field(description="Between attempts; auto is 10 where it can be set")
    ] = "auto"
    advertisement_s: Annotated[int, Field(ge=0, le=600, description="Least time between updates to a neighbour")] = 0

    @property
    def keepalive(self) -> int:
        """Seconds between keepalives."""
        return self.hold_s // 3 if self.keepalive_s == "auto" else self.keepalive_s


class Routing(Intent):
    """BGP as the fabric runs it."""

    asn: AsnPlan = Field(default_factory=AsnPlan)
    bfd: Annotated[Literal["auto", "on", "off"], Field(description="auto: where both ends of a link can")] = "auto"
    timers: BgpTimers = Field(default_factory=BgpTimers)
    security: RoutingSecurity = Field(default_factory=RoutingSecurity)
    hosts: Annotated[
        Literal["static", "bgp"], Field(description="static: a table per rail; bgp: a session with each leaf")
    ] = "static"
    unreachability: Annotated[
        Literal["on", "off"],
        Field(description="on: leafs announce lost prefixes of their plane to each other by BGP, to NICs by LLDP"),
    ] = "off"
    ecmp: Ecmp = Field(default_factory=Ecmp)
