"""Facts about the rows of a table are computed once, however many rows a device has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from diff_site import CONFIG_DB, Site, edit_json, switch_file

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


def test_rows_that_cover_the_same_numbers_are_one_difference(site: Site) -> None:
    """``config qos reload`` brings groups 3-4 back, where the intent has group 3."""
    deployed = site.copy()

    def widen(data: dict[str, dict[str, Any]]) -> None:
        groups = data["BUFFER_PG"]
        for key in [key for key in groups if key.endswith("|3")]:
            groups[f"{key}-4"] = groups.pop(key)
        data["QUEUE"]["Ethernet0|3-4"] = data["QUEUE"].pop("Ethernet0|3")
        del data["QUEUE"]["Ethernet0|4"]
        data["QUEUE"]["Ethernet4|9"] = {}

    edit_json(switch_file(deployed), widen)
    summary = site.compare(site.out, deployed, details=True)
    found = {(group.title, group.action, group.before, group.after) for group in summary.groups()}
    assert ("priority group", "change", "3-4", "3") in found
    assert ("queue", "change", "3-4", "3 4") in found
    assert {action for title, action, *_ in found if title == "priority group"} == {"change"}
    assert ("queue", "remove") in {(title, action) for title, action, *_ in found}, "no queue of ours has that number"
    assert summary.totals.changes == sum(len(group.details) for group in summary.groups())
