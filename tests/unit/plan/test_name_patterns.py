"""Exceptions whose names are patterns are those of the names spelled out, and a pattern that misses is reported."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fabricgen.intent.name_patterns import match_names
from tests.sampling import FRESH
from tests.unit.plan.own_fabrics import GPU, LINK, compile_own

Row = dict[str, Any]
LINKS = {"host-leaf": LINK, "leaf-spine": {**LINK, "per_pair": 2}}
SHAPE: Row = {"hosts": {"gpu": {**GPU, "per_unit": 12}}, "units": 3, "links": LINKS}
LEAFS = [f"leaf-u00{unit}-r{rail}" for unit in (1, 2, 3) for rail in (0, 4)]
CASES: dict[str, tuple[Row, list[Row]]] = {
    "a range of hosts": (
        {"host": "gpu-u003-h[09-12]", "state": "absent"},
        [{"host": f"gpu-u003-h{host:02}", "state": "absent"} for host in range(9, 13)],
    ),
    "a glob of switches": (
        {"device": "leaf-u00[1-2,3]-*", "set": {"operations.timezone": "UTC"}},
        [{"device": leaf, "set": {"operations.timezone": "UTC"}} for leaf in LEAFS],
    ),
    "links between two patterns": (
        {"link": ["leaf-u00?-r4", "spine-0[1-2]"], "n": 2, "cable": {"length_m": 90}},
        [{"link": [leaf, f"spine-0{n}"], "n": 2, "cable": {"length_m": 90}} for leaf in LEAFS[1::2] for n in (1, 2)],
    ),
    "links of hosts": (
        {"link": ["gpu-u002-h0[1-4]", "leaf-u002-r0"], "n": 3, "state": "absent"},
        [{"link": [f"gpu-u002-h0{host}", "leaf-u002-r0"], "n": 3, "state": "absent"} for host in range(1, 5)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_pattern_is_its_names_spelled_out(case: str, tmp_path: Path) -> None:
    pattern, rows = CASES[case]
    short, wrong = compile_own(tmp_path, **SHAPE, exceptions=[{**pattern, "reason": "test"}])
    long, others = compile_own(tmp_path, **SHAPE, exceptions=[{**row, "reason": "test"} for row in rows])
    assert (wrong, others) == ([], [])
    assert short.plan is not None
    assert long.plan is not None
    assert short.plan.exceptions == long.plan.exceptions != ({},) * 8


MISSES: dict[str, tuple[list[Row], list[str]]] = {
    "nothing matches": (
        [{"host": "gpu-u004-h[01-12]", "state": "absent"}], ["FG-EXC-001 there is no host 'gpu-u004-h[01-12]'"],
    ),
    "a range goes too far": (
        [{"host": "gpu-u003-h[09-32]", "state": "absent"}],
        ["FG-EXC-001 gpu-u003-h[09-32] matches gpu-u003-h09 and 3 more, but nothing has 13 and 19 more"],
    ),
    "a switch is no host": ([{"host": "leaf-*", "state": "absent"}], ["FG-EXC-001 leaf-* is a switch"]),
    "the upper end is first": (
        [{"link": ["spine-*", "leaf-*"], "state": "drained"}],
        ["FG-EXC-003 there is no link from spine-* up to leaf-*"],
    ),
    "too few parallel links": (
        [{"link": ["leaf-*", "spine-*"], "n": 3, "state": "drained"}],
        ["FG-EXC-003 n is 3; there are 2 links between leaf-u001-r0 and spine-01"],
    ),
    "two states": (
        [{"host": "gpu-u003-*", "state": "absent"}, {"host": "gpu-u003-h[03-05]", "state": "drained"}],
        ["FG-EXC-002 state is drained here, and absent in another exception"],
    ),
    "two cables": (
        [{"link": ends, "cable": {"length_m": 9}} for ends in (["leaf-*", "spine-01"], ["leaf-u001-r0", "*"])],
        ["FG-EXC-002 two exceptions set cable of uplink 1 of leaf-u001-r0"],
    ),
    "a port of many links": (
        [{"link": ["leaf-*", "spine-01"], "n": 1, "ports": {"spine-01": "40"}}],
        ["FG-INT-003 exceptions[leaf-*~spine-01 1 ports] sets ports of several links; name both ends of one"],
    ),
    **{
        name: ([{"host": f"gpu-u003-h{text}", "state": "absent"}],
               [f"FG-INT-003 exceptions[gpu-u003-h{text} state].host: 'gpu-u003-h{text}' has {fault}"])
        for name, text, fault in (
            ("a range that ends before it begins", "[32-09]", "the range 32-09, which ends before it begins"),
            ("letters", "[a-c]", "'a-c' in brackets, which is no range"),
            ("an open bracket", "[01", "a bracket without its pair"),
            ("unlike ends", "[1-04]", "the range 1-04"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("case", MISSES)
def test_a_pattern_that_misses_is_reported_at_its_row(case: str, tmp_path: Path) -> None:
    rows, errors = MISSES[case]
    _, found = compile_own(tmp_path, **SHAPE, exceptions=[{**row, "reason": "test"} for row in rows])
    assert found == errors


@pytest.mark.parametrize("seed", [*range(40), 1000 + FRESH])
def test_patterns_match_what_their_ranges_spell(seed: int) -> None:
    """Ranges are written out number by number here, and ``fnmatch`` of the standard library judges the rest."""
    dice = Random(seed)
    low, count, width = dice.choice([(7, 6, 2), (1, 3, 1), (8, 5, 0), (98, 5, 3)])
    texts = [f"{number:0{width}}" for number in range(low, low + count)]
    around = dice.choice([("gpu-u00", "-h*"), ("*-u", ""), ("", "-leaf-?"), ("u*-h", "-x")])
    text = f"{around[0]}[{texts[0]}-{texts[-1]}]{around[1]}"
    numbers = [*texts, f"{low + count:0{width}}", f"{low - 1:0{width}}", f"0{low}", f"{low}00"]
    ends = product(["gpu-u00", "rack-u", "", "u1-h", "gpu-u"], ["-h01", "", "-leaf-a", "-x", "-leaf-10"])
    names = sorted({f"{before}{number}{after}" for (before, after), number in product(ends, numbers)})
    spelled = {name for name in names for number in texts if fnmatchcase(name, f"{around[0]}{number}{around[1]}")}
    assert set(match_names(text, names)[0]) == spelled
