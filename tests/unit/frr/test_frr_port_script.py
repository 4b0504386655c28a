"""Thresholds of the script of the ports: what the patch changes in place is what the script would set."""

from __future__ import annotations

import re

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.frr import PLATFORM
from fabricgen.platforms.frr.port_script import PATH
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.steps import PatchStep, Situation, worst
from fabricgen.platforms.reading.semantics import load_semantics
from tests.acceptance.run import REPOSITORY
from tests.judges.crossread.rehearsal import Stage, rehearse

SCRIPT = (REPOSITORY / "tests/golden/expected/conformance-frr/config/switches/leaf-p1-u01-r0" / PATH).read_text()
MARKING = " 200000 800000 0.05 400"
TOOLS = ("dcb", "devlink", "ethtool", "tc")


def plan(deployed: str) -> tuple[str, list[PatchStep]]:
    """Return what the change of a deployed script to the rendered one disturbs, and its steps."""
    kind = PLATFORM.format_of(PATH)
    semantics = load_semantics(template_root(), "switch/frr/port.yaml", Bag(), kind)
    assert semantics is not None
    before, after = kind.read(deployed), kind.read(SCRIPT)
    changes = compare_trees(before, after, semantics).changes
    situation = Situation(PATH, changes, before, after, deployed, SCRIPT, semantics, 0o755)
    return worst([change.disruption for change in changes]), [*PLATFORM.patcher(PATH).plan(situation)]


def test_other_thresholds_are_changed_in_place_as_the_script_sets_them() -> None:
    disruption, steps = plan(SCRIPT.replace(MARKING, " 150000 500000 0.1 267"))
    assert disruption == "hitless"
    assert {step.disruption for step in steps} == {"hitless"}
    assert [step.command for step in steps] == [f"install -D -m 755 {{file}} /{PATH}", "tc -batch {file}"]
    ports = re.findall(rf"^(\S+) .*{MARKING}$", SCRIPT, re.MULTILINE)
    stage = Stage(tuple((tool, "") for tool in TOOLS), folders=tuple(f"class/net/{port}" for port in ports))
    done = rehearse(SCRIPT, ("all",), stage).calls["tc"]
    assert len(ports) == 12
    assert sorted(line.split() for line in steps[-1].content.splitlines()) == sorted(
        ["qdisc", "change", *words[2:]] for words in done if "red" in words
    )


@pytest.mark.parametrize(
    "deployed",
    [
        SCRIPT.replace(" 433578 ", " 400000 "),
        SCRIPT.replace(MARKING, " 0 0 0 0", 1),
        SCRIPT.replace(MARKING, " much more 0.05 400", 1),
        SCRIPT.replace(MARKING, " 150000 500000 0.1 267").replace("burst", "bandwidth 1gbit burst"),
    ],
    ids=["buffers", "unmarked port", "no numbers", "another discipline"],
)
def test_all_else_sets_the_ports_anew_behind_a_drain(deployed: str) -> None:
    disruption, steps = plan(deployed)
    assert disruption == "drain"
    assert [step.command for step in steps] == [
        f"install -D -m 755 {{file}} /{PATH} && systemctl restart fabricgen-port@all"
    ]


@pytest.mark.parametrize("text", [SCRIPT, SCRIPT.replace(MARKING, ""), "PORTS='\n'\n", ""])
def test_a_written_script_reads_as_it_did(text: str) -> None:
    kind = PLATFORM.format_of(PATH)
    assert kind.write is not None
    assert kind.read(kind.write(kind.read(text))) == kind.read(text)
