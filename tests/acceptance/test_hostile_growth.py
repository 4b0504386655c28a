"""Faults by the thousand: what they cost grows with their number and no faster, whatever a waiver's pattern is."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.api.waiver_index import Waived, WaiverIndex
from fabricgen.diagnostics import Bag, Waiver
from fabricgen.diagnostics.writers import write_diagnostics
from tests.sampling import FRESH

QUICKSTART = (Path(__file__).parents[2] / "inventories/quickstart/fabric.yaml").read_text()
TIMEZONE = "{operations.timezone: Europe/Berlin}"

INTENTS: dict[str, Callable[[int], str]] = {
    "unknown keys": lambda n: "".join(f"unknown_{at}: {at}\n" for at in range(n)),
    "misspelt keys": lambda n: "".join(f"fabri{at}: {at}\n" for at in range(n)),
    "wrong types": lambda n: "exceptions:\n" + "".join(f"- {{device: d{at}, state: 7, n: x}}\n" for at in range(n)),
    "missing keys": lambda n: "exceptions:\n" + "".join(f"- {{device: d{at}, state: absent}}\n" for at in range(n)),
    "no such device": lambda n: (
        "exceptions:\n" + "".join(f"- {{device: leaf-{at}, state: drained, reason: r}}\n" for at in range(n))
    ),
    "the same of one device": lambda n: (
        "exceptions:\n" + "".join(f"- {{device: leaf-u001-r0, set: {TIMEZONE}, reason: r{at}}}\n" for at in range(n))
    ),
    "the same of one link": lambda n: (
        "exceptions:\n"
        + "".join(f"- {{link: [leaf-u001-r0, spine-01], state: absent, reason: r{at}}}\n" for at in range(n))
    ),
}
HALL = """fabric: hall
hosts: {server: dgx_h100_8, nic: connectx7_400g, per_unit: 8}
units: {count: 15, max: 15}
pods: {count: 2}
tiers:
  leaf: {model: arista_7060x6_64pe, platform: sonic}
  spine: {model: arista_7060x6_64pe, platform: sonic, per: pod, count: 8}
links:
  host-leaf: {speed: 400G, cable: {media: mmf, length_m: 30}}
  leaf-spine: {speed: 400G, cable: {media: smf, length_m: 100}}
