"""A sized fabric as rows: what it is, its tiers and cables, what is left, and the alternatives."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.diagnostics import Diagnostic, Severity, lookup
from fabricgen.diagnostics.words import and_list
from fabricgen.physics.traffic import training_days, training_flops
from fabricgen.sizing.ask import Option, Ranking
from fabricgen.sizing.fabric import FabricSize
from fabricgen.sizing.intent_text import ratio_text
from fabricgen.sizing.request import SizingRequest
from fabricgen.sizing.training import TrainingRun
from fabricgen.tables.sections import Row, Sections

ALTERNATIVES_SHOWN = 10
"""Lines of the table; other formats have all."""
TRAINING_SOURCE = "Kaplan et al. 2020, section 2.1; Hoffmann et al. 2022: 6 x parameters x tokens operations"
POWER_NOTE = "Power is not compared: no maker's figure of a switch is in the catalog."


def show_size(name: str, best: Option, ranking: Ranking, *, limit: int = 0) -> Sections:
    """Return everything about the best option, and at most ``limit`` other options after it; 0 has all of them."""
    size = best.size
    others = [option for option in ranking.options if option is not best]
    others = others[: limit or len(others)]
    sections: dict[str, list[Row]] = {
        "size": [_size_row(size)],
        "tiers": [_tier_row(size, number) for number in range(len(size.tiers))],
        "cables": _cable_rows(size),
        "growth": [_growth_row(size)],
        "remarks": list(remark_rows((*best.of_hosts, *best.remarks))),
        "alternatives": [_option_row(option) for option in others],
        "remark_titles": _title_rows(others),
    }
    return Sections(name, sections)


def training_row(run: TrainingRun, gpus: int) -> Row:
    """Return what a training run takes on some GPUs."""
    return {
        "parameters": round(run.parameters),
        "tokens": round(run.tokens),
        "operations": training_flops(run.parameters, run.tokens),
        "achieved_tflops_per_gpu": round(run.achieved_flops / 1e12, 1),
        "gpus": gpus,
        "days": round(training_days(run.parameters, run.tokens, run.achieved_flops, gpus), 1),
        "deadline_days": run.days or None,
        "source": TRAINING_SOURCE,
    }


def refused_rows(ranking: Ranking) -> list[Row]:
    """Return the switches and platforms that do not fit, and why."""
    return [
        {"switch": one.switch, "platform": one.platform, "why": one.unfit.why, "what_would": one.unfit.remedy}
        for one in ranking.refused
    ]


def remark_rows(found: Iterable[Diagnostic]) -> Iterable[Row]:
    """Yield what checks find in an intent; the same message of several places once."""
    seen = set()
    for item in found:
        if (item.code, item.message) not in seen:
            seen.add((item.code, item.message))
            yield {"code": item.code, "severity": item.severity.value, "remark": item.message, "hint": item.hint}


def _title_rows(options: Iterable[Option]) -> list[Row]:
    """Titles of the codes that alternatives have in their remarks."""
    found = {item.code: item.severity.value for option in options for item in option.remarks}
    return [
        {"code": code, "severity": severity, "title": entry.title}
        for code, severity in sorted(found.items())
        if (entry := lookup(code)) is not None
    ]


def summary(size: FabricSize) -> str:
    """Return the fabric in one line."""
    tiers = ", ".join(f"{tier.switches} {tier.name}{'s' if tier.switches != 1 else ''}" for tier in size.tiers)
    models = and_list(dict.fromkeys(tier.model for tier in size.tiers))
    return f"{size.gpus} GPUs: {size.shape.hosts} servers, {tiers} of {models}"


def left_to_do(best: Option) -> list[str]:
    """Return what a person has to add to the intent of an option before it is valid."""
    return [
        f"Left to do: {item.message} ({item.code}); {item.hint}."
        for item in best.of_hosts
        if item.severity is Severity.ERROR
    ]


def notes(request: SizingRequest, size: FabricSize) -> list[str]:
    """Return where the fabric is not as asked for: more GPUs, smaller units."""
    return [note for note in (_spare_note(request, size), _unit_note(request, size)) if note]


def _unit_note(request: SizingRequest, size: FabricSize) -> str:
    wanted, held = request.per_unit, size.shape.per_unit
    return (
        f"{wanted} servers of a unit are asked for; the leafs hold {held}." if wanted > held < size.shape.hosts else ""
    )


def _spare_note(request: SizingRequest, size: FabricSize) -> str:
    spare = size.gpus - request.gpus
    if not spare:
        return ""
    shape = size.shape
    units = f"{shape.all_units} equal units of {shape.per_unit}" if shape.all_units > 1 else f"{shape.per_unit} servers"
    return f"{request.gpus} GPUs are asked for; {units} hold {size.gpus}."


def _size_row(size: FabricSize) -> Row:
    request, shape = size.request, size.shape
    return {
        "gpus": size.gpus,
        "asked_gpus": request.gpus,
        "server": request.server.id,
        "servers": shape.hosts,
        "nic": request.nic.id,
        "planes": request.planes,
        "units": shape.all_units,
        "servers_per_unit": shape.per_unit,
        "pods": shape.pods or 1,
        "rails_per_leaf": shape.rails_per_leaf,
        "switches": size.switches,
        "optics": size.optics,
    }


def _tier_row(size: FabricSize, number: int) -> Row:
    tier = size.tiers[number]
    return {
        "tier": tier.name,
        "model": tier.model,
        "platform": size.boxes.platform,
        "switches": tier.switches,
        "down": f"{tier.down}x{tier.down_gbps}G",
        "up": f"{tier.up}x{tier.up_gbps}G" if tier.up else None,
        "oversubscription": ratio_text(tier.ratio) if tier.ratio is not None else None,
        "ports_left": tier.left,
    }


def _cable_rows(size: FabricSize) -> list[Row]:
    return [
        {
            "link": cable.link,
            "speed": f"{cable.speed_gbps}G",
            "media": cable.cable.media,
            "length_max_m": int(length) if (length := cable.cable.length_m) == int(length) else length,
            "cables": cable.number,
            "optics": cable.optics,
        }
        for cable in size.cables
    ]


def _growth_row(size: FabricSize) -> Row:
    what, now = {1: ("servers", size.shape.per_unit), 2: ("units", size.shape.units), 3: ("pods", size.shape.pods)}[
        size.shape.tiers
    ]
    return {"grows_by": what, "now": now, "room_for": size.growth, "gpus_now": size.gpus, "gpus_then": size.most_gpus}


def _option_row(option: Option) -> Row:
    size = option.size
    counts = [tier.switches for tier in size.tiers] + [0, 0]
    return {
        "switch": size.boxes.leaf.id,
        "platform": size.boxes.platform,
        "leafs": counts[0],
        "spines": counts[1],
        "cores": counts[2],
        "switches": size.switches,
        "optics": size.optics,
        "remarks": list(dict.fromkeys(item.code for item in option.remarks)),
    }
