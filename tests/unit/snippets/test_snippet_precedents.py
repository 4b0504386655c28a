"""A verdict that switches share is the one that each of them would get by itself, also where one of them collides."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.platforms.eos.reader import read as read_eos
from fabricgen.platforms.reading.reader import ReadFault, Tree, read_json
from fabricgen.render.engine import Renderer
from fabricgen.snippets import result_cache
from fabricgen.snippets.result_cache import overlaid_commands, overlaid_json
from fabricgen.snippets.verdict import SwitchResult, build_verdict
from tests.unit.snippets.snippet_fabric import BOARD, INTENT, MODELS

NAMES = [f"leaf-u00{unit}-r{first}" for unit in (1, 2) for first in (0, 4)] + ["spine-01", "spine-02"]
FILES = {
    "sonic": ("config_db.json", "etc/sonic/config_db.json"),
    "sonic frr": ("frr.conf", "etc/sonic/frr/frr.conf"),
    "frr": ("frr.conf", "etc/frr/frr.conf"),
    "eos": ("startup-config.cli", "mnt/flash/startup-config"),
    "fboss": ("agent.json", "etc/coop/agent.conf"),
    "fboss bgp": ("bgpcpp.json", "etc/coop/bgpcpp.conf"),
}
SEEDS = range(8)


def write_all(folder: Path, kind: str, text: str, *, said: str = "") -> Path:
    """Write a fabric in which one snippet is laid over every switch."""
    platform, (file, _) = kind.split()[0], FILES[kind]
    board = ", board_data: board.yaml" if platform == "fboss" else ""
    intent = INTENT.format(model=MODELS[platform], platform=platform, board=board)
    rows = [f"  - {{device: {name}, raw: {{{platform}: {file}}}, reason: a vendor case}}\n" for name in NAMES]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yaml").write_text(intent + "".join(rows) + said)
    (folder / file).write_text(text)
    (folder / "board.yaml").write_text(BOARD)
    return folder


def judge_all(folder: Path) -> list[Diagnostic]:
    """Return what is reported of the exceptions of an inventory."""
    bag = Bag()
    assert compile_inventory(folder, (), bag) is not None
    return sorted((item for item in bag if item.code.startswith("FG-EXC-")), key=lambda item: str(item))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """The files of switches without their snippet, rendered once for each kind."""
    return cache(lambda kind: render_all(tmp_path_factory.mktemp("bare"), kind))


def render_all(folder: Path, kind: str) -> list[str]:
    """Return the file of every switch as it is without its snippet."""
    compiled = compile_inventory(write_all(folder, kind, "{}" if FILES[kind][0].endswith("json") else "!\n"), (), Bag())
    assert compiled is not None
    assert compiled.plan is not None
    assert compiled.platforms is not None
    lowering, renderer = Lowering(compiled.plan), Renderer(compiled.platforms, Bag())
    files = [renderer.render_switch(lowering.lower_switch(device)) for device in compiled.plan.exceptions.switches]
    return [file.data.decode() for own in files for file in own if file.path.endswith(FILES[kind][1])]


def paths(tree: Any, steps: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every path of a JSON object with what stands there."""
    for key, value in tree.items():
        yield (*steps, key), value
        if isinstance(value, dict):
            yield from paths(value, (*steps, key))


def draw_json(rng: random.Random, texts: list[str]) -> str:
    """A patch of what one switch has: taken away, set to something else, set to the same, or set below a new key."""
    patch: dict[str, Any] = {}
    for _ in range(rng.randint(1, 3)):
        steps, value = rng.choice(list(paths(json.loads(rng.choice(texts)))))
        other = rng.choice(list(paths(json.loads(rng.choice(texts)))))
        new = rng.choice([value, None, "wibble", other[0][-1], other[1] if not isinstance(other[1], dict) else 7])
        node = patch
        for step in steps[:-1]:
            node = node.setdefault(step, {})
            if not isinstance(node, dict):
                break
        else:
            node[rng.choice([steps[-1], steps[-1], f"{steps[-1]}9", other[0][-1]])] = new
    return json.dumps(patch)


def draw_commands(rng: random.Random, texts: list[str]) -> str:
    """Lines of a switch, each below the line that enters its section, some with a word of another switch, or undone."""
    found: list[str] = []
    for _ in range(rng.randint(1, 4)):
        lines = [line for line in rng.choice(texts).split("\n") if line.strip() and line.strip() not in ("!", "end")]
        at = rng.randrange(len(lines))
        head = next((line for line in reversed(lines[: at + 1]) if not line.startswith(" ")), "")
        words = lines[at].split(" ")
        change = rng.randrange(4)
        if change == 0:
            words[-1] = rng.choice(rng.choice(texts).split())
        elif change == 1:
            words[-1] = "9"
        text = " ".join(words)
        indent = text[: len(text) - len(text.lstrip())]
        found += [head] if indent else []
        found.append(f"{indent}no {text.lstrip()}" if change == 2 else text)
    return "\n".join(found) + "\n"


