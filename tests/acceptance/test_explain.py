"""Causes that explain names are true: the first key changes the line, a constant is in the template."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fabricgen.api import Compiled
from fabricgen.api.explain import Explanation, explain_file
from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.origins import FIELD_ORIGINS, is_sticky
from fabricgen.diagnostics import Bag, IntentPath, format_path
from fabricgen.render.engine import Device, Renderer
from tests.acceptance.run import INVENTORIES, REPOSITORY, diagnose
from tests.acceptance.twins import write_twins
from tests.acceptance.what_if import Lines, Trials, World, Written, number_lines
from tests.plain_rendering import render_plain
from tests.sampling import EVERYTHING

CONFORMANCE = REPOSITORY / "tests" / "fabrics" / "conformance"
FABRICS = [
    *((path.parent, ()) for path in sorted(INVENTORIES.glob("*/fabric.yaml"))),
    *(
        (INVENTORIES / "quickstart", (name,))
        for name in ("dual", "host-bgp", "ipv6", "spectrum", "sprayed", "unnumbered")
    ),
    *((INVENTORIES / "dual-tor", (name,)) for name in ("dual", "irregular")),
    (CONFORMANCE, ()),
    *((CONFORMANCE, (path.stem,)) for path in sorted(CONFORMANCE.glob("overlays/*.yaml"))),
]
"""Folders and overlays: every inventory, every platform, both address families, exceptions, catalogs of one's own."""
ALWAYS = ((INVENTORIES / "quickstart", ("spectrum",)),)
pytestmark = pytest.mark.sampled(0, of="fabric", always=ALWAYS)
ROOMIER: dict[str, dict[IntentPath, int]] = {
    "hpn7-pod": {("hosts", "per_unit"): 4, ("hosts", "backup_per_unit"): 1, ("units", "count"): 2,
        ("tiers", "spine", "count"): 2},
    "hpn7-cluster": {("hosts", "per_unit"): 4, ("hosts", "backup_per_unit"): 1, ("units", "count"): 2,
        ("tiers", "spine", "count"): 2, ("tiers", "core", "count"): 2},
    "megascale": {("hosts", "per_unit"): 4, ("pods", "count"): 2, ("tiers", "spine", "count"): 4,
        ("tiers", "core", "count"): 16},
    "astral": {("hosts", "per_unit"): 4, ("units", "count"): 2, ("pods", "count"): 2, ("tiers", "spine", "count"): 16,
        ("tiers", "core", "count"): 4},
    "meta-ai-zone": {("units", "count"): 4, ("tiers", "spine", "count"): 4},
    "meta-llama3-24k": {("units", "count"): 4, ("pods", "count"): 2, ("tiers", "spine", "count"): 4,
        ("tiers", "core", "count"): 2},
    "rail-8k": {("hosts", "per_unit"): 8, ("tiers", "spine", "count"): 8},
}  # fmt: skip
"""Counts of large inventories: these fill their switches to the last port, so that hardly another value is legal."""
SAMPLE = int(os.environ.get("FABRICGEN_LINES", "16" if EVERYTHING else "6"))
"""Number of lines of a fabric; more for a long run."""
SEED = int(os.environ.get("FABRICGEN_SEED", "20"))
FILES = {"switches": 4, "hosts": 2}
DEVICES_OF_A_KIND = 2
MANIFEST = "platform.yaml"
ONE_CHOICE = (
    "nic", "platform", "os", "action", "families", "units", "strict", "board_data", "mode", "speed", "lossless",
)  # fmt: skip
"""Keys of which the product, as it ships, may know one legal value only, at least for the line in question (the class
of credits is always strict; ECN and one more lossless class need figures of the buffer, another speed other cages)."""
BY_PLACE = {
    ("SwitchClass", "role"), ("SwitchClass", "has_upper"), ("SwitchClass", "unnumbered"),
    ("RoutingPolicy", "hash_rank"), ("TrafficClass", "name"), ("TrafficClass", "priority_group"),
}  # fmt: skip
"""Fields that follow from the whole Clos or the whole contract, so that one key alone seldom moves them."""
BY_STANDARD = {("PortShape", "fec")}
"""Fields that a standard decides alike for every speed of a fabric that is fast enough for RoCE."""
CONTINUED = "{# -#}"
SEPARATOR = re.compile(r'\{\{ "," if [\w.]+ else "" \}\}')
WORDS_OF_A_LOOP = re.compile(r"\b(?:loop|first|last|index0?|if|else|not)\b")


