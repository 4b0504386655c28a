"""The README of an inventory that a paper or guide published: its figures beside the computed ones, and a drawing.

Input: ``published.yaml`` of the inventory, with ``title``, ``about``, ``sources`` (address or reference by letter),
``figures`` (``what``, ``key`` of ``published_facts``, ``published`` as printed, ``source``, and ``overlay`` if the
fabric has it under that one), ``differs`` where something public is not so here (``what``, ``published``, ``here`` and
``because``), ``chosen`` (what is not public: ``what``, ``instead`` and ``because``), ``remarks`` (why a remark of
``fabricgen validate`` stays, by code) and ``overlay_remarks`` (the same of those that an overlay adds).
Entry point: ``published_page``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from tools.docs.published_facts import Figure, list_facts

FILE = "published.yaml"
_REMARKED = ("code", "why it stays")
WIDTH = 44
"""Columns of a box of the drawing."""


def published_page(folder: Path) -> str:
    """Return README.md of an inventory.

    Args:
        folder: The inventory, which has a ``published.yaml`` and compiles without errors.
    """
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