@pytest.mark.nightly
@pytest.mark.sampled(1, of="seed")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", FILES)
def test_shared_verdict_is_that_of_each(
    kind: str, seed: int, bare: Callable[[str], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same findings, whether switches share a verdict or each is judged by itself."""
    rng = random.Random(f"{kind}{seed}")
    texts = bare(kind)
    text = draw_json(rng, texts) if FILES[kind][0].endswith("json") else draw_commands(rng, texts)
    folder = write_all(tmp_path / "laid", kind, text)
    shared = judge_all(folder)
    monkeypatch.setattr(result_cache, "_KEPT", 0)
    assert [str(item) for item in shared] == [str(item) for item in judge_all(folder)], text


def test_changed_fact_has_the_value_of_its_switch(tmp_path: Path) -> None:
    found = judge_all(write_all(tmp_path, "sonic", '{"INTERFACE": {"Ethernet0|192.0.2.1/31": {}}}'))
    told = {item.message.partition(";")[0] for item in found if item.code == "FG-EXC-061"}
    addresses = ["172.16.0.0", "172.16.0.16", "172.16.0.32", "172.16.0.48", "10.0.0.0", "10.0.0.4"]
    assert told == {
        f"{name} Ethernet0: address {address}/31 192.0.2.1/31" for name, address in zip(NAMES, addresses, strict=True)
    }


PLAIN = {
    "sonic": '{"SYSLOG_SERVER": {"192.0.2.9": {"port": "514"}}}',
    "sonic frr": "ip prefix-list EXTRA seq 5 permit 192.0.2.0/24\n",
    "frr": "ip prefix-list EXTRA seq 5 permit 192.0.2.0/24\n",
    "eos": "interface Ethernet1/1\n   mtu 9000\n",
    "fboss": '{"sw": {"arpAgerInterval": 6}}',
    "fboss bgp": '{"eor_time_s": 7}',
}


@pytest.mark.parametrize("kind", PLAIN)
def test_snippet_is_judged_once_for_each_class(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four leafs and two spines: two verdicts."""
    judged: list[str] = []

    def count(texts: Mapping[str, str], *rest: Any) -> SwitchResult:
        judged.append(next(iter(texts.values())))
        return build_verdict(texts, *rest)

    monkeypatch.setattr(result_cache, "build_verdict", count)
    judge_all(write_all(tmp_path, kind, PLAIN[kind]))
    assert len(judged) == 2


def test_switch_with_a_setting_of_its_own_is_judged_by_itself(tmp_path: Path) -> None:
    """A port that only one leaf has by another exception is where only there the snippet changes a value."""
    own = "  - {device: leaf-u001-r4, set: {operations.timezone: Europe/Berlin}, reason: own}\n"
    text = '{"DEVICE_METADATA": {"localhost": {"timezone": "Europe/Berlin"}}}'
    found = judge_all(write_all(tmp_path, "sonic", text, said=own))
    changed = {item.message.rpartition(" of ")[2] for item in found if item.code == "FG-EXC-021"}
    assert changed == {*NAMES} - {"leaf-u001-r4"}


@pytest.mark.parametrize(
    ("patch", "other", "alike"),
    [
        ({"a": {"x": "9"}}, {"a": {"x": "1"}, "b": {"y": "3"}}, True),
        ({"a": {"x": "9"}}, {"a": {"x": "2"}, "b": {"y": "2"}}, False),
        ({"a": {"x": "9"}}, {"a": {"x": "1", "z": "1"}, "b": {"y": "2"}}, False),
        ({"a": {"z": "9"}}, {"b": {"y": "2"}}, False),
        ({"b": None}, {"a": {"x": "1"}, "b": {"y": "1"}}, False),
        ({"c": {"d": {"e": "1"}}}, {"a": {"x": "2"}, "b": {"y": "1"}}, True),
        ({"a": {}}, {"a": {"x": "2"}, "b": {"y": "2"}}, True),
    ],
)
def test_files_are_alike_where_a_patch_sets_something(patch: Tree, other: Tree, alike: bool) -> None:
    text = json.dumps({"a": {"x": "1"}, "b": {"y": "2"}})
    assert overlaid_json(text, [json.dumps(patch)], read_json, ()).is_alike(json.dumps(other)) is alike


@pytest.mark.parametrize(
    ("snippet", "other", "alike"),
    [
        ("interface Ethernet2\n mtu 9000\n", ("1 2", "9000"), True),
        ("interface Ethernet1\n mtu 9000\n", ("2 1", "9000"), True),
        ("interface Ethernet1\n description 1 2\n", ("2 1", "9000"), False),
        ("no interface Ethernet1\n", ("2 1", "9000"), False),
        ("interface Ethernet1\n mtu 9000\n", ("1 2", "1500"), False),
        (" mtu 9000\n", ("1 2", "9000"), False),
    ],
)
def test_sections_are_alike_where_commands_set_something(snippet: str, other: tuple[str, str], alike: bool) -> None:
    form = "hostname x\n!\ninterface Ethernet1\n description {}\n mtu {}\n!\ninterface Ethernet2\n mtu 9\n"
    try:
        overlaid = overlaid_commands(form.format("1 2", "9000"), [snippet], read_eos, ())
    except ReadFault:
        assert not alike
        return
    assert overlaid.is_alike(form.format(*other)) is alike
