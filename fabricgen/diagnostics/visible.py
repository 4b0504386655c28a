"""Text that is not ours on its way to a terminal, a document or a build log: everything visible, nothing obeyed.

Names of files and devices, keys of collected files, what git and daemons print: their authors may have put in
characters that move a cursor, reorder a line, is invisible, or that a reader of the output takes for markup or for a
command. Each output has one function here that lets such a text through as what it is; those of XML, whose library is
large, stand in ``writers/junit.py``.

Source:
    Unicode 15.1: General_Category Cc, Cf, Cs, Zl, Zp, Zs; DerivedCoreProperties.txt, Default_Ignorable_Code_Point;
    Unicode TR 36, section 3.
    GitHub Actions and Azure Pipelines documentation, workflow and logging commands.
"""

from __future__ import annotations

import re
import unicodedata

HIDDEN = "(not shown)"
"""Stand-in for everything that may be a secret."""
_NEVER = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Controls but tab and line feed, bidirectional and other format characters, tags, fillers, halves of pairs."""
_ORTHOGRAPHY = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f"
"""Blanks that look like the plain one, joiners, and the selectors of emoji: common in texts, and invisible."""
CONTROLLING = re.compile(f"[{_NEVER}]")
"""A character that has no place in any text that people edit, comments included."""
_HIDDEN = re.compile(f"[\t\n{_NEVER}{_ORTHOGRAPHY}]")
HIDDEN_IN_LINES = re.compile(f"[\t{_NEVER}{_ORTHOGRAPHY}]")
"""An invisible character, line feeds aside."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_NAMES = {
    0x00: "NULL", 0x07: "BELL", 0x08: "BACKSPACE", 0x09: "TAB", 0x0A: "LINE FEED", 0x0B: "LINE TABULATION",
    0x0C: "FORM FEED", 0x0D: "CARRIAGE RETURN", 0x1B: "ESCAPE", 0x7F: "DELETE", 0x85: "NEXT LINE",
    0x90: "DEVICE CONTROL STRING", 0x9B: "CONTROL SEQUENCE INTRODUCER", 0x9C: "STRING TERMINATOR",
    0x9D: "OPERATING SYSTEM COMMAND",
}  # fmt: skip
"""Names of control characters, which the character database has none for (NameAliases.txt)."""
LOG_COMMAND = r"##(?=\w*\[)"
"""Start of what a build server obeys anywhere in a line: ``##[error]``, ``##vso[…]``, ``##teamcity[…]``."""
_LOG_COMMAND = re.compile(LOG_COMMAND)
_PROSE = re.compile(r"[A-Za-z]+(?:[,:;.]?[ -][A-Za-z]+)*[,:;.]?")
_BACKTICKS = re.compile("`+")


def find_hidden(text: str) -> int | None:
    """Return the position of the first invisible character, line ends included; None if there is none."""
    if text.isascii() and text.isprintable():
        return None
    found = _HIDDEN.search(text)
    return found.start() if found else None


def name_character(character: str) -> str:
    """Name a character as the Unicode charts do: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    code = ord(character)
    name = unicodedata.name(character, "") or _NAMES.get(code, "")
    return f"U+{code:04X} {name or ('CONTROL CHARACTER' if code < 0xA0 else 'WITHOUT A NAME')}"


def show_line(text: str) -> str:
    """Write a text that is to stay on its line: line ends become escapes as well."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escape, text)


def show_lines(text: str) -> str:
    """Write a text of several lines; line feeds stay, for the caller to place what follows them."""
    return text if text.isascii() and text.isprintable() else HIDDEN_IN_LINES.sub(_escape, text)


def count_cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_count_cell, text))


def _count_cell(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def encodable(text: str) -> str:
    """Replace halves of surrogate pairs, the only characters that UTF-8 cannot carry."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def in_json(document: str) -> str:
    """Write out what hides in a JSON text, as escapes of JSON's: its strings say the same, halves of pairs aside."""
    shown = HIDDEN_IN_LINES.sub(_escape_json, encodable(document))
    return _LOG_COMMAND.sub(lambda found: "#\\u0023", shown)


def in_markdown(text: str) -> str:
    """Write a text into a line or a table cell of Markdown.

    Plain words stay as they are. Everything else becomes a code span: in one of those nothing is a link, a mention, a
    reference, emphasis or HTML.
    """
    line = show_line(text).strip()
    if not line:
        return "–"
    if _PROSE.fullmatch(line):
        return line
    longest = max((len(run) for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    # Tables are split before code spans are found; a backslash before the bar would take the escape away again.
    cell = line.replace("\\|", "\\x5c|").replace("|", "\\|")
    return f"{fence}{pad}{cell}{pad}{fence}"


def in_message(text: str) -> str:
    """Write a text into a message that a viewer searches for ``[text](target)``."""
    return show_lines(text).replace("](", "]\\(")


def escape_character(character: str) -> str:
    """Write a character as Python and YAML do; one that can be seen stays."""
    code = ord(character)
    if character in _SHORT or not _HIDDEN.match(character):
        return _SHORT.get(character, character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape(found: re.Match[str]) -> str:
    return escape_character(found[0])


def _escape_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
