"""Foreign texts in each language of output: what is hidden is seen, and nothing of it is obeyed."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from fabricgen.diagnostics import visible
from fabricgen.diagnostics.writers import junit
from tests.sampling import FRESH

ATTACKS = [
    "\x1b[31mred\x1b[0m", "\x1b]8;;http://x\x1b\\y\x1b]8;;\x1b\\", "\x1b]52;c;eA==\x07", "\x9b2J", "a\rb", "a\x08b",
    "\x07", "\u202eabc\u202c", "\u2066a\u2069", "a\u200bb", "a\U000e0041b", "\ud800", "a\u2028b\u2029c\x85d",
    "\ufeff", "ㅤ", "⠀", "a|b", "a\\|b", "a\\\\|b", "`a`", "``", "`", "\\", "a`b``c", "<img src=x onerror=y>",
    "[a](http://x)", "![a](http://x)", "@somebody", "owner/repo#1", "#1", "http://x.example", "www.x.example", "*a*",
    "_a_", "a\n\n# b", "| a |\n|---|", "&lt;b&gt;", "::error::x", "##[error]x", "##vso[task.x]y", "%0A::error::x",
    "]]>", '\'"', "[red]x[/red]", ":smile:", " a ", "", "…", "é 😀 日本",
]  # fmt: skip


def mix(chance: random.Random) -> str:
    """Parts of attacks, in any order."""
    parts = chance.choices(ATTACKS, k=chance.randint(1, 4))
    return "".join(part[: chance.randint(1, len(part) or 1)] if chance.random() < 0.3 else part for part in parts)


def samples() -> list[str]:
    """Every attack, and mixtures of a fixed and of a fresh seed."""
    return [*ATTACKS, *(mix(chance) for chance in (random.Random(1), random.Random(FRESH)) for _ in range(1500))]


def is_seen(text: str) -> bool:
    """Return whether a text has nothing but line feeds that no glyph stands for, by the database of Unicode."""
    odd = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ignored = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    return not any(
        (unicodedata.category(sign) in odd and sign != "\n")
        or (unicodedata.category(sign) == "Zs" and sign != " ")
        or sign in ignored
        or unicodedata.name(sign, "").startswith("VARIATION SELECTOR")
        for sign in text
    )


def test_nothing_stays_hidden() -> None:
    for text in samples():
        assert is_seen(visible.show_line(text)), ascii(text)
        assert "\n" not in visible.show_line(text)
        assert visible.show_lines(text).count("\n") == text.count("\n")
        writers = (visible.show_lines, visible.in_markdown, visible.in_message, junit.in_xml, junit.in_xml_attribute)
        for write in writers:
            assert is_seen(write(text)), (write.__name__, ascii(text))


@pytest.mark.parametrize("plane", range(0x0, 0x110000, 0x10000))
def test_every_character_that_the_database_calls_hidden_is(plane: int) -> None:
    for code in range(plane, min(plane + 0x10000, 0xF0000)):
        assert is_seen(chr(code)) or code == 0x0A or visible.find_hidden(chr(code)) == 0, hex(code)


def test_letters_of_all_languages_stay() -> None:
    for text in ("Größe", "日本語", "עברית", "हिन्दी", "e\u0301", "😀", "a\\b", "→", "—"):
        assert visible.find_hidden(text) is None
        assert visible.show_line(text) == text


def test_a_character_is_named_as_in_the_charts() -> None:
    assert visible.name_character("\u202e") == "U+202E RIGHT-TO-LEFT OVERRIDE"
    assert visible.name_character("\x1b") == "U+001B ESCAPE"
    assert visible.name_character("\x01") == "U+0001 CONTROL CHARACTER"
    assert visible.name_character("\ud800") == "U+D800 WITHOUT A NAME"
    assert visible.name_character("\U000e0041") == "U+E0041 TAG LATIN CAPITAL LETTER A"


def test_json_says_the_same() -> None:
    for text in samples():
        written = visible.in_json(json.dumps([text], ensure_ascii=False))
        assert is_seen(written)
        assert not re.search(r"##\w*\[", written)
        assert json.loads(written) == [visible.encodable(text)]


def test_xml_parses_to_what_is_seen() -> None:
    for text in samples():
        shown = visible.show_lines(text)
        root = ElementTree.fromstring(f"<a b={junit.in_xml_attribute(text)}>{junit.in_xml(text)}</a>")
        assert (root.get("b"), root.text or "") == (shown, shown)
        assert not list(root)


def test_markdown_shows_it_and_obeys_nothing() -> None:
    """In a cell and in a list, a text is one run of plain words or one code span, and the table keeps its shape."""
    parser = MarkdownIt("gfm-like", {"linkify": False})
    for text in samples():
        written = visible.in_markdown(text)
        table = parser.parse(f"| a | b |\n|---|---|\n| {written} | end |\n\n* {written}\n")
        rows = [token.children or [] for token in table if token.type == "inline"]
        assert len(rows) == 5, ascii(text)
        assert [token.content for token in rows[3]] == ["end"]
        for row in (rows[2], rows[4]):
            kinds = [token.type for token in row]
            assert kinds in (["text"], ["code_inline"]), (ascii(text), kinds)
        if rows[2][0].type == "code_inline":
            shown = visible.show_line(text).strip().replace("\\|", "\\x5c|")
            assert rows[2][0].content.strip() == shown, ascii(text)
        else:
            assert re.fullmatch(r"[A-Za-z ,:;.–-]+", rows[2][0].content)


def test_messages_hold_no_links() -> None:
    for text in samples():
        assert "](" not in visible.in_message(text)
