"""Rows of the asset list for what switches and hosts have of their own: names, AS numbers, loopbacks, management."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.device.model import Switch
from fabricgen.inference.match import Match
from fabricgen.platforms.found import FoundSwitch

COLUMNS = (
    *("hostname", "planned_name", "asn", "loopback", "loopback6", "router_id"),
    *("management_ip", "management_gateway"),
)
Row = dict[str, str]


def list_rows(match: Match, switches: Mapping[str, FoundSwitch], hosts: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each switch that has something otherwise than planned, and for each host of another name."""
    for name, found in sorted(match.found.items(), key=lambda item: match.ids[item[0]]):
        own = dict(_differing(match.planned[name], switches[found]))
        if own or name != found:
            yield {"hostname": found} | ({"planned_name": name} if name != found else {}) | own
    yield from ({"hostname": found, "planned_name": name} for name, found in hosts.items() if name != found)


def _differing(planned: Switch, found: FoundSwitch) -> Iterator[tuple[str, str]]:
    v4 = next((each for each in found.loopbacks if ":" not in each), "")
    v6 = next((each for each in found.loopbacks if ":" in each), "")
    follows = v4 or planned.router_id
    management = f"{planned.management}/{planned.management_len}"
    pairs = (
        ("asn", str(planned.asn), str(found.asn or "")),
        ("loopback", planned.loopback, v4),
        ("loopback6", planned.loopback6, v6),
        ("router_id", follows, found.router_id),
        ("management_ip", management, found.management),
        ("management_gateway", planned.management_gateway, found.gateway),
    )
    yield from ((column, own) for column, rule, own in pairs if own not in ("", rule))
