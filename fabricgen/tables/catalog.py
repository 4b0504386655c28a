"""Models, platforms and profiles that are known, as tables, and one of them with its sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, NamedTuple

from fabricgen.catalog import OwnFolder, load_catalog
from fabricgen.catalog.host_records import NicModel, NvlinkGeneration, ServerModel
from fabricgen.catalog.library import known_models
from fabricgen.catalog.loader import load_named
from fabricgen.catalog.records import Asic, EcnProfile, Provenance, SwitchModel, has_board, holds
from fabricgen.diagnostics import Bag
from fabricgen.plan.planner.ports import mode_for, switch_lanes
from fabricgen.platforms.manifest.discover import KINDS as PLATFORM_KINDS
from fabricgen.platforms.manifest.discover import find_roots
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.tables.sections import Row, Sections, pick

KINDS = ("switches", "nics", "servers", "platforms", "profiles", "asics", "nvlink")


class Known(NamedTuple):
    """Everything there is of each kind, by name."""

    switches: dict[str, SwitchModel]
    nics: dict[str, NicModel]
    servers: dict[str, ServerModel]
    platforms: dict[str, PlatformSpec]
    profiles: dict[str, EcnProfile]
    asics: dict[str, Asic]
    nvlink: dict[str, NvlinkGeneration]


def load_known(own: Sequence[OwnFolder], bag: Bag) -> Known:
    """Read every record and manifest; ``bag`` takes what is wrong with the user's own."""

    def named(kind: str) -> dict[str, tuple[str, ...]]:
        return dict.fromkeys(known_models(kind, own), ())

    found = Bag()
    catalog = load_catalog(
        switches=named("switches"),
        nics=named("nics"),
        servers=named("servers"),
        bag=found,
        own=own,
        ecn_profiles=named("ecn"),
    )
    asics, nvlink = (load_named(kind, known_models(kind, own), found, own) for kind in ("asics", "nvlink"))
    roots = find_roots(Bag())
    platforms: dict[str, PlatformSpec] = {}
    for kind in PLATFORM_KINDS:
        platforms |= load_all(kind, found, roots)
    bag.extend([item for item in found if item.severity.value == "error"])
    return Known(catalog.switches, catalog.nics, catalog.servers, platforms, catalog.ecn_profiles, asics, nvlink)


def count_kinds(known: Known) -> list[Row]:
    """Return how many there are of each kind."""
    return [{"kind": kind, "known": len(getattr(known, kind)), "list": f"fabricgen catalog {kind}"} for kind in KINDS]


def list_models(known: Known, kind: str) -> list[Row]:
    """Return a row for each record of a kind, by name."""
    rows: dict[str, Callable[[Any], Row]] = {
        "switches": partial(_switch_row, known),
        "nics": partial(_nic_row, known),
        "servers": _server_row,
        "platforms": partial(_platform_row, known),
        "profiles": _profile_row,
        "asics": _asic_row,
        "nvlink": _nvlink_row,
    }
    return [rows[kind](record) for _, record in sorted(getattr(known, kind).items())]


def show_model(known: Known, kind: str, name: str) -> Sections:
    """Return one record: what its row has, what it can in detail, and where that comes from."""
    record = getattr(known, kind)[name]
    row = next(row for row in list_models(known, kind) if row["name"] == name)
    sections: dict[str, list[Row]] = {"model": [{"field": key, "value": _text(value)} for key, value in row.items()]}
    if isinstance(record, SwitchModel):
        sections |= _switch_sections(known, record)
    if isinstance(record, PlatformSpec):
        sections["capabilities"] = [
            {"capability": field.name, "value": _text(answer), "because": record.lacks.get(field.name)}
            for field in fields(record.capabilities)
            for answer in [getattr(record.capabilities, field.name)]
        ]
    else:
        sections["sources"] = _source_rows(record.provenance)
        if isinstance(record, SwitchModel):
            sections["sources"] += _source_rows(record.asic.provenance, "asic.")
        if isinstance(record, ServerModel) and record.nvlink in known.nvlink:
            sections["sources"] += _source_rows(known.nvlink[record.nvlink].provenance, f"{record.nvlink}.")
    return Sections(name, sections)


def _switch_row(known: Known, model: SwitchModel) -> Row:
    asic = model.asic
    return {
        "name": model.id,
        "asic": asic.id,
        "ports": [f"{count}x{speed}G" for speed, count in _ports(model).items()],
        "buffer_mb": round(asic.buffer_bytes / 1e6, 1) if asic.buffer_bytes else None,
        "platforms": list(model.platforms),
        "releases": _releases(known, model),
        "unconfirmed": model.provenance.unsourced + [f"asic.{name}" for name in asic.provenance.unsourced],
    }


