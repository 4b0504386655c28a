"""Lines that say what is not set, what a device has by itself, and what is not ours: never answered by the opposite."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.eos import PLATFORM
from fabricgen.platforms.patching.steps import ABSENT
from fabricgen.platforms.reading.semantics import Semantics, load_semantics

SEMANTICS = """\
absence: "no"
defaults: defaults
managed: ["interface *", "logging *"]
rules:
  - {path: "interface Ethernet*", default: exists}
  - {path: "interface * > load-interval", owner: operator}
"""
DEFAULTS = """\
! a source
interface *
   no shutdown
   lldp transmit
logging console
"""


@pytest.fixture
def semantics(tmp_path: Path) -> Semantics:
    (tmp_path / "config.yaml").write_text(SEMANTICS)
    (tmp_path / "defaults").write_text(DEFAULTS)
    bag = Bag()
    found = load_semantics(tmp_path, "config.yaml", bag, PLATFORM.format_of(""))
    assert found is not None, list(bag)
    return found


@pytest.mark.parametrize(("key", "value"), [("shutdown", "no"), ("lldp transmit", "yes")])
def test_a_default_that_is_written_is_no_difference(semantics: Semantics, key: str, value: str) -> None:
    written, left_out = {"interface Loopback0": {"mtu": "1", key: value}}, {"interface Loopback0": {"mtu": "1"}}
    assert compare_trees(written, left_out, semantics).is_empty
    assert compare_trees(left_out, written, semantics).is_empty


def test_what_is_turned_off_against_its_default_is_a_difference(semantics: Semantics) -> None:
    found = compare_trees({"interface Ethernet1": {"lldp transmit": "no"}}, {"interface Ethernet1": {}}, semantics)
    assert [(c.steps[-1], c.before, c.after) for c in found.changes] == [("lldp transmit", "no", ABSENT)]


def test_a_line_of_absence_without_known_default_is_a_remark(semantics: Semantics) -> None:
    device, intent = {"interface Ethernet1": {"sflow enable": "no"}}, {"interface Ethernet1": {"mtu": "9100"}}
    found = compare_trees(device, intent, semantics)
    assert [change.steps[-1] for change in found.changes] == ["mtu"]
    assert found.negated == [("interface Ethernet1", "sflow enable")]
    # What the intent negates is meant, whatever the default is.
    assert [change.after for change in compare_trees({}, device, semantics).changes] == ["no"]


def test_a_section_that_is_there_by_itself_is_only_what_it_says(semantics: Semantics) -> None:
    assert compare_trees({"interface Ethernet1": {"shutdown": "no"}}, {}, semantics).is_empty
    found = compare_trees({"interface Ethernet1": {"mtu": "9100"}, "interface Vlan1": {"mtu": "1"}}, {}, semantics)
    assert [change.steps for change in found.changes] == [("interface Ethernet1", "mtu"), ("interface Vlan1",)]


def test_what_is_not_ours_is_a_hitless_change_only_where_it_is_asked_for(semantics: Semantics) -> None:
    device = {"daemon X": {"exec": "yes"}, "alias x": "no", "interface Ethernet1": {"load-interval": "5"}}
    found = compare_trees(device, {}, semantics)
    assert (found.changes, found.unmanaged) == ([], [("interface Ethernet1", "load-interval"), ("daemon X",)][::-1])
    asked = compare_trees(device, {}, semantics, unmanaged=True)
    assert [change.steps for change in asked.changes] == [("daemon X",), ("interface Ethernet1", "load-interval")]
    assert {change.disruption for change in asked.changes} == {"hitless"}
    assert not asked.unmanaged


def test_defaults_that_cannot_be_read_are_a_fault_of_the_platform(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(SEMANTICS)
    bag = Bag()
    assert load_semantics(tmp_path, "config.yaml", bag, PLATFORM.format_of("")) is None
    assert "the defaults defaults cannot be read" in next(iter(bag)).message
