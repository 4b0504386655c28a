"""Hints with the figures of a fabric that holds."""

from __future__ import annotations

from pathlib import Path

from fabricgen.compiler.compile import compile_document
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.source import load_text_document

INTENT = """\
fabric: hints
hosts: {{server: dgx_h100_8, nic: connectx7_400g, per_unit: 32}}
units: {{count: {units}, max: {units}}}
tiers:
  leaf: {{model: dell_z9664f, platform: sonic}}
  spine: {{model: dell_z9664f, platform: sonic, per: fabric, count: {spines}}}
links:
  host-leaf: {{speed: 400G, cable: {{media: mmf, length_m: 30}}}}
  leaf-spine: {{speed: 400G, cable: {{media: smf, length_m: 50}}}}
expect: {{oversubscription: {{leaf: "{ratio}"}}}}
"""


def found(code: str, units: int, spines: int, ratio: str) -> Diagnostic:
    """Return the diagnostic of a code in an intent."""
    bag = Bag()
    document = load_text_document(INTENT.format(units=units, spines=spines, ratio=ratio), bag, unique_items=True)
    assert document is not None
    compile_document(document, Path("nowhere"), bag)
    return next(item for item in bag if item.code == code)


def test_a_fabric_too_large_for_its_tiers_has_the_counts_of_one_more() -> None:
    """4,096 GPUs: four pods of four units, as worked out in the tests of shapes."""
    hint = found("FG-TOP-009", 16, 32, "1:1").hint
    assert "4096 GPUs at 1:1 fit on three tiers: units 4, pods 4, per_unit 32" in hint
    assert "tiers.spine.count 32, links.leaf-spine.per_pair 1" in hint
    assert "tiers.core.count 64, links.spine-core.per_pair 16, links.spine-core.pattern {stripe: index}" in hint


def test_a_fabric_too_large_for_three_tiers_has_the_limit() -> None:
    assert (
        "three tiers of dell_z9664f hold 65536 GPUs at 1:1; 131072 are too many"
        in found("FG-TOP-009", 512, 32, "1:1").hint
    )


def test_a_ratio_has_the_spines_and_links_that_give_it() -> None:
    hint = found("FG-EXP-002", 4, 8, "1:1").hint
    # 32 leafs x 32 uplinks / 64 ports.
    assert "1024 GPUs at 1:1 fit on two tiers: units 4, per_unit 32, tiers.spine.count 16" in hint
    assert "links.leaf-spine.per_pair 2" in hint


def test_a_ratio_that_nothing_gives_has_the_nearest() -> None:
    hint = found("FG-EXP-002", 4, 16, "3:2").hint
    assert "32 x 400G down give 3:2 with no number of uplinks that divides evenly; 22 x 400G up give 16:11" in hint
