"""Snippets of random shape: something is said of them, or nothing, and never a traceback."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fabricgen.platforms.commands.snippets import Fault, Laid, SnippetJudge
from fabricgen.platforms.fboss.snippet import judge_snippet as judge_fboss
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN
from fabricgen.platforms.sonic.snippet import judge_snippet as judge_sonic
from fabricgen.render.raw_snippets import merge
from tests.unit.snippets.snippet_fabric import judge

NOTHING = Redaction(PLAIN.root)
EXPECTED = Path(__file__).resolve().parents[2] / "golden" / "expected"
VALUES = (None, True, 7, -1.5, "", "x", "10.0.0.1/31", "Ethernet0", [], ["x"], [None], [{}], {}, {"x": {}}, {"": None})


def _damaged(value: object, dice: random.Random, depth: int = 0) -> object:
    """A value with another one somewhere inside."""
    if dice.random() < 0.08 or depth > 6:
        return dice.choice(VALUES)
    if isinstance(value, dict):
        keys = dice.sample(sorted(value), min(len(value), 4))
        made = {key: _damaged(value[key], dice, depth + 1) for key in keys}
        return made | (
            {dice.choice(("x", "", "a|b|c", "Ethernet0|3-4")): dice.choice(VALUES)} if dice.random() < 0.2 else {}
        )
    if isinstance(value, list):
        return [_damaged(item, dice, depth + 1) for item in value[:3]]
    return value


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "judge_snippet"),
    [("config_db.json", judge_sonic), ("agent.conf", judge_fboss), ("bgpcpp.conf", judge_fboss)],
)
def test_damaged_json_is_judged(name: str, judge_snippet: SnippetJudge) -> None:
    before = json.loads(next(iter(sorted(EXPECTED.rglob(name)))).read_text(encoding="utf-8"))
    dice, found = random.Random(name), 0
    for _ in range(600):
        patch = _damaged(before, dice)
        if not isinstance(patch, dict):
            continue
        text = json.dumps(patch, indent=dice.choice((None, 2)))
        laid = Laid(text, json.dumps(before), json.dumps(merge(before, patch)), "202511", "", {}, Redaction(PLAIN.root))
        lines = text.split("\n")
        for item in judge_snippet(laid):
            found += isinstance(item, Fault)
            assert 1 <= item.line <= len(lines)
            assert 1 <= item.column <= len(lines[item.line - 1]) + 1
    assert found > 300


ODD = {
    "empty": "",
    "blank": "\n \n\t\n",
    "one word": "x",
    "no": "no",
    "default": "default\ndefault x\n",
    "digits": "10\n10 20\nno 10\n",
    "signs": "\\ [ ] { } < > | ... ![ $ *\n",
    "exits": "exit\nexit\nend\nquit\nexit-address-family\n",
    "tabs": "\tip\troute\n",
    "returns": "ip route 192.0.2.0/24 Null0\r\n!\r\n",
    "long": "ip " * 5000,
    "banner": "banner motd\nhello\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
@pytest.mark.parametrize(("platform", "file"), [("frr", "frr.conf"), ("eos", "x.cli"), ("sonic", "frr.conf")])
def test_odd_text_is_judged(platform: str, file: str, text: str, tmp_path: Path) -> None:
    for item in judge(tmp_path, platform, file, text):
        assert all((item.message, item.hint, item.place)), item


@pytest.mark.parametrize(
    "text", ["{}", "[]", "{", '{"a": {"a": 1, "a": 2}}', "null", "{" * 5000, '{"PORT": null}', '{"PORT": 5}']
)
@pytest.mark.parametrize("platform", ["sonic", "fboss"])
def test_odd_json_is_judged(platform: str, text: str, tmp_path: Path) -> None:
    name = "config_db.json" if platform == "sonic" else "agent.json"
    for item in judge(tmp_path, platform, name, text):
        assert all((item.message, item.hint, item.place)), item
