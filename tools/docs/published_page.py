"""The README of an inventory that a paper or guide published: its figures beside the computed ones, and a drawing.

Input: ``published.yaml`` of the inventory, with ``title``, ``about``, ``sources`` (address or reference by letter),
``figures`` (``what``, ``key`` of ``list_facts``, ``published`` as printed, ``source``, and ``overlay`` if the
fabric has it under that one), ``differs`` where something public is not so here (``what``, ``published``, ``here`` and
``because``), ``chosen`` (what is not public: ``what``, ``instead`` and ``because``), ``remarks`` (why a remark of
``fabricgen validate`` stays, by code) and ``overlay_remarks`` (the same of those that an overlay adds).
Entry point: ``published_page``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from fabricgen.analysis.capacity import summarize
from fabricgen.api import compile_inventory
from fabricgen.catalog import Catalog
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId
from fabricgen.tables.scale_up import find_scale_up

Figure = int | float | str
"""A count, a ratio, or both sides of a ratio as ``16:15``."""


def list_facts(plan: FabricPlan, catalog: Catalog | None) -> dict[str, Figure]:
    """Return every figure of a plan by its name.

    Names are those of ``fabricgen show INVENTORY summary --format json`` with dots for levels (``by_tier.leaf``), and

    * ``unit.gpus``, ``pod.gpus``, ``pod.hosts``, ``unit.leaf``, ``pod.spine``: what the first unit and pod have;
    * ``leaf.down``, ``leaf.up``, ``spine.down_gbps``: ports of the first switch of a tier, and the rate of one;
    * ``leaf.up_spare``: uplinks of that switch that may fail while the rest carries what the ports down bring;
    * ``host.nics``, ``host.nic_gbps``: rails of a host, and the rate of all ports of one NIC;
    * ``host.nvlink_hosts``: hosts that one NVLink switch fabric can join;
    * ``tiers``, ``links.host-leaf``: how many tiers of switches there are, and the medium of cables;
    * ``lossless.mode``, ``lossless.classes``, ``lossless.watchdog_ms``: the contract;
    * ``collectives.qps``: queue pairs of a connection.
    """
    scale_up = {name: each._asdict() for name, each in find_scale_up(plan, catalog).items()}
    summary = asdict(summarize(plan, 0)) | {"scale_up": scale_up}
    return dict([*_flatten(summary), *_parts(plan), *_switches(plan), *_hosts(plan), *_everywhere(plan)])


def _flatten(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Figure]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{above}{name}.")
        elif value is not None:
            yield above + name, value


def _parts(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    """Yield what the first unit and the first pod have; spare hosts do not count."""
    hosts = [host for host in plan.all_hosts() if host.host < plan.hosts[host.group].per_unit]
    for part, units in (("unit", 1), ("pod", None)):
        inside = [host for host in hosts if not (host.where.zone or host.where.pod or (units and host.where.unit))]
        yield f"{part}.hosts", len(inside)
        yield f"{part}.gpus", sum(plan.hosts[host.group].gpus for host in inside)
        for tier in plan.tiers:
            of_first = tier.counts._replace(zone=1, pod=1, unit=units or tier.counts.unit)
            yield f"{part}.{tier.name}", tier._replace(counts=of_first).size


def _switches(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    """Yield the ports of the first switch of each tier, by side."""
    lowering = Lowering(plan)
    for tier in plan.tiers:
        shapes = [port.shape for port in lowering.lower_switch(DeviceId(tier.number, Coordinates())).ports]
        for side in ("down", "up"):
            rates = [shape.speed_gbps for shape in shapes if shape.side == side]
            if rates:
                yield f"{tier.name}.{side}", len(rates)
                yield f"{tier.name}.{side}_gbps", max(rates)
        both = [sum(shape.speed_gbps for shape in shapes if shape.side == side) for side in ("up", "down")]
        if all(both):
            yield f"{tier.name}.up_of_down", float(Fraction(*both))
            yield f"{tier.name}.up_spare", (both[0] - both[1]) // plan.links[tier.number + 1].speed_gbps


def _hosts(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    group = plan.hosts[0]
    yield "host.gpus", group.gpus
    yield "host.nics", len(group.rails)
    yield "host.nic_gbps", group.nic_ports * group.link.speed_gbps
    yield "host.nvlink_gpus", group.gpus * group.nvlink_hosts
    yield "host.nvlink_hosts", group.nvlink_hosts


def _everywhere(plan: FabricPlan) -> Iterator[tuple[str, Figure]]:
    """Yield what is the same on every device."""
    yield "tiers", len(plan.tiers)
    names = ("host", *(tier.name for tier in plan.tiers))
    for lower, upper, links in zip(names, names[1:], plan.links, strict=False):
        yield f"links.{lower}-{upper}", links.media
    yield "lossless.mode", plan.contract.mode
    yield "lossless.classes", len(plan.contract.lossless)
    yield "lossless.watchdog_ms", plan.watchdog.detection_ms
    yield "collectives.qps", plan.collectives.qps_per_connection


FILE = "published.yaml"
_REMARKED = ("code", "why it stays")
WIDTH = 44
"""Columns of a box of the drawing."""


def published_page(folder: Path) -> str:
    """Return README.md of an inventory."""
    page = YAML(typ="safe").load(folder / FILE)
    plan, facts = _compile_under(folder)
    parts = [
        f"# {page['title']}\n\n{page['about'].strip()}\n",
        "```text\n" + "\n".join(_draw(plan, facts)) + "\n```\n",
        "## Published and computed\n\n" + _table(("figure", "published", "computed", "source"), _figures(page, folder)),
        *_differences(page),
        "## Not public, and chosen here\n\n" + _table(("what", "here", "because"), _chosen(page)),
        "## Remarks of `fabricgen validate`\n\n" + _table(_REMARKED, _remarks(page)),
        "## Sources\n\n" + "".join(f"- **{name}**: {source}\n" for name, source in page["sources"].items()),
        "This page is written by `make docs` from `published.yaml` and the plan. Begin with your own copy:\n\n"
        f"```sh\nfabricgen init my-fabric --blueprint {folder.name}\n```\n",
    ]
    return "\n".join(parts)


def _compile_under(folder: Path, *overlays: str) -> tuple[FabricPlan, Mapping[str, Figure]]:
    """Return the plan of an inventory under overlays, and its figures."""
    made = compile_inventory(folder, overlays, Bag())
    if made is None or made.plan is None:
        raise ValueError(f"{folder} does not compile")
    return made.plan, list_facts(made.plan, made.catalog)


def _figures(page: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, ...]]:
    under = {row.get("overlay") for row in page["figures"]}
    facts = {overlay: _compile_under(folder, *filter(None, (overlay,)))[1] for overlay in under}
    for row in page["figures"]:
        overlay = row.get("overlay")
        what = f"{row['what']} (`{overlay}`)" if overlay else row["what"]
        yield what, _print(row["published"]), _print(facts[overlay][row["key"]]), row["source"]


def _differences(page: Mapping[str, Any]) -> Iterator[str]:
    """Yield the section of what is published and not reproduced, where there is something."""
    rows = [(row["what"], row["published"], row["here"], row["because"]) for row in page.get("differs", ())]
    if rows:
        yield "## Published, and different here\n\n" + _table(("what", "published", "here", "because"), iter(rows))


def _remarks(page: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for overlay, remarks in (("", page["remarks"]), *page.get("overlay_remarks", {}).items()):
        for code, because in sorted(remarks.items()):
            under = f" (`{overlay}`)" if overlay else ""
            yield f"[{code}](../../docs/codes.md#{code.lower()}){under}", because


def _chosen(page: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for row in page["chosen"]:
        yield row["what"], row["instead"], row["because"]


def _print(figure: Figure) -> str:
    return figure if isinstance(figure, str) else f"{figure:,}"


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, ("---",) * len(head), *rows))


def _draw(plan: FabricPlan, facts: Mapping[str, Figure]) -> Iterator[str]:
    """Yield a box per tier, from the top, and what joins it to the next."""
    for tier in reversed(plan.tiers):
        yield from _box(f"{tier.name}: {tier.size:,} × {tier.model}", tier.platform)
        below = plan.links[tier.number]
        ups = (
            f"{facts[f'{plan.tiers[tier.number - 1].name}.up']} up"
            if tier.number
            else _count(facts["host.nics"], "NIC")
        )
        yield f"{'│':>{WIDTH // 2}}  {below.speed_gbps}G: {facts[f'{tier.name}.down']} down, {ups}; {below.media}"
    for group in plan.hosts:
        size = f"{group.per_unit} per {plan.unit_name}"
        yield from _box(
            f"{group.name}: {group.server}, {size}", f"{_count(group.gpus, 'GPU')}, {len(group.rails)} × {group.nic}"
        )


def _count(number: Figure, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _box(*lines: str) -> Iterator[str]:
    yield "┌" + "─" * (WIDTH - 2) + "┐"
    yield from (f"│{line:^{WIDTH - 2}}│" for line in lines)
    yield "└" + "─" * (WIDTH - 2) + "┘"
