"""CONFIG_DB is written as the switch saves it, whatever stands in its rows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fabricgen.platforms.sonic.patch import write

TREES: tuple[dict[str, Any], ...] = (
    {},
    {"PORT": {}},
    {"PORT": {"Ethernet0": {}}},
    {"PORT": {"Ethernet4": {"mtu": "9100", "alias": "é\n"}, "Ethernet0": {"lanes": ["1", "2"], "on": {"a": "b"}}}},
    {"A": "text", "B": None, "C": {"key": "value"}, "D": ["x", {"y": 1}]},
    {"A": {"row": {"number": 1, "none": None, "true": True, "half": 0.5}}},
)


@pytest.mark.parametrize("tree", TREES)
def test_dump_is_sorted_json_with_four_blanks(tree: dict[str, Any]) -> None:
    assert write(tree) == json.dumps(tree, indent=4, sort_keys=True) + "\n"
