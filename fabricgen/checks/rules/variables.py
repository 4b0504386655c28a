"""Rules on variables of the collective library, by the lists of the NIC family's manifest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Nearest
from fabricgen.platforms.manifest.spec import LibraryVariables

_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,15}|0|[1-9][0-9]{0,17})")
"""A number that strtoll with base 0 reads to its end and as it looks; 010 is 8 to it, and 08 is 0."""


def _asked(view: PlanView) -> Iterator[tuple[str, str, IntentPath, LibraryVariables, Mapping[str, str]]]:
    """Yield name, value and path of each variable, what a library of the hosts reads, and what other keys decide."""
    used = sorted({(group.nic_family, group.library) for group in view.plan.hosts})
    for spec, library in [(view.platforms[family], library) for family, library in used if family in view.platforms]:
        for found in (found for found in spec.variables if found.name == library):
            for name, variable in sorted(view.intent.collectives.variables.items()):
                yield name, variable.value, ("collectives", "variables", name), found, spec.decided


@rule(
    "FG-HST-119",
    "Variable that the collective library does not read",
    why="A library ignores what it does not know, without a word; the job runs as if the line were not there.",
    fix="Write a name that the library reads, or remove it.",
    source="NVIDIA/nccl v2.18.1-1 to v2.30.7-1, NCCL_PARAM and getenv; ROCm/rccl 0cbce2a7 and sii-research/VCCL "
    "af1ca510, the same",
)
def check_known(view: PlanView) -> Iterator[Finding]:
    """Every variable is one that each library of the hosts reads."""
    nearest = Nearest()
    for name, _, path, library, _ in _asked(view):
        known = library.releases()
        last = known.get(name, "").partition(" to ")[2]
        near = "" if last else nearest.find(name, [*known])
        if last or name not in known:
            message = f"{library.name} reads no {name}{f' after {last}' if last else ''}"
            yield Finding(message, path, on_key=True, hint=f"did you mean {near}?" if near else "remove it")


@rule(
    "FG-HST-120",
    "Value that the collective library ignores",
    why="The library takes its default in place of a value that is no whole number, and says so in no log but INFO.",
    fix="Write a whole number.",
    source="NVIDIA/nccl 5067397c, src/misc/param.cc, ncclLoadParam: strtoll with base 0",
)
def check_integers(view: PlanView) -> Iterator[Finding]:
    """A variable that the library reads as a number is one."""
    for name, value, path, library, _ in _asked(view):
        if name in " ".join(library.integers.values()).split() and not _INTEGER.fullmatch(value):
            message = f"{name} is {value!r}; {library.name} reads a whole number"
            yield Finding(message, (*path, "value"), hint="write at most 18 digits, and no zero in front")


@rule(
    "FG-HST-121",
    "Variable that another key decides",
    why="The same variable would be in the file twice, and the library takes one of the two values.",
    fix="Use the key that decides it.",
    source="NVIDIA/nccl 5067397c, src/misc/param.cc, setEnvFile: the first line of a variable counts",
)
def check_decided(view: PlanView) -> Iterator[Finding]:
    """No further variable is one that the file has anyway."""
    more = {"NCCL_PXN_DISABLE": "collectives.sm_free"} if view.plan.collectives.sm_free else {}
    for name, _, path, _, decided in _asked(view):
        if key := {**decided, **more}.get(name):
            yield Finding(f"{name} follows from {key}", path, on_key=True, hint=f"set {key}, and remove {name}")