exceptions:
- {device: leaf-p02-u015-r7, state: drained, reason: r}
"""
"""A fabric of 240 leafs, with one exception so that what the first one costs is not counted."""
ENDS = [(f"leaf-p{pod:02}-u{unit:03}-r{rail}", f"spine-p{pod:02}-{1 + rail:02}")
        for pod in (1, 2) for unit in range(1, 16) for rail in range(8)]  # fmt: skip
IRREGULAR: dict[str, tuple[str, int]] = {
    "switches drained": ("device: {leaf}, state: drained", 1500),
    "a leaf set": ("device: {leaf}, set: {{operations.timezone: UTC}}", 1500),
    "a leaf set, another value each": ("device: {leaf}, set: {{operations.timezone: 'Etc/GMT+{at}'}}", 15000),
    "an unknown leaf set": ("device: {leaf}, set: {{operations.timezon: UTC}}", 4000),
    "links between switches drained": ("link: [{leaf}, {spine}], state: drained", 3000),
}
"""What is said of the leaf or link, and the calls that one exception may take."""
WAIVERS: dict[str, Callable[[int], str]] = {
    "idle": lambda at: f"a.b{at}",
    "idle patterns": lambda at: f"*a*b{at}",
}


def _calls(folder: Path, intent: str, waivers: str = "") -> tuple[int, int]:
    """Calls that validating an intent and writing what is wrong with it take, and how many diagnostics there are."""
    folder.mkdir()
    (folder / "fabric.yaml").write_text((HALL if intent.startswith("- {") else QUICKSTART) + intent)
    if waivers:
        (folder / "waivers.yaml").write_text(waivers)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    bag = Bag()
    sys.setprofile(count)
    try:
        compiled = compile_inventory(folder, (), bag)
        assert compiled is not None
        placed = place_diagnostics(bag, compiled.document, compiled.read_as)
        write_diagnostics(placed, "text", lines_of=compiled.document.lines)
    finally:
        sys.setprofile(None)
    return calls, len(placed)


def _hold_to_linear(tmp_path: Path, intent: Callable[[int], str], waivers: Callable[[int], str]) -> None:
    _calls(tmp_path / "warm", intent(2), waivers(2))
    numbers = (0, 50, 200)
    least, few, many = (_calls(tmp_path / str(number), intent(number) if number else "", waivers(number))
                        for number in numbers)  # fmt: skip
    assert many[1] - least[1] >= 190, "the faults are reported, each by itself"
    assert many[0] - least[0] < 6 * (few[0] - least[0]), "four times the faults, and more than six times the work"


@pytest.mark.parametrize("kind", INTENTS)
def test_faults_of_the_intent(kind: str, tmp_path: Path) -> None:
    _hold_to_linear(tmp_path, INTENTS[kind], lambda _: "")


@pytest.mark.parametrize("kind", IRREGULAR)
def test_exceptions_of_many_devices(kind: str, tmp_path: Path) -> None:
    said, each = IRREGULAR[kind]

    def exceptions(number: int) -> str:
        named = (said.format(leaf=leaf, spine=spine, at=at)
                 for at, (leaf, spine) in enumerate(ENDS[: number + 1]))  # fmt: skip
        return "".join(f"- {{{text}, reason: r}}\n" for text in named)

    _calls(tmp_path / "warm", exceptions(2))
    least, few, many = (_calls(tmp_path / str(number), exceptions(number))[0] for number in (1, 50, 200))
    assert many - least < 6 * (few - least), "four times the exceptions, and more than six times the work"
    assert many - least < 199 * each, "an exception costs far more than its own devices"


@pytest.mark.parametrize("kind", WAIVERS)
def test_waivers(kind: str, tmp_path: Path) -> None:
    def waivers(number: int) -> str:
        entry = "- {{code: FG-CAT-010, path: '{}', owner: o, expires: 2099-12-31, reason: r}}\n"
        return "".join(entry.format(WAIVERS[kind](at)) for at in range(number)) or "[]\n"

    _hold_to_linear(tmp_path, lambda _: "", waivers)


def _find(pattern: str, path: str) -> bool:
    return WaiverIndex([Waived("C", pattern, Waiver("o", "d", "r"), None)]).find("C", path) is not None


def test_no_pattern_is_tried_for_ever() -> None:
    assert not _find("*a" * 60 + "b", "a" * 50_000)
    assert _find("*a" * 60, "a" * 50_000)


def test_a_pattern_means_what_it_says() -> None:
    for seed in (7, FRESH):
        rng = random.Random(seed)
        for _ in range(2000):
            pattern, path = ("".join(rng.choices(letters, k=rng.randrange(1, 8))) for letters in ("ab.**", "ab."))
            wanted = re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), path) is not None
            assert _find(pattern, path) == wanted, f"{pattern} {path} of seed {seed}"


def test_the_first_waiver_of_the_file_counts() -> None:
    entries = [Waived("C", pattern, Waiver("o", "d", pattern), None) for pattern in ("x*", "*y", "xy", "")]
    for at, path in enumerate(("xy", "zy", "xy", "z")):
        index = WaiverIndex(entries[at:] if at == 2 else entries)
        found = index.find("C", path)
        assert found is entries[at]


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("failures: {spine: 1000000}", ("expect", "failures", "spine")),
        ("failures: {spine: 999999999999}", ("expect", "failures", "spine")),
        ("paths: {leaf: 999999999999}", ("expect", "paths", "leaf")),
        ("gpus: 999999999999999999999999", ("expect", "gpus")),
        (f"oversubscription: {{leaf: 1.{'0' * 4000}}}", ("expect", "oversubscription", "leaf")),
    ],
)
def test_numbers_that_no_fabric_has(said: str, path: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(f"{QUICKSTART.partition('expect:')[0]}expect: {{{said}}}\n")
    bag = Bag()
    compile_inventory(tmp_path, (), bag)
    assert [item.path for item in bag if item.path[:1] == ("expect",)] == [path]
