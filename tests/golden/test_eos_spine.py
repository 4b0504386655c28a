"""An EOS spine with a link on every port that takes one, and its service ports: golden, and judged from outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Renderer
from tests.golden.conftest import Compare
from tests.judges.batfish import __main__ as batfish
from tests.judges.crossread.text.eos_modes import stray_commands

FABRIC = Path(__file__).parents[1] / "fabrics/full-spine"
SPINE = "spine-01"


@pytest.fixture(scope="module")
def text() -> str:
    bag = Bag()
    made = compile_inventory(FABRIC, (), bag)
    assert not bag.has_errors, [diagnostic.message for diagnostic in bag]
    assert made.platforms is not None
    switches = map(Lowering(made.plan).lower_switch, made.plan.switches())
    spine = next(switch for switch in switches if switch.hostname == SPINE)
    (file,) = Renderer(made.platforms, bag).render_switch(spine)
    return file.data.decode()


def test_golden(text: str, golden: Compare) -> None:
    golden("eos-full-spine", {f"{SPINE}.startup-config": text})


def test_every_port_of_the_box_is_there_under_the_name_that_eos_gives_it(text: str) -> None:
    names = re.findall(r"^interface Ethernet(\S+)$", text, re.MULTILINE)
    assert names == [*(f"{cage}/{lane}" for cage in range(1, 65) for lane in (1, 5)), "65", "66"]
    assert text.count("\n   no switchport\n") == 128
    assert re.findall(r"^interface (\S+)\n   shutdown$", text, re.MULTILINE) == ["Ethernet65", "Ethernet66"]


def test_no_refused_name_changes_another_port(text: str) -> None:
    assert list(stray_commands(text)) == []


def test_arista_s_generator_prints_the_same(text: str) -> None:
    avd = pytest.importorskip("tests.judges.avd.__main__", reason="Arista's generator, pyavd, is not installed")
    assert avd.findings(text) == []


def test_batfish_parses_it(text: str, tmp_path: Path) -> None:
    if batfish.missing():
        pytest.skip(f"batfish: {batfish.missing()}")
    file = tmp_path / "startup-config"
    file.write_text(text, encoding="utf-8")
    assert batfish.findings([file]) == []
