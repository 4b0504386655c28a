"""One error hides no other: faults of every stage in one run, and no follow-ups of a name that nothing is known of."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.acceptance.operator_faults import errors_of

REPOSITORY = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"\b(model|platform|nic|server): *(\w+)")


def copy_of(inventory: str, folder: Path) -> tuple[Path, str]:
    shutil.copytree(REPOSITORY / "inventories" / inventory, folder / inventory)
    return folder / inventory, (folder / inventory / "fabric.yaml").read_text(encoding="utf-8")


EXCEPTIONS = """\
exceptions:
  - device: spine-02
    raw: {sonic: zone.json}
    reason: a vendor case
  - device: spine-99
    state: drained
    reason: optics
"""


@pytest.mark.parametrize("inventory", ["quickstart", "rail-1k"])
def test_an_unknown_name_is_one_error(inventory: str, tmp_path: Path) -> None:
    folder, text = copy_of(inventory, tmp_path)
    found = list(NAMED.finditer(text))
    assert {match[1] for match in found} == {"model", "platform", "nic", "server"}
    for match in found:
        changed = f"{text[: match.start(2)]}unheard_of{text[match.end(2) :]}"
        (folder / "fabric.yaml").write_text(changed, encoding="utf-8")
        line = changed.count("\n", 0, match.start()) + 1
        told = [(item.code, item.place.line if item.place else 0) for item in errors_of(folder)]
        assert told == [("FG-PLT-001" if match[1] == "platform" else "FG-CAT-001", line)]


def test_an_unknown_model_hides_nothing_that_does_not_rest_on_it(tmp_path: Path) -> None:
    folder, text = copy_of("rail-1k", tmp_path)
    for old, new in (
        ("leaf: {model: arista_7060x6_64pe", "leaf: {model: unheard_of"),
        ("gpus: 1024", "gpus: 1000"),
        ("loopbacks: 10.255.0.0/16", "loopbacks: 10.255.0.0/30"),
        ("length_m: 50}", "length_m: 5000}"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "fabric.yaml").write_text(text + EXCEPTIONS, encoding="utf-8")
    told = {item.code for item in errors_of(folder)}
    assert {"FG-CAT-001", "FG-EXP-001", "FG-ADR-001", "FG-TOP-020", "FG-EXC-001", "FG-EXC-017"} <= told
