"""The cross-device reader accepts a right tree and finds every planted fault in it.

A fault in ``faults/*.yaml`` has a name, the beginning of a finding that must come, and its edits: of a switch's
database by JSON merge patch (RFC 7396), of any text by replacing ``old`` with ``new`` (``first``: only once), or a
file more (``add``) or less (``remove``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import miniature
from .crossread import Expectation, graph_links, judge, read_tree
from .miniature import Tree

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]

FAULTS: dict[str, dict[str, Any]] = {
    f"{path.stem}: {fault['fault']}": fault
    for path in sorted((HERE / "faults").glob("*.yaml"))
    for fault in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
}


def merge(value: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for key, part in patch.items():
        if part is None:
            del merged[key]
        else:
            merged[key] = merge(merged.get(key), part)
    return merged


def edit(tree: Tree, change: dict[str, Any]) -> None:
    """Make one edit; one that changes nothing is a mistake of the test."""
    path = f"switches/{change['switch']}/etc/sonic/config_db.json" if "switch" in change else change["file"]
    before = tree.get(path, "")
    if "merge" in change:
        tree[path] = json.dumps(merge(json.loads(before), change["merge"]), indent=1) + "\n"
    elif "remove" in change:
        del tree[path]
        return
    elif "add" in change:
        tree[path] = change["add"]
    else:
        tree[path] = before.replace(change["old"], change["new"], 1 if change.get("first") else -1)
    assert tree[path] != before, f"the edit of {path} changes nothing"


def faulty(name: str) -> Tree:
    tree = miniature.miniature()
    for change in FAULTS[name]["edits"]:
        edit(tree, change)
    return tree


def test_right_tree_is_accepted(tmp_path: Path) -> None:
    miniature.write(miniature.miniature(), tmp_path)
    assert judge(tmp_path) == []


@pytest.mark.sampled(50, of="name")
@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    miniature.write(faulty(name), tmp_path)
    found = judge(tmp_path)
    assert any(line.startswith(FAULTS[name]["finds"]) for line in found), "\n".join(found) or "nothing found"


def test_graph_is_every_cable(tmp_path: Path) -> None:
    miniature.write(miniature.miniature(), tmp_path)
    links = graph_links(read_tree(tmp_path))
    assert len(links) == 2 * 2 * 2 + 4
    assert frozenset({("gpu-2", "rail1"), ("leaf-2", "Ethernet8")}) in links
    assert frozenset({("leaf-2", "Ethernet88"), ("spine-2", "Ethernet24")}) in links


def test_absent_host_may_dangle_only_when_meant(tmp_path: Path) -> None:
    tree = {path: text for path, text in miniature.miniature().items() if not path.startswith("hosts/gpu-2/")}
    miniature.write(tree, tmp_path)
    assert "leaf-1 Ethernet8: neighbour gpu-2 rail0 does not exist" in judge(tmp_path)
    assert judge(tmp_path, Expectation(absent=frozenset({"gpu-2"}))) == []


def test_intent_may_say_more_than_the_text_proves(tmp_path: Path) -> None:
    miniature.write(miniature.miniature(), tmp_path)
    assert judge(tmp_path, Expectation(lossless=frozenset({3}), priority_by_dscp={26: 3, 46: 6})) == []
    found = judge(tmp_path, Expectation(lossless=frozenset({4}), priority_by_dscp={26: 4}))
    assert "leaf-1 Ethernet0: PFC on priorities [3], the contract says [4]" in found
    assert "leaf-1 Ethernet0: priority by DSCP differs from the intent: 26: 3 and 4" in found


@pytest.mark.parametrize(
    ("spine", "found", "left"),
    [
        (None, "spine-1: says nothing about its ECMP hash", False),
        ({"ecmp_hash_algorithm": "CRC"}, "leaf-1: hashes with CRC, and so does spine-1 above it", True),
    ],
)
def test_silence_about_hashes_may_be_waived_but_not_sameness(
    spine: dict[str, str] | None, found: str, left: bool, tmp_path: Path
) -> None:
    tree = miniature.miniature()
    edit(tree, {"switch": "spine-1", "merge": {"SWITCH_HASH": {"GLOBAL": spine}}})
    miniature.write(tree, tmp_path)
    assert found in judge(tmp_path)
    assert (found in judge(tmp_path, Expectation(unsaid_hashes=True))) is left


@pytest.mark.parametrize(("fault", "code"), [(None, 0), ("links: MTU", 1)])
def test_command_line(fault: str | None, code: int, tmp_path: Path) -> None:
    miniature.write(faulty(fault) if fault else miniature.miniature(), tmp_path)
    command = [sys.executable, "-m", "tests.judges.crossread", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert ("mtu 9100" in done.stdout) == (code == 1)
    assert "4 switches, 2 hosts, 12 links; 4 rails of 2 hosts: 2 hosts on 2 leafs each" in done.stderr


def test_empty_tree_is_a_finding(tmp_path: Path) -> None:
    assert judge(tmp_path) == [f"{tmp_path}: no device in this tree"]
