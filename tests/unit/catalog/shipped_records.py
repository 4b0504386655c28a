"""Shared by the catalog tests: loading shipped records, and writing port rows the way a port table has them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from fabricgen.catalog import Catalog, known_models, load_catalog
from fabricgen.catalog.ports import named_for
from fabricgen.catalog.records import Cage, Mode, Sku, SwitchModel
from fabricgen.diagnostics import Bag

PORT_TABLES = (
    "arista_7060dx5_64s", "arista_7060x6_64pe", "arista_7060x6_64pe_b", "dell_z9664f", "dell_z9864f",
    "nokia_ixr7220_h5_64d", "nokia_ixr7220_h5_64o", "nokia_ixr7220_h6_128", "nvidia_sn5400", "nvidia_sn5600",
)  # fmt: skip
"""Models with lanes and port profiles that the judges have tables of."""

OWN_TABLES = ("nvidia_sn3700", "nvidia_sn4700", "nvidia_sn5640", "nvidia_sn6600_ld")
"""Further such models: the digests are of the vendor's port_config.ini."""

NUMBERED = ("meta_minipack2", "meta_minipack3", "meta_wedge400")
"""Models whose maker numbers ports in advance, and that the judges have tables of."""

OWN_NUMBERED = ("meta_icecube800bc", "meta_minipack3n", "meta_wedge400_grandteton")
"""Further such models: the digests are of the maker's platform mapping."""


@cache
def everything() -> tuple[Catalog, Bag]:
    bag = Bag()
    catalog = load_catalog(
        switches={name: ("tiers", name, "model") for name in known_models("switches")},
        nics={name: ("hosts", name, "nic") for name in known_models("nics")},
        servers={name: ("hosts", name, "server") for name in known_models("servers")},
        ecn_profiles=dict.fromkeys(known_models("ecn"), ("lossless", "ecn")),
        bag=bag,
    )
    return catalog, bag


def mode_of_cage(cage: Cage, sku: Sku) -> Mode | None:
    """The mode a port profile gives a cage; None if the cage does not exist in that profile."""
    text = sku.mode_by_cage.get(cage.index)
    if text is None:
        return None
    known = next((mode for mode in cage.modes if mode.text == text), None)
    return known or next((named_for(cage, mode) for mode in sku.own_modes if mode.text == text), None)


class LogicalPort(NamedTuple):
    """A logical port of a cage.

    ``number``: the cage's base plus the offset of the port's first lane: the number in port names. ``lanes``: serdes
    numbers of the ASIC; empty where the catalog does not know them. ``subport``: 0 if the port has the cage for itself,
    else 1 and up in lane order.
    """

    number: int
    lanes: tuple[int, ...]
    alias: str
    index: int
    speed_gbps: int
    subport: int


def logical_ports(cage: Cage, mode: Mode) -> tuple[LogicalPort, ...]:
    """Split a cage by a mode; every port takes its lanes in order.

    Source:
        sonic-net/sonic-buildimage, src/sonic-config-engine, portconfig.
    """
    ports: list[LogicalPort] = []
    at = 0
    for position, port in enumerate(mode.ports):
        ports.append(
            LogicalPort(
                number=cage.base + at,
                lanes=cage.lanes[at : at + port.lanes],
                alias=mode.aliases[position] if mode.aliases else "",
                index=cage.index,
                speed_gbps=port.speed_gbps,
                subport=position + 1 if len(mode.ports) > 1 else 0,
            )
        )
        at += port.lanes
    return tuple(ports)


def port_rows(model: SwitchModel, sku: Sku) -> dict[str, dict[str, str]]:
    """The rows of a port profile as a vendor's port table has them."""
    rows: dict[str, dict[str, str]] = {}
    for cage in model.cages:
        mode = mode_of_cage(cage, sku)
        for port in logical_ports(cage, mode) if mode else ():
            row: dict[str, Any] = {
                "lanes": ",".join(map(str, port.lanes)),
                "alias": port.alias,
                "index": str(port.index),
                "speed": str(port.speed_gbps * 1000),
                "subport": str(port.subport),
            }
            if port.speed_gbps in sku.fec_by_gbps:
                row["fec"] = sku.fec_by_gbps[port.speed_gbps]
            if port.speed_gbps in sku.autoneg_by_gbps:
                row["autoneg"] = sku.autoneg_by_gbps[port.speed_gbps]
            rows[f"Ethernet{port.number}"] = row
    return rows


def numbered_ports(model: SwitchModel) -> dict[str, dict[str, Any]]:
    """The ports a maker numbers in advance, as its platform mapping has them."""
    return {
        f"{cage.name}/{port.suffix}": {
            "logicalID": cage.base + port.offset,
            "controllingPort": cage.base + port.controller_offset,
            "portType": port.kind,
            "profiles": list(port.profiles),
            "subsumes": {
                profile: [cage.base + offset for offset in offsets]
                for profile, offsets in port.subsumed_by_profile.items()
            },
        }
        for cage in model.cages
        for port in cage.numbered
    }
