"""Characters that nobody can see, in every way to write them, are refused where they stand."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from source_files import Write, read, spots

from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import find_hidden, name_character
from fabricgen.source import find_hidden_in, load_data, load_text
from tests.sampling import FRESH

PLACES = {
    "escape": ('a: "b\\u202ec"\n', 1, 6, "U+202E RIGHT-TO-LEFT OVERRIDE"),
    "behind an escaped backslash": ('a: "\\\\u202e\\u202e"\n', 1, 12, "U+202E RIGHT-TO-LEFT OVERRIDE"),
    "in capitals": ('a: "\\u202E"\n', 1, 5, "U+202E RIGHT-TO-LEFT OVERRIDE"),
    "eight digits": ('a: "x\\U000E0041"\n', 1, 6, "U+E0041 TAG LATIN CAPITAL LETTER A"),
    "two digits": ('a: "x\\x9b"\n', 1, 6, "U+009B CONTROL SEQUENCE INTRODUCER"),
    "a letter": ('a: "x\\e[31m"\n', 1, 6, "U+001B ESCAPE"),
    "a sign": ('a: "x\\_"\n', 1, 6, "U+00A0 NO-BREAK SPACE"),
    "itself": ("a: b\xa0c\n", 1, 5, "U+00A0 NO-BREAK SPACE"),
    "itself behind a backslash": ("a: b\\\xa0c\n", 1, 6, "U+00A0 NO-BREAK SPACE"),
    "a joiner": ("a: 'b\u200dc'\n", 1, 6, "U+200D ZERO WIDTH JOINER"),
    "an emoji's selector": ("a: '\u2764\ufe0f'\n", 1, 6, "U+FE0F VARIATION SELECTOR-16"),
    "a key": ('b: 1\n"a\\u2066": 2\n', 2, 3, "U+2066 LEFT-TO-RIGHT ISOLATE"),
    "a block": ("a: |\n  one\n  t\u3164wo\n", 3, 4, "U+3164 HANGUL FILLER"),
    "an item": ('a: [x, "\\u00ad"]\n', 1, 9, "U+00AD SOFT HYPHEN"),
    "the second line": ('a: "one\n  t\\u061cwo"\n', 2, 4, "U+061C ARABIC LETTER MARK"),
    "filler": ("a: b\u2800c\n", 1, 5, "U+2800 BRAILLE PATTERN BLANK"),
}


@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
@pytest.mark.parametrize("name", PLACES)
def test_it_is_found_where_it_is_written(write: Write, name: str, pure: bool) -> None:
    text, line, column, said = PLACES[name]
    document, found = read(write(text), pure=pure)
    assert spots(found) == [("FG-SRC-008", line, column)]
    assert said in found[0].message
    assert found[0].hint == "remove the character"
    assert find_hidden(json.dumps(document.data, ensure_ascii=False)) is None


def test_several_are_counted(write: Write) -> None:
    _, found = read(write('a: "\\u202e\\u200b\\u200b"\n'))
    assert [item.message for item in found] == ["U+202E RIGHT-TO-LEFT OVERRIDE is invisible, and 2 more in the text"]


def test_comments_may_have_emoji_and_line_feeds_are_for_the_field(write: Write) -> None:
    document, found = read(write('a: "b\\n\\tc"  # \u26a0\ufe0f \U0001f468\u200d\U0001f469 a\xa0b\n'))
    assert found == []
    assert document.data == {"a": "b\n\tc"}


def test_json_and_tables_are_held_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": "\\udb40\\udc41",\n "b\\u202e": 1}')
    bag = Bag()
    load_data(path, bag)
    assert spots(list(bag)) == [("FG-SRC-008", 1, 8), ("FG-SRC-008", 2, 4)]


def test_what_a_device_has_is_read_as_it_is() -> None:
    bag = Bag()
    assert load_text('a: "b\\u202ec\\x1b"\n', bag) == {"a": "b\u202ec\x1b"}
    assert not list(bag)


def test_the_first_one_of_a_text_is_found() -> None:
    assert find_hidden_in("a\tb\nc\u202ed\x1b", escapes=False) == (2, 2, "\u202e")
    assert find_hidden_in('{"a": "\\\\u202e\\t\\n\\u202e"}', escapes=True) == (1, 19, "\u202e")
    assert find_hidden_in("a\n\tb \\u202e é 日本", escapes=False) is None


def test_any_escape_of_any_such_character(write: Write) -> None:
    """Thousands of values with one hidden character somewhere, written in every way that YAML has for it."""
    hidden = [chr(code) for code in range(0x20000) if code not in (9, 10) and find_hidden(chr(code)) is not None]
    for chance in (random.Random(7), random.Random(FRESH)):
        signs = [sign for sign in chance.choices(hidden, k=1500) if not "\ud800" <= sign <= "\udfff"]
        written = [chance.choice(_spellings(sign)) for sign in signs]
        heads = [chance.choice(["", "ab", "\\\\", "\\n", "é", "日", "'", '\\"']) for _ in signs]
        lines = [f'k{at}: "{head}{text}c"' for at, (head, text) in enumerate(zip(heads, written, strict=True))]
        # A reporter lists a hundred of a code, then counts.
        for start in range(0, len(lines), 100):
            _, found = read(write("\n".join(lines[start : start + 100]) + "\n"))
            assert len(found) == len(lines[start : start + 100])
            for at, item in enumerate(sorted(found, key=lambda item: item.place.line if item.place else 0), start):
                column = lines[at].index('"') + len(heads[at]) + 2
                assert (item.place.line, item.place.column) == (at - start + 1, column), lines[at]
                assert item.message == f"{name_character(signs[at])} is invisible"


def _spellings(sign: str) -> list[str]:
    """Ways to write a character inside double quotes, by number."""
    code = ord(sign)
    found = [f"\\U{code:08x}", f"\\U{code:08X}"]
    found += [f"\\u{code:04x}"] if code < 0x10000 else []
    return [*found, f"\\x{code:02X}"] if code < 0x100 else found
