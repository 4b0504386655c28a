"""Values that may also be a word: one fault for one mistake, which names both."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.intent.load import load_intent
from fabricgen.source import load_document

REPOSITORY = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("routing: {ecmp: {max_paths: 2000}}", "max_paths is 2000; at most 1024 is allowed", "use at most 1024"),
        ("routing: {ecmp: {max_paths: atuo}}", "'atuo' is not auto, or a whole number", "write auto"),
        ("routing: {ecmp: {max_paths: [1]}}", "[1] is not auto, or a whole number", "write auto, or a whole number"),
        ("addressing: {management: {pool: 10.9.0.0/16, gateway: frist}}", "'frist' is not first, last, or", "first"),
        ("addressing: {fabric_links: unumbered}", "'unumbered' is not unnumbered, or an address pool", "unnumbered"),
        ("addressing: {fabric_links: 10.0.0.1/8}", "has host bits set; the pool is 10.0.0.0/8", "write 10.0.0.0/8"),
        ("lossless: {ecn: Computed}", "'Computed' is not computed, or the name of", "write computed"),
        (
            "exceptions: [{device: a, reason: x, set: {mtu: {c: 1}}}]",
            "set.mtu is not a text, a number",
            "write a text, a number",
        ),
    ],
)
def test_one_mistake_is_one_fault(line: str, message: str, hint: str, tmp_path: Path) -> None:
    key = line.partition(":")[0]
    quickstart = (REPOSITORY / "inventories/quickstart/fabric.yaml").read_text().splitlines()
    file = tmp_path / "fabric.yaml"
    file.write_text("\n".join([*(old for old in quickstart if not old.startswith(f"{key}:")), line, ""]))
    bag = Bag()
    document = load_document(file, bag)
    assert document is not None
    assert load_intent(document, bag).record is not None
    (fault,) = [item for item in bag if item.severity.value == "error"]
    assert message in fault.message
    assert hint in fault.hint