@dataclass(frozen=True)
class Line:
    """One line of a rendered file."""

    path: str
    explanation: Explanation
    written: Written

    @property
    def text(self) -> str:
        """The line without what separates it from the next."""
        return self.explanation.origin.text.rstrip(",\n")

    def __str__(self) -> str:
        keys = ", ".join(format_path(cause.path) for cause in self.explanation.texts)
        return f"{self.path}:{self.explanation.origin.number}: {self.explanation.origin.text.strip()} | {keys}"


@dataclass(frozen=True)
class Fabric:
    """A shipped inventory with twins of its switches in its catalog, files of it, and lines drawn by lot from those.

    ``constants``: of the files with a drawn line, each line that reads nothing, once for its place in a template.
    """

    home: World
    trials: Trials
    files: dict[str, list[str]]
    lines: list[Line]
    constants: list[Line]


@pytest.fixture(scope="module", params=FABRICS, ids=lambda it: "-".join((it[0].name, *it[1])))
def fabric(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fabric:
    print(f"seed {SEED}")  # noqa: T201 - part of the report of a failure
    inventory = tmp_path_factory.mktemp("explain") / request.param[0].name
    compiled = compile_copy(*request.param, inventory)
    write_twins(compiled, inventory / "catalog")
    home, chance = World(compiled), random.Random(SEED)
    files = render_some(compiled, chance)
    return Fabric(home, Trials(compiled), files, *draw_lines(home, files, chance))


def compile_copy(source: Path, overlays: tuple[str, ...], inventory: Path) -> Compiled:
    shutil.copytree(source, inventory)
    compiled, bag = diagnose(inventory, *overlays)
    if source.name in ROOMIER:
        document = compiled.document.without(("expect",))
        for path, count in ROOMIER[source.name].items():
            document = document.replaced(path, count)
        compiled = compile_document(document, inventory, bag)
    assert not bag.has_errors
    return compiled


def render_some(compiled: Compiled, chance: random.Random) -> dict[str, list[str]]:
    """Lines of all files of some devices of every tier and of some hosts, by path."""
    plan, platforms, bag = compiled.plan, compiled.platforms, Bag()
    lowering, renderer = Lowering(plan), Renderer(platforms, bag)
    tiers = [[device for device in plan.switches() if device.tier == tier.number] for tier in plan.tiers]
    chosen: list[Device] = [
        *(
            lowering.lower_switch(it)
            for devices in tiers
            for it in chance.sample(devices, min(DEVICES_OF_A_KIND, len(devices)))
        ),
        *(lowering.lower_host(it) for it in chance.sample(list(plan.all_hosts()), DEVICES_OF_A_KIND)),
    ]
    files = [file for device in chosen for file in render_plain(renderer, device)]
    return {file.path: file.data.decode().splitlines(keepends=True) for file in files}


def draw_lines(home: World, files: dict[str, list[str]], chance: random.Random) -> tuple[list[Line], list[Line]]:
    """Lines that are not blank, explained, out of few files (one line explains its file), and the files' constants."""
    of_kind = {kind: [path for path in files if path.startswith(kind)] for kind in FILES}
    chosen = [path for kind, n in FILES.items() for path in chance.sample(of_kind[kind], min(n, len(of_kind[kind])))]
    numbered = [(path, at) for path in chosen for at, text in enumerate(files[path]) if text.strip()]
    drawn = chance.sample(numbered, min(SAMPLE, len(numbered)))
    explained = {}
    for path in {path for path, _ in drawn}:
        bag = Bag()
        told = explain_file(home.compiled, path, bag)
        assert not list(bag)
        origins = ((it.origin.template, it.origin.template_line, it.origin.text) for it in told)
        written = [place for place, _ in number_lines(origins)]
        explained[path] = [Line(path, *both) for both in zip(told, written, strict=True)]
    silent = [line for path in sorted(explained) for line in explained[path] if not line.explanation.origin.direct]
    constants = {(line.written.template, line.written.line, line.text): line for line in silent if line.text.strip()}
    return [explained[path][at] for path, at in drawn], list(constants.values())


def test_explanations_are_of_the_lines_that_are_there(fabric: Fabric) -> None:
    for line in fabric.lines:
        origin = line.explanation.origin
        assert origin.text == fabric.files[line.path][origin.number - 1], str(line)
        assert (line.written.template, line.written.line) == (origin.template, origin.template_line), str(line)
        assert template_line(line), str(line)


def test_lines_without_reads_stand_in_the_template(fabric: Fabric) -> None:
    assert fabric.constants
    for line in fabric.constants:
        assert not line.explanation.texts
        assert "  constant " in line.explanation.text(line.path, Path.cwd())
        assert stands_in(line.explanation.origin.text, template_line(line), line.written.template), str(line)


def test_lines_no_key_decides_say_so(fabric: Fabric) -> None:
    for line in fabric.lines:
        reads = line.explanation.origin.direct
        if reads and not line.explanation.texts:
            assert all(not FIELD_ORIGINS[read.owner][read.field] for read in reads), str(line)
            assert "not by the intent" in line.explanation.text(line.path, Path.cwd())


def test_the_key_named_first_decides_the_line(fabric: Fabric) -> None:
    decided = [line for line in fabric.lines if line.explanation.texts]
    unchanged = [line for line in decided if not is_of_place(fabric, line) and not changes(fabric, line)]
    assert [str(line) for line in unchanged if not is_excused(fabric, line)] == []
    excused, lines = len(unchanged), len(decided)
    assert excused <= 1 + lines // 5


def template_line(line: Line) -> str:
    first, *following = Path(line.written.template).read_text(encoding="utf-8").splitlines()[line.written.line - 1 :]
    while first.endswith(CONTINUED):
        first = first.removesuffix(CONTINUED) + following.pop(0).lstrip()
    return first


def stands_in(text: str, source: str, template: str) -> bool:
    """Return whether a text is what a template line says; braces and commas are the engine's."""
    if template.endswith(MANIFEST):
        opened = re.fullmatch(r'"(\w+)": \{', text.strip())
        named = opened is not None and f"inside: {opened[1]}}}" in Path(template).read_text(encoding="utf-8")
        return named or text.strip().rstrip(",") in ("{", "}")
    pattern = ""
    for piece in re.split(r"(\{\{.*?\}\}|\{%.*?%\})", source.rstrip(",")):
        if SEPARATOR.fullmatch(piece):
            pattern += ",?"
        elif piece.startswith("{{"):
            words = WORDS_OF_A_LOOP.sub("", re.sub(r'"[^"]*"', "", piece))
            pattern += ".*" if not re.search(r"[a-z]", words) else r"(?!)"
        elif not piece.startswith("{%"):
            pattern += re.escape(piece)
    return re.fullmatch(rf"\s*{pattern}\s*", text.rstrip(",\n")) is not None


def worlds(fabric: Fabric, line: Line) -> Iterator[tuple[Lines, Lines]]:
    """The line's file before and after each legal change of the key that is named first."""
    for before, after in fabric.trials.pairs(line.explanation.texts[0].path):
        yield before.lines(line.path, line.written.template), after.lines(line.path, line.written.template)


def changes(fabric: Fabric, line: Line) -> bool:
    """Return whether some change of the first key changes the line, or takes it away."""
    return any(before.get(line.written) != after.get(line.written) for before, after in worlds(fabric, line))


def is_of_place(fabric: Fabric, line: Line) -> bool:
    """Return whether no key alone moves a line: a standard decides it, or its device's place, and differs elsewhere."""
    reads = [(r.owner, r.field) for r in line.explanation.origin.direct if FIELD_ORIGINS[r.owner][r.field]]
    if BY_STANDARD.issuperset(reads):
        return True
    others = other_places(fabric, line)
    return BY_PLACE.issuperset(reads) and any(set(alike(old, line).values()) != {line.text} for old in others)


def is_excused(fabric: Fabric, line: Line) -> bool:
    """Return whether a line may stay what it is under every change of its first key alone.

    That key has no other legal value in a fabric with that line; or the line shows only what seldom changes, such as
    the name of a box's first port, or is of another port in every fabric where the key is free: then the
    key must change what the same line of the template writes for other ports.
    """
    if line.explanation.texts[0].path[-1] in ONE_CHOICE and not any(line.written in w for w, _ in worlds(fabric, line)):
        return True
    is_another_port = all(before.get(line.written, line.text) != line.text for before, _ in worlds(fabric, line))
    return (is_another_port or all(is_sticky(read) for read in line.explanation.origin.direct)) and any(
        alike(before, line) != alike(after, line) for before, after in worlds(fabric, line)
    )


def alike(lines: Lines, line: Line) -> Lines:
    """Return what the same line of the template wrote."""
    return {written: text for written, text in lines.items() if written[:2] == line.written[:2]}


def other_places(fabric: Fabric, line: Line) -> Iterator[Lines]:
    """The line's own file, and the same file of the first switch of every tier."""
    kind, _, file = line.path.split("/", 2)
    names = [tier.device_name(next(tier.coordinates())) for tier in fabric.home.compiled.plan.tiers]
    for path in [line.path, *(f"switches/{name}/{file}" for name in names if kind == "switches")]:
        yield fabric.home.lines(path, line.written.template)
