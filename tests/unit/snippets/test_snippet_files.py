"""Valid texts have no finding: every rendered golden file, and the snippets of all inventories."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.platforms.commands.snippets import Fault, Kind, Laid
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN

NOTHING = Redaction(PLAIN.root)
ROOT = Path(__file__).resolve().parents[3]
EXPECTED = ROOT / "tests" / "golden" / "expected"
JUDGES = {
    "frr.conf": "families.vtysh",
    "startup-config": "eos",
    "config_db.json": "sonic",
    "agent.conf": "fboss",
    "bgpcpp.conf": "fboss",
}
FILES = [path for name in JUDGES for path in sorted(EXPECTED.rglob(name))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(path.relative_to(EXPECTED).parts[:4:3]))
def test_rendered_file_has_no_finding(path: Path) -> None:
    judge = import_module(f"fabricgen.platforms.{JUDGES[path.name]}.snippet").judge_snippet
    text = path.read_text(encoding="utf-8").replace("@fabricgen-secret:env:SNMP_COMMUNITY@", "community")
    before = "{}" if path.suffix == ".json" or JUDGES[path.name] == "fboss" else ""
    others = {str(each): each.read_text() for each in path.parent.parent.parent.rglob("*") if each.is_file()}
    found = [item for item in judge(Laid(text, before, text, "", "", others, NOTHING)) if isinstance(item, Fault)]
    assert [(item.kind is Kind.UNKNOWN, item.message) for item in found] == []


@pytest.mark.parametrize("name", [path.parent.name for path in sorted((ROOT / "inventories").glob("*/snippets"))])
def test_snippets_of_inventories_have_no_finding(name: str) -> None:
    bag = Bag()
    compile_inventory(ROOT / "inventories" / name, (), bag)
    assert [item.message for item in bag if item.code.startswith("FG-EXC-") and "snippets" in str(item.place)] == []
