"""Every published vector against the formulas; a group, a vector or a figure that nobody judges is a failure."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import ecmp_handlers
import pfc_handlers
import pytest
import traffic_handlers
from vector_files import groups, judge, vectors_file

FILES = {"pfc_vectors.yaml": pfc_handlers, "ecmp_vectors.yaml": ecmp_handlers, "traffic_vectors.yaml": traffic_handlers}
EXCLUDED_AT_MOST = 0.05


def named(handlers: ModuleType, data: dict[str, Any]) -> str:
    return next((str(data[key]) for key in handlers.NAMES if key in data), "")


def unread(handlers: ModuleType, group: str) -> set[str]:
    return {*handlers.UNREAD.get(group, ()), *handlers.NAMES}


def test_every_group_has_a_judge() -> None:
    for name, handlers in FILES.items():
        found = set(groups(vectors_file(name)))
        known = set(handlers.HANDLERS) | {group for group, _ in handlers.EXCLUDED}
        assert found - known == set(), f"{name}: nobody judges these groups"
        assert known - found == set(), f"{name}: these groups are gone"


@pytest.mark.parametrize("name", FILES)
def test_every_vector_is_reproduced(name: str) -> None:
    handlers = FILES[name]
    judged, left_out, wrong = 0, set(), []
    for group, rows in groups(vectors_file(name)).items():
        for data in rows:
            key = (group, named(handlers, data))
            if key in handlers.EXCLUDED:
                left_out.add(key)
                continue
            judged += 1
            try:
                judge(handlers.HANDLERS[group], data, unread(handlers, group))
            except Exception as fault:
                wrong.append(f"{group} {data}: {type(fault).__name__} {fault}")
    print(f"{name}: {judged} vectors replayed, {len(left_out)} excluded")  # noqa: T201 - asked for
    assert wrong == []
    assert left_out == set(handlers.EXCLUDED), "an exclusion excludes nothing"


def test_hardly_any_vector_is_excluded() -> None:
    judged = {name: sum(map(len, groups(vectors_file(name)).values())) for name in FILES}
    excluded = {name: len(handlers.EXCLUDED) for name, handlers in FILES.items()}
    required = ("pfc_vectors.yaml", "ecmp_vectors.yaml")
    ratio = sum(excluded[name] for name in required) / sum(judged[name] for name in required)
    print(f"excluded: {ratio:.1%} of {sum(judged[name] for name in required)}")  # noqa: T201 - asked for
    assert ratio <= EXCLUDED_AT_MOST
    assert all(reason for handlers in FILES.values() for reason in handlers.EXCLUDED.values())


def test_what_is_new_is_noticed() -> None:
    """The search itself: numbers in any place make a group, and a handler cannot leave a figure out."""
    document = {
        "tolerance": 0.1,
        "prose": {"source": "somewhere", "items": [{"text": "no figure"}]},
        "table": {"pool": {"size": 1}, "rows": [{"m5": 1}, {"text": "no figure"}, {"id": "x", "inner": {"m40": 2}}]},
        "more": [[{"deep": 1}], {"flag": True, "list": [3]}],
    }
    assert groups(document) == {
        "": [{"tolerance": 0.1}],
        "table.pool": [{"size": 1}],
        "table.rows": [{"m5": 1}, {"id": "x", "inner": {"m40": 2}}],
        "more": [{"item": [{"deep": 1}]}, {"flag": True, "list": [3]}],
    }
    with pytest.raises(AssertionError, match=r"nobody judges \['m40'\]"):
        judge(lambda row: row["m5"], {"m5": 1, "m40": 2, "note": "read by nobody"})
