"""Catalog files of switches: what differs between file and record."""

from collections.abc import Callable
from typing import Annotated, NamedTuple

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.buffer_tables import HeadroomEntry, check_buffers, read_headroom
from fabricgen.catalog.cage_table import CageGroup, expand_cages
from fabricgen.catalog.forms import Lengths, PortProfiles, Speed, Text, Words
from fabricgen.catalog.records import Asic, Board, BufferSet, EcnProfile, Provenance, SwitchModel
from fabricgen.catalog.sku_table import SkuEntries, read_skus
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.records import ByName, Key, record


@record
class SwitchFile(NamedTuple):
    """A switch as a file has it: cages in groups, tables as texts, other records by name."""

    id: Text
    asic: Text
    platforms: Words
    cages: tuple[CageGroup, ...]
    provenance: Provenance
    boards: Annotated[tuple[Board, ...], ByName()] = ()
    skus: SkuEntries = {}  # noqa: RUF012 - never written to
    buffers: tuple[BufferSet, ...] = ()
    headroom: tuple[HeadroomEntry, ...] = ()
    ecn_profiles: dict[Speed, Text] = {}  # noqa: RUF012 - never written to
    port_profiles: PortProfiles = {}  # noqa: RUF012 - never written to
    copper_m_by_lane_gbps: Annotated[dict[Speed, Lengths], Key("copper_calibrated_m")] = {}  # noqa: RUF012 - never written to
    product: Text = ""


def build_switch(
    file: SwitchFile,
    faults: FileFaults,
    find_asic: Callable[[str], Asic | None],
    find_ecn_profile: Callable[[str], EcnProfile | None],
) -> SwitchModel | None:
    """Build the record of a switch; None if its ASIC is not known.

    Args:
        file: The switch file.
        faults: Takes what contradicts each other.
        find_asic: Gives the ASIC of a name; None if the catalog has none.
        find_ecn_profile: The same for ECN profiles.
    """
    cages = expand_cages(file.cages, faults)
    skus = read_skus(file.skus, file.boards, cages, faults)
    sku_names = frozenset(sku.name for sku in skus)
    buffers = check_buffers(file.buffers, sku_names, faults)
    headroom = read_headroom(file.headroom, sku_names, faults)
    ecn_profiles = _ecn_profiles(file, faults, find_ecn_profile)
    asic = find_asic(file.asic)
    if asic is None:
        _report_unknown("ASIC", f"asics/{file.asic}.yaml", faults, "asic")
        return None
    built = {"cages": cages, "skus": skus, "buffers": buffers, "headroom": headroom, "ecn_profiles": ecn_profiles}
    return SwitchModel(**file._asdict() | built | {"asic": asic})


def _ecn_profiles(
    file: SwitchFile, faults: FileFaults, find_ecn_profile: Callable[[str], EcnProfile | None]
) -> tuple[EcnProfile, ...]:
    """Return which profile holds at which speed, the speed filled in."""
    profiles: list[EcnProfile] = []
    for gbps, name in file.ecn_profiles.items():
        profile = find_ecn_profile(name)
        if profile is None:
            _report_unknown("ECN profile", f"ecn/{name}.yaml", faults, "ecn_profiles", f"{gbps}G")
        elif profile.speed_gbps not in (0, gbps):
            message = f"ECN profile {name} is for {profile.speed_gbps}G"
            faults.add(codes.BROKEN_REFERENCE, message, "ecn_profiles", f"{gbps}G")
        else:
            profiles.append(profile._replace(speed_gbps=gbps))
    return tuple(profiles)


def _report_unknown(noun: str, path: str, faults: FileFaults, *loc: str) -> None:
    name = path.partition("/")[2].removesuffix(".yaml")
    hint = f"add or correct {path} in the catalog folder"
    faults.add(codes.UNKNOWN_MODEL, f"the catalog has no usable {noun} {name}", *loc, hint=hint)
