"""Everything that can fail in a lab: switches, links and NIC ports, each with the class of failures it belongs to."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.cells import Partition
from fabricgen.analysis.element_names import element_name
from fabricgen.analysis.failure_classes import FailureClass, class_key
from fabricgen.analysis.failures import Failures
from fabricgen.lab.failures.names import Names
from fabricgen.plan.model.identity import DeviceId, LinkId


class Failure(NamedTuple):
    """One thing that fails.

    Attributes:
        name: Its name, as ``analyze failures`` gives it.
        alike: The class of failures it is one of.
    """

    name: str
    element: DeviceId | LinkId
    alike: FailureClass


def list_failures(names: Names, failures: Failures, scopes: Collection[str] = ()) -> list[Failure]:
    """Return every single failure of the lab's fabric, class by class.

    Args:
        names: The plan and the lab.
        failures: The same plan's failures.
        scopes: Names of tiers and links; empty for all.
    """
    classes = {each.key: each for each in failures.single()}
    partition = Partition(failures.symmetry, failures.irregular)
    found = []
    for element in _elements(names):
        alike = classes.get(class_key(partition, element))
        if alike is not None and (not scopes or alike.scope in scopes):
            found.append(Failure(element_name(names.plan, element), element, alike))
    order = {key: number for number, key in enumerate(classes)}
    return sorted(found, key=lambda failure: order[failure.alike.key])


def _elements(names: Names) -> Iterator[DeviceId | LinkId]:
    yield from names.devices.values()
    yield from names.ends


def draw(failures: Sequence[Failure], count: int, seed: str) -> list[Failure]:
    """Return some failures by lot, in their order: one of each class at least, as far as the number goes.

    Args:
        failures: All there are.
        count: How many to take; 0 for all.
        seed: Decides which; the same seed takes the same.
    """
    if not count or count >= len(failures):
        return list(failures)
    lots = random.Random(seed).sample(range(len(failures)), len(failures))  # noqa: S311 - a sample, no secret
    seen: set[object] = set()
    rounds = []
    for place, at in enumerate(lots):
        key = failures[at].alike.key
        rounds.append((key in seen, place, at))
        seen.add(key)
    return [failures[at] for at in sorted(at for _, _, at in sorted(rounds)[:count])]
