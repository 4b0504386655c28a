"""From an inventory with its training jobs to a checked plan."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.catalog.loader import load_faults
from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.run import check_intent, check_plan, load_rules
from fabricgen.compiler.boxes import check_boxes
from fabricgen.compiler.catalogs import check_faults, complete_catalog, find_catalogs, place_at_record
from fabricgen.compiler.follow_ups import drop_follow_ups, name_each_place, unknown_names, without_faults
from fabricgen.compiler.waivers import apply_waivers, check_override_dates
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Related, register
from fabricgen.intent.assets import load_assets
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.load import load_intent
from fabricgen.intent.workload import load_placement, load_workload
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner import PlatformFacts, build_plan
from fabricgen.plan.planner.assets import build_assets, check_assets
from fabricgen.plan.planner.exceptions.patterns import spell_out
from fabricgen.plan.planner.ports import PortNames
from fabricgen.plan.planner.workload import JobRequest, build_workload, place_jobs
from fabricgen.platforms.manifest.capabilities import Copper, HeadroomSource, PathWeighting
from fabricgen.platforms.manifest.discover import discover_platforms, find_roots
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.source import Document, is_folder, load_data, load_document

NO_OVERLAY = register(
    "FG-SRC-040",
    "Unknown overlay",
    why="The inventory would be taken without the changes that were asked for.",
    fix="Name a file of the inventory's overlays folder, without its ending.",
    source="docs/intent.md, overlays",
)
SEVERAL_SYSTEMS = register(
    "FG-PLT-022",
    "Several host operating systems are installed and none is named",
    why="Which files the hosts get would depend on what else is installed.",
    fix="Add os to the host group.",
    source="docs/intent.md, hosts",
)
INTENT_FILE = "fabric.yaml"
WORKLOAD = "workload"
_WORKLOAD = Related("the workload is named here", (WORKLOAD,))
_ASSETS = Related("the asset list is named here", ("assets",))


class Compiled(NamedTuple):
    """Everything the stages produced for one inventory.

    Attributes:
        document: What the user wrote, overlays merged.
        platforms: Specs by name: switch platforms, host operating systems, NIC families.
        read_as: The document with faulty values repaired; what later stages saw.
    """

    folder: Path
    document: Document
    intent: FabricIntent | None = None
    catalog: Catalog | None = None
    platforms: Mapping[str, PlatformSpec] | None = None
    plan: FabricPlan | None = None
    read_as: Document | None = None


def compile_inventory(
    inventory: Path, overlays: Sequence[str], bag: Bag, *, catalogs: Sequence[Path] = (), today: date | None = None
) -> Compiled | None:
    """Read, validate, plan and check an inventory as far as its stages get; None if the intent file cannot be read.

    The inventory is a folder with ``fabric.yaml``, or the intent file itself. Overlays are applied in their order;
    shared catalogs are looked into after the inventory's own. Waivers that ended before ``today`` are errors; None
    judges no date.
    """
    folder, _ = locate_intent(inventory)
    document = read_inventory(inventory, overlays, bag)
    if document is None:
        return None
    compiled = compile_document(document, folder, bag, catalogs)
    if compiled.plan is not None:
        check_override_dates(compiled.plan, bag, today)
    apply_waivers(folder, document, bag, today, overlaid=bool(overlays))
    return compiled


def locate_intent(inventory: Path) -> tuple[Path, Path]:
    """(folder, intent file) of an inventory that is named by either; of what does not exist, as if by its folder."""
    if os.path.isdir(inventory) or not os.path.lexists(inventory):
        return inventory, inventory / INTENT_FILE
    return inventory.parent, inventory


def read_inventory(inventory: Path, overlays: Sequence[str], bag: Bag) -> Document | None:
    """Read the intent of an inventory with its overlays; see ``compile_inventory``."""
    folder, file = locate_intent(inventory)
    return load_document(file, bag, overlays=_overlay_files(folder, overlays, bag), inside=folder)


def compile_document(document: Document, folder: Path, bag: Bag, catalogs: Sequence[Path] = ()) -> Compiled:
    """Validate, plan and check a document that is already read; see ``compile_inventory``.

    Every stage runs, whatever the one before it found. What it finds in values that were guessed is left out.
    """
    own = find_catalogs(folder, catalogs, bag)
    compiled = _compile(document, folder, own, bag)
    _check_snippets(compiled, own, bag)
    bag.revise(partial(place_at_record, own=own))
    if compiled.intent is not None:
        bag.revise(partial(place_in_workload, file=compiled.intent.workload, folder=folder))
    return compiled


def _check_snippets(compiled: Compiled, own: Sequence[OwnFolder], bag: Bag) -> None:
    """Check the snippets of switches, and the files over which they are laid."""
    plan, platforms, folder = compiled.plan, compiled.platforms, compiled.folder
    if plan is None or not platforms or not any(switch.raw for switch in plan.exceptions.switches.values()):
        return
    # Rendering, and Jinja with it, is loaded only where a snippet is laid over a file.
    from fabricgen.snippets.changed import check_snippets

    missing, found = check_snippets(plan, platforms, folder, bag), Bag()
    if any(missing):
        sound = _compile(without_faults(compiled.read_as or compiled.document, bag), folder, own, Bag())
        if sound.plan is not None and sound.platforms:
            missing = check_snippets(sound.plan, sound.platforms, folder, found)
    found.extend(list(missing))
    known = {(item.code, item.path, item.message) for item in bag}
    bag.extend([item for item in found if (item.code, item.path, item.message) not in known])


def judge_document(document: Document, folder: Path, own: Sequence[OwnFolder]) -> Bag:
    """Return what the stages find in a document, snippets and waivers apart."""
    bag = Bag()
    _compile(document, folder, own, bag)
    return bag


def _compile(document: Document, folder: Path, own: Sequence[OwnFolder], bag: Bag) -> Compiled:
    """Every stage up to the checks of the plan."""
    intent, read_as, guessed, _ = load_intent(document, bag)
    if intent is None:
        return Compiled(folder, document, read_as=read_as)
    named, derived = Bag(), Bag()
    with _file_of(_ASSETS, named) as found:
        rows = load_assets(folder / intent.assets, found, inside=folder) if intent.assets else []
        assets = build_assets(rows, found)
    catalog = _load_catalog(intent, own, named)
    roots = find_roots(named)
    intent = _choose_systems(intent, roots, named)
    platforms = _load_platforms(intent, catalog, roots, named)
    catalog = replace(catalog, known_faults=load_faults(platforms, named, own))
    check_faults(catalog.known_faults, roots, own, named)
    bag.extend(drop_follow_ups(name_each_place(named, intent), guessed))
    guessed |= unknown_names(intent, catalog, platforms)
    catalog = complete_catalog(catalog, intent)
    load_rules()
    check_intent(IntentView(intent, catalog, platforms), derived)
    boards = _load_board_data(intent, folder, derived)
    facts = {name: _facts_of(spec) for name, spec in platforms.items()}
    plan = build_plan(intent, catalog, facts, assets, derived, boards, rows)
    if plan is not None:
        intent = spell_out(plan, intent, Bag())
        with _file_of(_ASSETS, derived) as found:
            check_assets(plan, rows, found)
        if intent.workload:
            with _file_of(_WORKLOAD, derived) as found:
                plan = add_jobs(plan, intent.workload, folder, found)
        if any(item.raw for item in intent.exceptions):
            from fabricgen.snippets.load import add_snippets  # readers of files and patterns of secrets, 8 ms

            plan = add_snippets(plan, intent, platforms, folder, derived)
        check_plan(PlanView(intent, catalog, platforms, plan), derived)
        if plan.exceptions.kinds:
            check_boxes(PlanView(intent, catalog, platforms, plan), facts, boards, derived)
    bag.extend(drop_follow_ups(derived, guessed))
    return Compiled(folder, document, intent, catalog, platforms, plan, read_as)


def _overlay_files(folder: Path, names: Sequence[str], bag: Bag) -> list[Path]:
    files: list[Path] = []
    if names and os.path.lexists(folder / "overlays") and not is_folder(folder / "overlays", bag, inside=folder):
        return files
    for name in names:
        file = folder / "overlays" / f"{name}.yaml"
        if file.name == f"{name}.yaml" and os.path.lexists(file):
            files.append(file)
        else:
            known = ", ".join(sorted(path.stem for path in (folder / "overlays").glob("*.yaml")))
            message = f"there is no overlay {name!r}; the inventory has {known or 'none'}"
            bag.add(NO_OVERLAY, message, hint=f"add {folder / 'overlays'}/<name>.yaml")
    return files


def _first(items: Iterable[tuple[str, IntentPath]]) -> dict[str, IntentPath]:
    found: dict[str, IntentPath] = {}
    for name, path in items:
        found.setdefault(name, path)
    return found


@contextmanager
def _file_of(named: Related, bag: Bag) -> Iterator[Bag]:
    """A bag for the faults of a file; each also points at where it is named."""
    found = Bag()
    yield found
    bag.extend([replace(diagnostic, related=(*diagnostic.related, named)) for diagnostic in found])


def _load_board_data(intent: FabricIntent, folder: Path, bag: Bag) -> dict[str, str]:
    """Board data by file, as JSON, of every file that the intent names."""
    boards = {}
    for file, path in _names_of_boxes(intent, "board_data").items():
        with _file_of(Related("the board data is named here", path), bag) as found:
            document = load_data(folder / file, found, inside=folder)
        if document is not None:
            boards[file] = json.dumps(document.data)
    return boards


def _names_of_boxes(intent: FabricIntent, key: str) -> dict[str, IntentPath]:
    """Values of a key of the tiers, and those that exceptions set for single switches, each with its first place."""
    tiers = ((getattr(tier, key), ("tiers", name, key)) for name, tier in sorted(intent.tiers.items()))
    own = ((each.value, each.path) for each in intent.boxes if each.key == key)
    return _first((name, path) for name, path in (*tiers, *own) if isinstance(name, str))


def _load_catalog(intent: FabricIntent, own: Sequence[OwnFolder], bag: Bag) -> Catalog:
    """Every record the intent names, as far as there is one or a stand-in."""
    hosts = sorted(intent.hosts.items())
    named = [(str(name), path) for name, path in intent.lossless.marking_choices() if isinstance(name, str)]
    return load_catalog(
        switches=_names_of_boxes(intent, "model"),
        nics=_first((group.nic, ("hosts", name, "nic")) for name, group in hosts),
        servers=_first((group.server, ("hosts", name, "server")) for name, group in hosts),
        bag=bag,
        own=own,
        ecn_profiles=_first((name, path) for name, path in named if name != "computed"),
    )


def _choose_systems(intent: FabricIntent, roots: Sequence[Path], bag: Bag) -> FabricIntent:
    """The intent with an operating system for every host group: where none is named, the one that is installed."""
    installed = sorted(discover_platforms("host", roots, Bag()))
    groups = dict(intent.hosts)
    for name, group in sorted(intent.hosts.items()):
        if group.os is None and installed:
            groups[name] = group.model_copy(update={"os": installed[0]})
            if len(installed) > 1:
                message = f"hosts.{name} names no operating system; installed are {', '.join(installed)}"
                bag.add(SEVERAL_SYSTEMS, message, ("hosts", name), hint=f"add os: {installed[0]}")
    return intent.model_copy(update={"hosts": groups})


def _load_platforms(intent: FabricIntent, catalog: Catalog, roots: Sequence[Path], bag: Bag) -> dict[str, PlatformSpec]:
    """Specs of every switch platform, host operating system and NIC family."""
    hosts = sorted(intent.hosts.items())
    switches = _names_of_boxes(intent, "platform")
    systems = _first((group.os or "", ("hosts", name, "os")) for name, group in hosts)
    specs = load_platforms(switches, "switch", bag, roots) | load_platforms(systems, "host", bag, roots)
    known = [(name, catalog.nics[group.nic]) for name, group in hosts if group.nic in catalog.nics]
    families = _first((nic.family, ("hosts", name, "nic")) for name, nic in known if nic.family)
    return specs | load_platforms(families, "nic", bag, roots)


def _facts_of(spec: PlatformSpec) -> PlatformFacts:
    """Return what planning must know of one platform: a NIC family has parameters only, a host no buffers."""
    names = PortNames(spec.port_pattern, spec.subport_pattern, spec.sfp_pattern)
    parameters = tuple((each.name, each.default, each.per_25gbps) for each in spec.parameters)
    facts = PlatformFacts(names, dcqcn=parameters, releases=spec.releases)
    if spec.kind == "nic":
        return facts._replace(adapts=spec.nic.adaptive)
    speaker = spec.speaker
    facts = facts._replace(bfd=speaker.bfd, gtsm=speaker.gtsm, md5=speaker.bgp_md5)
    if spec.kind == "host":
        return facts
    can = spec.switch
    return facts._replace(
        own_buffers=can.headroom is HeadroomSource.OWN,
        computes_buffers=can.headroom is HeadroomSource.COMPUTED,
        bfd_needs_acl=can.bfd_needs_acl,
        negotiates_copper=can.copper_negotiation is not Copper.NONE,
        reads_calibration=can.copper_calibration,
        polls_ports=can.watchdog_polls_ports,
        watchdog_max_ms=can.watchdog_detection_max_ms or 0,
        adaptive_gbps=can.adaptive or (),
        balancing_asics=("",) if can.balancing_asics is None else can.balancing_asics,
        flowlet_gap_us=can.flowlet_gap_us,
        path_weights="" if can.path_weights is PathWeighting.NONE else can.path_weights.value,
    )


def add_jobs(plan: FabricPlan, file: str, folder: Path, bag: Bag) -> FabricPlan:
    """Return the plan with the job of a workload file, and those that its placement names."""
    own = load_workload(folder / file, bag, inside=folder)
    if own is None:
        return plan
    built = build_workload(own)
    if own.placement is None:
        return plan._replace(workload=built)
    rows = load_placement(folder / own.placement, bag, inside=folder)
    requests = [JobRequest(built, row.names, row.place) for row in rows if row.workload is None]
    requests = requests or [JobRequest(built, (), None)]
    for row in rows:
        if row.workload is None:
            continue
        with _file_of(Related("the placement names it here", place=row.place), bag) as found:
            other = load_workload(folder / row.workload, found, inside=folder)
        if other is not None:
            requests.append(JobRequest(build_workload(other), row.names, row.place))
    first, *others = place_jobs(plan, requests, bag)
    return plan._replace(workload=first, other_jobs=tuple(others))


def place_in_workload(diagnostic: Diagnostic, file: str | None, folder: Path) -> Diagnostic:
    """Return a diagnostic on a key below ``workload`` at its line of the workload file; any other as it is."""
    if diagnostic.path[:1] != (WORKLOAD,) or len(diagnostic.path) < 2 or file is None:
        return diagnostic
    document = load_data(folder / file, Bag(), inside=folder)
    place = document.place(diagnostic.path[1:]) if document else None
    return replace(diagnostic, place=place, related=(*diagnostic.related, _WORKLOAD)) if place else diagnostic
