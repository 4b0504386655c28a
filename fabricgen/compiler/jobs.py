"""Training jobs of an inventory: its workload, those that a placement adds, and the places of their faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fabricgen.diagnostics import Bag, Diagnostic, Place, Related
from fabricgen.intent.placement import load_placement
from fabricgen.intent.workload import WorkloadIntent as OtherWorkload
from fabricgen.intent.workload import load_workload
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner.placement import JobRequest, place_jobs
from fabricgen.plan.planner.workload import build_workload
from fabricgen.source import load_data

WORKLOAD = "workload"


def add_jobs(plan: FabricPlan, file: str, folder: Path, bag: Bag) -> FabricPlan:
    """Return the plan with the job of a workload file, and those that its placement names.

    Args:
        plan: The plan.
        file: The workload file.
        folder: Folder of the inventory.
        bag: Takes the faults of all files.
    """
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
        if row.workload is not None and (other := _load_other(row.workload, row.place, folder, bag)) is not None:
            requests.append(JobRequest(build_workload(other), row.names, row.place))
    first, *others = place_jobs(plan, requests, bag)
    return plan._replace(workload=first, other_jobs=tuple(others))


def _load_other(file: str, place: Place | None, folder: Path, bag: Bag) -> OtherWorkload | None:
    """Return the workload of another job of a placement; its faults point at the item that names it as well."""
    own = Bag()
    found = load_workload(folder / file, own, inside=folder)
    named = Related("the placement names it here", place=place)
    bag.extend([replace(fault, related=(*fault.related, named)) for fault in own])
    return found


def place_in_workload(diagnostic: Diagnostic, file: str | None, folder: Path) -> Diagnostic:
    """Return the diagnostic at the line of the workload file, if it is about a key of it.

    Args:
        diagnostic: Any; only one with a path below ``workload`` changes.
        file: The workload file; None without one.
        folder: Folder of the inventory.
    """
    if diagnostic.path[:1] != (WORKLOAD,) or len(diagnostic.path) < 2 or file is None:
        return diagnostic
    place = next(_places(diagnostic, folder / file, folder), None)
    named = Related("the workload is named here", (WORKLOAD,))
    return replace(diagnostic, place=place, related=(*diagnostic.related, named)) if place else diagnostic


def _places(diagnostic: Diagnostic, file: Path, folder: Path) -> Iterator[Place]:
    document = load_data(file, Bag(), inside=folder)
    place = document.place(diagnostic.path[1:]) if document else None
    if place:
        yield place
