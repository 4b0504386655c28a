"""Devices of a running lab as targets of a collection: what each has, and what a lab cannot have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.collect.target import LAB, CollectTarget
from fabricgen.device.globs import is_chosen
from fabricgen.diagnostics import Bag
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.planned import load_native
from fabricgen.platforms.manifest.discover import find_roots
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.manifest.spec import PlatformSpec


def load_specs(blueprint: Blueprint, bag: Bag) -> list[PlatformSpec]:
    """Return the platforms of a lab's devices.

    Args:
        blueprint: The lab.
        bag: Takes faults of their manifests, and platforms that are not installed any more.
    """
    found: list[PlatformSpec] = []
    roots = find_roots(bag)
    for kind, names in (
        ("switch", [node.platforms for node in blueprint.switches]),
        ("host", [node.platforms[:1] for node in blueprint.hosts]),
        ("nic", [node.platforms[1:] for node in blueprint.hosts]),
    ):
        wanted = dict.fromkeys(sorted({name for each in names for name in each}), ())
        found += load_platforms(wanted, kind, bag, roots).values()
    return found


def list_targets(
    blueprint: Blueprint, specs: Sequence[PlatformSpec], only: Sequence[str], bag: Bag
) -> list[CollectTarget]:
    """Return the devices of a lab to collect.

    Every switch forwards by the daemons and the kernel of plain Linux here, so its states are read as those of the
    platform that is that, and only its files as those of its own.

    Args:
        blueprint: The lab.
        specs: Platforms of its devices.
        only: Names or patterns of devices; empty for all.
        bag: Takes faults of manifests.
    """
    native = load_native(bag)
    nodes = [node for node in blueprint.nodes if not only or is_chosen(node.name, tuple(only))]
    return [_to_target(blueprint, node, specs, native) for node in nodes]


def _to_target(
    blueprint: Blueprint, node: LabNode, specs: Sequence[PlatformSpec], native: PlatformSpec | None
) -> CollectTarget:
    kinds = ("switch",) if node.is_switch else ("host", "nic")
    own = [spec for name in node.platforms for spec in specs if spec.name == name and spec.kind in kinds]
    stated = [native] if node.is_switch and native is not None else own
    readings = [reading for spec in own for reading in spec.readings if reading.path]
    names = tuple(dict.fromkeys([*node.platforms, *(spec.name for spec in stated)]))
    return CollectTarget(
        node.name,
        "switches" if node.is_switch else "hosts",
        node.role,
        names,
        blueprint.lab,
        0,
        (*readings, *_list_states(stated)),
        LAB,
    )


def _list_states(specs: Sequence[PlatformSpec]) -> Iterator[Reading]:
    """Yield each state reading once, as the first of the platforms has it."""
    seen: set[str] = set()
    for spec in specs:
        for reading in spec.readings:
            if reading.state and reading.state not in seen:
                seen.add(reading.state)
                yield reading
