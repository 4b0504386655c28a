"""Catalog files of switches."""

from __future__ import annotations

from collections.abc import Callable

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.buffer_tables import read_buffers, read_headroom
from fabricgen.catalog.cage_table import read_cages
from fabricgen.catalog.modes import parse_numbers
from fabricgen.catalog.provenance import read_id, read_provenance
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import Asic, EcnProfile, Provenance, SwitchModel
from fabricgen.catalog.sku_table import read_boards, read_skus

FindAsic = Callable[[str], Asic | None]
FindEcnProfile = Callable[[str], EcnProfile | None]

_NO_ASIC = Asic("", "", Provenance(""))
"""Stands in while the rest of the file is read, so that all its faults come at once."""


def read_switch(root: Table, file_id: str, find_asic: FindAsic, find_ecn_profile: FindEcnProfile) -> SwitchModel | None:
    """Build the record of a switch.

    Args:
        root: The switch file.
        file_id: The name it was found by.
        find_asic: Gives the ASIC of a name; None if the catalog has none.
        find_ecn_profile: The same for ECN profiles.

    Returns:
        The record, or None if its ASIC is not known.
    """
    cages = read_cages(root)
    boards = read_boards(root)
    skus = read_skus(root, boards, cages)
    sku_names = frozenset(sku.name for sku in skus)
    asic = _asic(root, find_asic)
    record = SwitchModel(
        id=read_id(root, file_id),
        asic=asic,
        platforms=root.words("platforms"),
        cages=cages,
        provenance=read_provenance(root),
        boards=boards,
        skus=skus,
        buffers=read_buffers(root, sku_names),
        headroom=read_headroom(root, sku_names),
        ecn_profiles=_ecn_profiles(root, find_ecn_profile),
        port_profiles=_port_profiles(root),
        copper_m_by_lane_gbps=_calibrated(root),
        product=root.text("product") if root.has("product") else "",
    )
    return record if asic.id else None


def _asic(root: Table, find_asic: FindAsic) -> Asic:
    name = root.text("asic")
    asic = find_asic(name) if name else None
    if name and asic is None:
        hint = f"add or correct asics/{name}.yaml in the catalog folder"
        root.fault(codes.UNKNOWN_RECORD, f"the catalog has no usable ASIC {name}", "asic", hint=hint)
    return asic or _NO_ASIC


def _ecn_profiles(root: Table, find_ecn_profile: FindEcnProfile) -> tuple[EcnProfile, ...]:
    """Read which profile holds at which speed, and fill the speed in."""
    profiles: list[EcnProfile] = []
    for gbps, name in root.by_speed("ecn_profiles", optional=True).items():
        profile = find_ecn_profile(name)
        if profile is None:
            hint = f"add or correct ecn/{name}.yaml in the catalog folder"
            message = f"the catalog has no usable ECN profile {name}"
            root.fault(codes.UNKNOWN_RECORD, message, "ecn_profiles", f"{gbps}G", hint=hint)
        elif profile.speed_gbps not in (0, gbps):
            message = f"ECN profile {name} is for {profile.speed_gbps}G"
            root.fault(codes.BROKEN_REFERENCE, message, "ecn_profiles", f"{gbps}G")
        else:
            profiles.append(profile._replace(speed_gbps=gbps))
    return tuple(profiles)


def _calibrated(root: Table) -> dict[int, tuple[int, ...]]:
    """Read the lengths of copper that the maker has calibrated, in metres, by rate of a lane."""
    found = {}
    for gbps, text in root.by_speed("copper_calibrated_m", optional=True).items():
        lengths = parse_numbers(text.replace(" ", ","))
        if lengths is None:
            root.fault(codes.BAD_VALUE, f"{text!r} are no lengths in metres", "copper_calibrated_m", f"{gbps}G")
        found[gbps] = lengths or ()
    return found


def _port_profiles(root: Table) -> dict[int, str]:
    """Read ``number name`` lines: the port profiles the maker's software knows."""
    profiles: dict[int, str] = {}
    for position, line in enumerate(root.lines("port_profiles", optional=True)):
        number, _, name = line.partition(" ")
        if not (number.isdecimal() and name.isidentifier()):
            root.fault(codes.BAD_VALUE, f"{line!r} is not of the form 'number NAME'", "port_profiles", position)
            continue
        profiles[int(number)] = name
    return profiles
