"""Invariants of the addresses and AS numbers of a fabric, from the words of docs/intent.md."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from typing import Any

from .model import Model
from .records import Data

Row = dict[str, Any]
DEFAULT_POOLS = {
    "loopbacks": "10.255.0.0/16",
    "fabric_links": "10.0.0.0/10",
    "host_links": "172.16.0.0/12",
    "management": "192.168.0.0/16",
}
PRIVATE = (range(64_512, 65_535), range(4_200_000_000, 4_294_967_295))
"""RFC 6996."""
ADDRESSINGS: tuple[Data, ...] = (
    {},
    {},
    {"fabric_links": "unnumbered"},
    {"management": "192.168.0.0/17"},
    {"management": {"pool": "192.168.0.0/16", "gateway": "first"}},
    {"management": {"pool": "192.168.0.0/16", "gateway": "192.168.0.9"}},
    {"families": ["ipv4", "ipv6"], "loopbacks": {"ipv4": "10.255.0.0/16", "ipv6": "fd3a:91c4:7e02:ff::/64"},
        "fabric_links": {"ipv4": "10.0.0.0/12", "ipv6": "fd3a:91c4:7e02:1::/64"},
        "host_links": {"ipv4": "172.16.0.0/12", "ipv6": "fd3a:91c4:7e02:2::/64"}},
    {"families": ["ipv4", "ipv6"], "loopbacks": {"ipv4": "10.255.0.0/16", "ipv6": "fd3a:91c4:7e02:ff::/64"},
        "fabric_links": "unnumbered", "host_links": {"ipv4": "172.16.0.0/12", "ipv6": "fd3a:91c4:7e02:2::/64"}},
    {"families": ["ipv6"], "loopbacks": "fd3a:91c4:7e02:ff::/64", "fabric_links": "fd3a:91c4:7e02:1::/64",
        "host_links": "fd3a:91c4:7e02:2::/64", "management": {"pool": "192.168.0.0/16", "gateway": "last"}},
)  # fmt: skip
"""Families and pools to draw from."""


def wrong_addresses(model: Model, rows: Iterable[Row]) -> Iterator[str]:
    """Addresses that two have, that lie in no pool of their purpose, or in a family that nobody asked for."""
    pools = {name: list(_pools(model.data, name)) for name in DEFAULT_POOLS}
    owner: dict[str, str] = {}
    for row in rows:
        at, address = f"{row['device']} {row['interface']}", ipaddress.ip_address(row["address"])
        purpose = row["purpose"]
        if purpose.startswith("gateway of "):
            at = f"the {purpose} {ipaddress.ip_network((row['address'], row['length']), strict=False)}"
        if owner.setdefault(row["address"], at) != at:
            yield f"{at} and {owner[row['address']]} have {address}"
        kind = {"loopback": "loopbacks", "management": "management"}.get(purpose, "fabric_links")
        if purpose.endswith(f"-{model.tiers[0]}"):
            kind = "host_links"
        if not any(address in pool for pool in pools[kind]):
            yield f"{at} has {address}, which is not of {kind}"


def _pools(data: Data, name: str) -> Iterator[Any]:
    said = data.get("addressing", {}).get(name, DEFAULT_POOLS[name])
    if said == "unnumbered":
        return
    texts = [said] if isinstance(said, str) else [said[key] for key in ("ipv4", "ipv6", "pool") if key in said]
    yield from (ipaddress.ip_network(text) for text in texts)


def wrong_numbers(model: Model, found: dict[str, int]) -> Iterator[str]:
    """AS numbers that are shared or differ where they must not, or are not private.

    Every leaf has its own. Switches of an upper tier share one per scope and plane; where the links below are striped
    and a tier stands above, per stripe group too.
    """
    base = model.data.get("routing", {}).get("asn", {}).get("base", 4_200_000_000)
    home = next(numbers for numbers in PRIVATE if base in numbers)
    by_key: dict[object, int] = {}
    for name, number in found.items():
        switch = model.switches[name]
        place = switch.place
        apart = switch.tier != model.tiers[-1] and switch.tier != model.tiers[0] and model.stripe(switch.tier)
        shared = (switch.tier, place.zone, place.pod, place.plane, place.group if apart else 0)
        key: object = name if switch.tier == model.tiers[0] else shared
        if number not in home or number < base:
            yield f"{name} has AS {number}; numbers begin at {base}"
        if by_key.setdefault(key, number) != number:
            yield f"{name} has AS {number}, others of its kind {by_key[key]}"
    if len(set(by_key.values())) < len(by_key):
        yield f"some AS number is given twice: {by_key}"