def _ports(model: SwitchModel) -> dict[int, int]:
    """The most links of each speed, the fastest first; service ports apart."""
    cages = [cage for cage in model.cages if not cage.service]
    speeds = {port.speed_gbps for cage in cages for mode in cage.modes for port in mode.ports}
    speeds |= {cage.native_gbps for cage in cages if not cage.modes}
    found = {}
    for speed in sorted(speeds, reverse=True):
        counts = [
            sum(len(mode.ports) if (mode := mode_for(cage, speed, lanes)) else int(not cage.modes) for cage in cages)
            for lanes in switch_lanes(model, speed)
        ]
        if counts:
            found[speed] = max(counts)
    return found


def _releases(known: Known, model: SwitchModel) -> list[str]:
    """Releases with a board for the model, of the platforms whose files depend on them."""
    found = [each for name in model.platforms if name in known.platforms for each in known.platforms[name].releases]
    return [each.name for each in found if has_board(model, each.name) and each.knows(f"model > {model.id}")]


def _switch_sections(known: Known, model: SwitchModel) -> dict[str, list[Row]]:
    boards: list[Row] = [
        {
            "board": board.name,
            "default_profile": board.default_sku,
            "since": board.span.since or None,
            "until": board.span.until or None,
        }
        for board in model.boards
    ]
    profiles: list[Row] = [
        {
            "profile": sku.name,
            "modes": [f"{count}x({mode})" for mode, count in Counter(sku.mode_by_cage.values()).items()],
            "since": sku.span.since or None,
            "until": sku.span.until or None,
            "buffers": any(sku.name in each.topologies_by_sku for each in model.buffers if holds(each.span, "")),
            "headroom": any(sku.name in table.skus for table in model.headroom),
        }
        for sku in model.skus
    ]
    ecn: list[Row] = [{"marking": profile.name, "speed": f"{profile.speed_gbps}G"} for profile in model.ecn_profiles]
    return {"boards": boards, "port_profiles": profiles, "marking": ecn}


def _nic_row(known: Known, nic: NicModel) -> Row:
    return {
        "name": nic.id,
        **pick(nic, "vendor", "ports"),
        "speeds": [f"{speed}G" for speed in sorted(nic.lanes_by_gbps, reverse=True)],
        **pick(nic, "mtu_max_bytes", "out_of_order"),
        "rendered": nic.family in known.platforms,
        "unconfirmed": nic.provenance.unsourced,
    }


def _server_row(server: ServerModel) -> Row:
    return {
        "name": server.id,
        "gpus": server.gpus,
        "gpu_vendor": server.gpu_vendor or None,
        "gpu_tflops": server.gpu_tflops or None,
        "gpu_memory_gbytes": server.gpu_memory_gbytes or None,
        "nics": len(server.rails),
        "pcie_gen": server.pcie_gen,
        "nvlink": server.nvlink or None,
        "nvlink_gbytes_s": server.nvlink_gbytes_s or None,
        "nvlink_servers": server.nvlink_hosts,
        "nvlink_levels": len(server.nvlink_levels) or None,
        "pci_addresses": all(slot.nic_bdf for slot in server.rails),
        "unconfirmed": server.provenance.unsourced,
    }


def _platform_row(known: Known, spec: PlatformSpec) -> Row:
    models = [name for name, model in sorted(known.switches.items()) if spec.name in model.platforms]
    return {
        "name": spec.name,
        "kind": spec.kind,
        "target": spec.target,
        "releases": [release.name for release in spec.releases],
        "switches": models if spec.kind == "switch" else [],
    }


def _profile_row(profile: EcnProfile) -> Row:
    return {
        "name": profile.name,
        "speed": f"{profile.speed_gbps}G" if profile.speed_gbps else "any",
        **pick(profile, "kmin_bytes", "kmax_bytes", "pmax_pct"),
        "platforms": list(profile.platforms) or ["any"],
    }


def _asic_row(asic: Asic) -> Row:
    return {
        "name": asic.id,
        **pick(asic, "vendor", "bandwidth_gbps", "buffer_bytes", "cell_bytes", "ecmp_width_max", "dlb_width_max"),
        "unconfirmed": asic.provenance.unsourced,
    }


def _nvlink_row(nvlink: NvlinkGeneration) -> Row:
    return {
        "name": nvlink.id,
        "gpus": list(nvlink.gpus),
        **pick(nvlink, "generation", "links", "link_gbytes_s"),
        "gbytes_s": nvlink.links * nvlink.link_gbytes_s,
        **pick(nvlink, "domain_gpus_max"),
        "unconfirmed": nvlink.provenance.unsourced,
    }


def _source_rows(provenance: Provenance, above: str = "") -> list[Row]:
    rows: list[Row] = [{"of": "all others", "confidence": provenance.confidence, "document": provenance.source}]
    rows += [{"of": field, "confidence": "sourced", "document": text} for field, text in provenance.sources.items()]
    rows += [{"of": field, "confidence": "unconfirmed", "document": None} for field in provenance.unconfirmed]
    return [{**row, "of": f"{above}{row['of']}"} for row in rows]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == []:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
