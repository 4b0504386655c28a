"""Facts about the rows of a table are computed once, however many rows a device has."""

from __future__ import annotations

import sys
from collections.abc import Callable

from diff_site import CONFIG_DB

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds


def _calls(work: Callable[[], object]) -> int:
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def test_rows_of_a_table_share_what_is_known_of_them() -> None:
    kind = load_kinds(None, Bag()).of_device("switches", [CONFIG_DB])[CONFIG_DB]
    redaction, root = kind.redaction, kind.semantics.root

    def show(rows: range) -> None:
        for row in rows:
            redaction.steps(("PORT", f"Ethernet{row}", "speed"))
            redaction.value(("PORT", f"Ethernet{row}"), {"speed": "1", "alias": "x"})
            root.child("PORT").child(f"Ethernet{row}").child("speed")

    show(range(10))
    first, later = (_calls(lambda rows=rows: show(rows)) for rows in (range(10, 60), range(2000, 2050)))
    assert later <= first * 1.1
    assert first < 50 * 240, "a row costs a look at every pattern of its fields"
