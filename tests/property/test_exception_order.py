"""The order of exceptions decides nothing: neither the plan nor what is reported."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic, Place
from fabricgen.plan.model.fabric import FabricPlan
from tests.sampling import EVERYTHING, FRESH

INVENTORIES = Path(__file__).parents[2] / "inventories"
SEEDS = [*range(60 if EVERYTHING else 6), 1000 + FRESH, 2000 + FRESH]
SPINES = ["spine-01", "spine-02", "spine-03"]
LEAFS = ["leaf-u001-r0", "leaf-u001-r4", "leaf-u002-r0"]
HOSTS = ["gpu-u001-h01", "gpu-u001-h02", "gpu-u002-h01", "gpu-u00[1-2]-h01", "gpu-u009-*"]
SETTINGS: dict[str, list[Any]] = {
    "operations.ntp": [["192.168.0.20"], ["192.168.0.21"], ["10.0.0.1"]],
    "operations.timezone": ["Europe/Berlin", "UTC", "nowhere"], "operations.gnmi.port": [9339, 9340, 0],
    "lossless.watchdog.detection_ms": [100, 400, -1], "routing.ecmp.max_paths": [1, 8], "operations.nothing": [1],
}  # fmt: skip

Said = dict[str, Any]


def _draw(dice: Random) -> list[Said]:
    """Exceptions of few devices and links, so that several are about the same one, and some contradict others."""
    kinds = [_of_device, _of_switch_link, _of_switch_link, _of_host_link, _of_host]
    return [{**dice.choice(kinds)(dice), "reason": f"reason {number}"} for number in range(dice.randint(2, 14))]


def _of_device(dice: Random) -> Said:
    said: Said = {
        "device": dice.choice([*SPINES, *LEAFS, "leaf-u009-r0", "spine-*", "leaf-u00[1-2]-r0", "leaf-u00[1-9]-r0"])
    }
    for key, value in dice.sample(sorted(_sayings(dice).items()), dice.randint(1, 2)):
        said[key] = value
    return said


def _sayings(dice: Random) -> Said:
    chosen = dice.sample(sorted(SETTINGS), dice.randint(1, 3))
    return {
        "state": dice.choice(["drained", "absent"]),
        "set": {key: dice.choice(SETTINGS[key]) for key in chosen},
        "raw": {"sonic": f"snippets/{dice.choice('abc')}.json"},
    }


def _of_host(dice: Random) -> Said:
    return {"host": dice.choice(HOSTS), "state": dice.choice(["drained", "absent"])}


def _of_switch_link(dice: Random) -> Said:
    ends = [dice.choice(LEAFS), dice.choice(SPINES)]
    said: Said = {"link": ends} | ({"n": dice.randint(1, 2)} if dice.random() < 0.6 else {})
    ports = {dice.choice(ends): dice.choice(["40/1", "41/1", "999"])}
    return said | _some_of_link(dice, dice.choice(SPINES), ports)


def _of_host_link(dice: Random) -> Said:
    ends = [dice.choice(HOSTS[:2]), dice.choice(LEAFS[:2])]
    said: Said = {"link": ends, "n": dice.randint(1, 2)}
    return said | _some_of_link(dice, dice.choice(LEAFS), {ends[1]: dice.choice(["1/1", "2/1", "60"])})


def _some_of_link(dice: Random, to: str, ports: Said) -> Said:
    options: Said = {
        "state": dice.choice(["drained", "absent"]),
        "to": to,
        "ports": ports,
        "cable": dice.choice([{"length_m": 2}, {"length_m": 5000}, {"media": "aoc"}, {"length_m": 20, "media": "smf"}]),
        "set": {"mtu": dice.choice([9000, 9100, 9216, 100])},
    }
    return {key: options[key] for key in dice.sample(sorted(options), dice.randint(1, 2))}


def _compile(folder: Path, intent: Said, exceptions: list[Said]) -> tuple[FabricPlan | None, set[str]]:
    """The plan, and all that is reported, by the exceptions that are quoted instead of their lines and paths."""
    file = folder / "fabric.yaml"
    rows = "".join(f"  - {json.dumps(row)}\n" for row in exceptions)
    file.write_text(yaml.safe_dump(intent, sort_keys=False) + f"exceptions:\n{rows}", encoding="utf-8")
    lines, bag = file.read_text(encoding="utf-8").split("\n"), Bag()
    compiled = compile_inventory(folder, (), bag)

    def quote(place: Place | None) -> str:
        return f"{lines[place.line - 1]} {place.column}" if place and place.file == str(file) else str(place)

    def describe(found: Diagnostic) -> str:
        related = sorted(f"{other.text} {quote(other.place)}" for other in found.related)
        # Which of two items with one key is the first is for the document to say.
        where = "" if found.code == "FG-SRC-016" else (quote(found.place), related)
        return repr((found.code, found.count, found.message, found.hint, where))

    return _without_places(compiled.plan), {describe(found) for found in place_diagnostics(bag, compiled.document)}


def _without_places(plan: FabricPlan | None) -> FabricPlan | None:
    """The plan without the paths of snippets: of exceptions with one key they are numbered as they are written."""
    if plan is None:
        return None
    switches = {
        device: found._replace(raw=tuple(snippet._replace(named_at=()) for snippet in found.raw))
        for device, found in plan.exceptions.switches.items()
    }
    return plan._replace(exceptions=plan.exceptions._replace(switches=switches))


@pytest.mark.sampled(3, of="seed")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_exceptions_decides_nothing(seed: int, tmp_path: Path) -> None:
    dice = Random(seed)
    intent = yaml.safe_load((INVENTORIES / "irregular" / "fabric.yaml").read_text(encoding="utf-8"))
    del intent["exceptions"], intent["assets"]
    (tmp_path / "snippets").mkdir()
    for name in "abc":
        said = {"NTP_SERVER": {f"192.168.0.{ord(name)}": {}}, "SYSLOG_SERVER": {"192.168.0.9": {"port": ord(name)}}}
        (tmp_path / "snippets" / f"{name}.json").write_text(json.dumps(said), encoding="utf-8")
    exceptions = _draw(dice)
    written = _compile(tmp_path, intent, exceptions)
    for _ in range(2):
        dice.shuffle(exceptions)
        shuffled = _compile(tmp_path, intent, exceptions)
        assert shuffled[1] == written[1], exceptions
        assert shuffled[0] == written[0], exceptions


def test_a_leaf_that_two_exceptions_set_is_reported_with_both_places(tmp_path: Path) -> None:
    intent = yaml.safe_load((INVENTORIES / "irregular" / "fabric.yaml").read_text(encoding="utf-8"))
    del intent["exceptions"], intent["assets"]
    link, device = {"link": ["leaf-u001-r0", "spine-01"]}, {"device": "spine-02"}
    exceptions = [
        {**link, "set": {"mtu": 9000}, "reason": "a"},
        {**link, "n": 2, "set": {"mtu": 9216}, "reason": "b"},
        {**device, "set": {"operations.timezone": "UTC"}, "reason": "c"},
        {**device, "state": "drained", "set": {"operations.timezone": "Europe/Berlin"}, "reason": "d"},
    ]
    _, found = _compile(tmp_path, intent, exceptions)
    twice = sorted(text for text in found if "FG-EXC-002" in text)
    assert len(twice) == 2
    for text, places in zip(twice, (("9000", "9216"), ("UTC", "Europe/Berlin")), strict=True):
        assert all(place in text for place in places), text
