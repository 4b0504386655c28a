"""Semantics files: which rule holds for which path, and where each fault of a file is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import KINDS, template_root
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.reading.reader import ReadFault, locate_in_json, read_json, read_lines, read_yaml
from fabricgen.platforms.reading.semantics import PLAIN, Semantics, load_semantics

RULES = """\
compare: text
split: 2
managed: [PORT, "VLAN*"]
rules:
  - {path: PORT, disruption: port flap, title: port}
  - {path: "PORT > *", disruption_add: reboot}
  - {path: "PORT > * > mtu", title: MTU, unit: bytes, default: 9100, disruption: hitless}
  - {path: "PORT > Eth* > mac", owner: device}
  - {path: "PORT > * > key", secret: true}
"""


def load(tmp_path: Path, text: str) -> tuple[Semantics | None, Bag]:
    (tmp_path / "toy.yaml").write_text(text)
    bag = Bag()
    return load_semantics(tmp_path, "toy.yaml", bag), bag


def test_a_rule_holds_for_what_is_below_it_until_a_longer_one_says_otherwise(tmp_path: Path) -> None:
    semantics, bag = load(tmp_path, RULES)
    assert not list(bag)
    assert (semantics.as_text, semantics.split) == (True, 2)
    row = semantics.root.child("PORT").child("Ethernet0")
    assert (row.get("title"), row.get("disruption"), row.get("disruption_add")) == ("port", "port flap", "reboot")
    assert list(row.defaults()) == [("mtu", "9100")]
    mtu = row.child("mtu")
    assert [*map(mtu.get, ("title", "unit", "disruption")), mtu.default] == ["MTU", "bytes", "hitless", "9100"]
    assert row.child("speed").default is None
    assert (row.child("speed").get("unit"), row.child("speed").get("disruption_add")) == ("", "")
    assert row.child("mac").owner == "device"
    assert semantics.root.child("PORT").child("swp1").child("mac").owner == "fabricgen"
    assert row.child("key").is_secret


def test_only_what_is_managed_is_ours(tmp_path: Path) -> None:
    semantics, _ = load(tmp_path, RULES)
    assert [semantics.manages(step) for step in ("PORT", "VLAN_MEMBER", "FEATURE")] == [True, True, False]
    assert PLAIN.manages("anything")


FAULTS = {
    "unknown key": ("split: 2", "splits: 2", "FG-INT-001", 2),
    "disruption": ("disruption: port flap", "disruption: flap", "FG-INT-003", 5),
    "owner": ("owner: device", "owner: nobody", "FG-INT-003", 8),
    "secret": ("secret: true", "secret: maybe", "FG-INT-003", 9),
    "no path": ('path: "PORT > * > key", ', "", "FG-INT-002", 9),
    "unknown key of a rule": ("unit: bytes", "units: bytes", "FG-INT-001", 7),
    "compare": ("compare: text", "compare: words", "FG-INT-003", 1),
    "reader": ("compare: text", "reader: no_such.module", "FG-INT-001", 1),
    "split": ("split: 2", "split: two", "FG-INT-003", 2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_a_code_and_a_line(tmp_path: Path, name: str) -> None:
    old, new, code, line = FAULTS[name]
    assert old in RULES
    semantics, bag = load(tmp_path, RULES.replace(old, new))
    assert semantics is None
    (found,) = list(bag)
    assert found.code == code
    assert found.place.line == line


def test_shipped_semantics_are_sound() -> None:
    bag = Bag()
    root = template_root()
    specs = [spec for kind in KINDS for spec in load_all(kind, bag, [root]).values()]
    named = {(output.semantics, spec.platform.format_of(output.path)) for spec in specs for output in spec.outputs}
    for name, file_format in named:
        assert load_semantics(root, name, bag, file_format) is not None
    files = {p.relative_to(root).as_posix() for p in root.rglob("*.yaml") if "\nrules:" in p.read_text("utf-8")}
    assert files <= {name for name, _ in named}
    assert not list(bag)


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ('{"a": 1,\n "b": {', "not JSON", 2),
        ('{"a": 1,\n"b": {"c": 1,\n"c": 2}}', "a key is given twice", 3),
        ("[1]", "not an object", 0),
        ("\x00\x01", "not JSON", 1),
    ],
)
def test_json_that_is_none_is_told_with_its_line(text: str, words: str, line: int) -> None:
    with pytest.raises(ReadFault, match=words) as found:
        read_json(text)
    assert found.value.line == line


def test_yaml_and_lines_become_trees() -> None:
    assert read_yaml("network:\n  version: 2\n") == {"network": {"version": 2}}
    with pytest.raises(ReadFault):
        read_yaml("network: [\n")
    assert read_lines("#!/bin/sh\n# why\n\nset -eu  \n") == {"lines": ["#!/bin/sh", "set -eu"]}


def test_a_path_of_a_json_text_has_a_line() -> None:
    text = '{\n"A": {\n "x": {"mtu": 1},\n "y": {"mtu": 2}\n}\n}'
    assert locate_in_json(text, ("A", "y", "mtu")) == 4
    assert locate_in_json(text, ("A",)) == 2
