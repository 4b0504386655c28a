"""A placement: on which hosts the jobs of a fabric run at the same time, in a file that a workload names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter

from fabricgen.diagnostics import Bag, Place, format_path
from fabricgen.intent.types import FilePath, Intent
from fabricgen.source import load_data
from fabricgen.validation.forms import Form
from fabricgen.validation.reading import read_strictly
from fabricgen.validation.schema import schema_of_file

HostNames = Annotated[
    str, Form(r"^[A-Za-z0-9*][A-Za-z0-9.*-]{0,62}$", "the name of a host, in which * stands for any text")
]


class PlacedJob(Intent):
    """A job and its hosts."""

    workload: Annotated[
        FilePath | None, Field(description="Workload file of another job; the one that names this file if left out")
    ] = None
    hosts: Annotated[
        list[HostNames] | None,
        Field(
            min_length=1,
            max_length=100_000,
            description="Hosts in the order of its ranks, * for any text; the first that no job has if left out",
        ),
    ] = None


class Placement(Intent):
    """Jobs that run at the same time."""

    jobs: Annotated[list[PlacedJob], Field(min_length=1, max_length=1000, description="A job for each item")]


class JobHosts(NamedTuple):
    """An item of a placement: its workload file, names of its hosts with their places, and its own place."""

    workload: str | None
    names: tuple[tuple[str, Place | None], ...]
    place: Place | None


def placement_schema() -> dict[str, Any]:
    """JSON Schema of placement files."""
    return schema_of_file(Placement.model_json_schema(), "placement")


def load_placement(path: Path, bag: Bag, *, inside: Path | None = None) -> list[JobHosts]:
    """Read a placement.

    Args:
        path: YAML.
        bag: Takes every fault with its place in the file.
        inside: Folder that the file must be in, whatever links lead to it.

    Returns:
        Its jobs; none with diagnostics.
    """
    document = load_data(path, bag, inside=inside)
    if document is None:
        return []
    placement: Placement | None
    placement, faults = read_strictly(document, TypeAdapter(Placement), format_path)
    for fault in faults:
        place = document.place(fault.path, fault.on_key) or document.place(())
        bag.add(fault.mistake.code, fault.message, place=place, hint=fault.hint)
    return [
        JobHosts(
            job.workload,
            tuple(
                (name, document.place(document.to_path(("jobs", at, "hosts", number))))
                for number, name in enumerate(job.hosts or ())
            ),
            document.place(document.to_path(("jobs", at))),
        )
        for at, job in enumerate(placement.jobs if placement else ())
    ]
