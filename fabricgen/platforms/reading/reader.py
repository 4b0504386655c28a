"""Text of a file on a device to a tree of what it says: what readers share, and those that serve any platform.

Source:
    RFC 5396: an AS number is a decimal number in asplain; asdot writes those from 65536 on as two of 16 bits with a dot
    between them, asdot+ all of them. RFC 7607: 0 is none.
"""

from __future__ import annotations

import json
import math
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Any, Generic, TypeVar

from fabricgen.diagnostics import Bag, lookup

Tree = dict[str, Any]
"""Content of a file. A key leads to a tree or to a value; the order of keys means nothing.

A value is a text, number, boolean or None, or a list. The order of a list's items matters, unless the semantics of its
path say otherwise. Command-line text has the words that name a thing for keys and the words that set it for values, so
that another value is a change, never a removal and an addition: ``{"router bgp": {"neighbor 10.0.0.1":
{"remote-as": "65001"}}}``.
"""


_LOOSE = (" :", "\t:", "\n:", "\r:")
"""Blanks before a colon."""
DEPTH_MAX = 64
"""Depth to which a file may nest; the deepest that is rendered has eight levels."""
LINES_MAX = 300_000
"""Most lines of a file of commands; the largest configurations have a third of it."""
YAML_MAX = 2 * 1024 * 1024
"""Most characters of a YAML file; the largest that is rendered has an eighth of it."""
_HALVES = re.compile(r"\\u[dD][89a-fA-F]")
"""Escapes of surrogates, whole pairs included."""
_NUMBER = re.compile(r"[0-9]{1,19}")
Read = Callable[[str], Tree]
Locate = Callable[[str, Sequence[str]], int]
_DOTTED = re.compile(r"(?<![\w.])([0-9]{1,5}\.[0-9]{1,5})(?![\w.])")
"""Two numbers with one dot between them, which no address has; a colon or the dash of a range may be beside them."""
SIGN = re.compile(r"[*?[]")
"""Signs of a pattern that match other characters than themselves."""
R = TypeVar("R")


class ReadFault(Exception):  # noqa: N818 - the fault is in the file
    """A text that is not what its name promises: truncated, of another kind, or saying one thing twice.

    Its message quotes no secret of the text: the file may be a device's.

    Attributes:
        line: Line of the text, from 1; 0 if it has none.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        """Say what is wrong, in words that complete "FILE: …"."""
        super().__init__(message)
        self.line = line


def read_json(text: str) -> Tree:
    """Read a JSON object; keys given twice are a fault, because the last one would win in silence."""
    try:
        data = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        # Every key is followed by a quote and a colon. A text may start so as well, such as an address of IPv6 with two
        # colons, which are never behind a key; what else looks like that only makes them more.
        signs = text.count('":') - text.count('"::')
        if not isinstance(data, dict) or any(sign in text for sign in _LOOSE) or signs != count_keys(data):
            data = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise ReadFault(f"this is not JSON: {error.msg}", error.lineno) from None
    except _NoNumber as odd:
        word = odd.args[0] if odd.args[0].strip("-").isalpha() else "what stands for a number"
        raise ReadFault(f"{word} is no number of JSON", _line_of(text, odd.args[0])) from None
    except ValueError:
        raise ReadFault("it has a number with more digits than any number can have") from None
    except _DoubledKey as doubled:
        # The key is not named: some tables have secrets for keys.
        raise ReadFault("a key is given twice in one object", find_doubled(text, doubled.args[0])) from None
    except RecursionError:
        raise ReadFault("it is nested too deeply") from None
    if not isinstance(data, dict):
        raise ReadFault("the JSON text is not an object")
    _check(data, text)
    return data


def number_of(value: object) -> int | None:
    """The whole number that a text writes with the digits 0 to 9; None for any other value."""
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


class _NoNumber(Exception):  # noqa: N818 - control flow
    """A number that JSON, or a float, does not have."""


def _refuse(constant: str) -> object:
    raise _NoNumber(constant)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _NoNumber(text)
    return value


def _line_of(text: str, part: str) -> int:
    return text.count("\n", 0, max(text.find(part), 0)) + 1


def _check(data: object, text: str) -> None:
    """Refuse what nests too deeply, and texts that no file can hold."""
    level, depth = [data], 0
    while level:
        depth += 1
        if depth > DEPTH_MAX:
            raise ReadFault("it is nested too deeply")
        lists = [item for node in level if type(node) is list for item in node]
        inner = [value for node in level if type(node) is dict for value in node.values() if type(value) is not str]
        level = [value for value in [*lists, *inner] if type(value) is dict or type(value) is list]
    if _HALVES.search(text):
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ReadFault("a text in it has half of a surrogate pair, which is no character") from None


def subtree(node: Tree, key: str, line: int = 0) -> Tree:
    """The subtree of a key, which is made if it is not there; raises ReadFault where it is a value already."""
    found = node.setdefault(key, {})
    if not isinstance(found, dict):
        raise ReadFault("a command is a section and a setting", line)
    return found


def look_up(tree: Tree, *steps: str) -> Tree:
    """The subtree at a path; an empty one where there is a value or nothing."""
    for step in steps:
        found = tree.get(step)
        tree = found if isinstance(found, dict) else {}
    return tree


def count_keys(tree: Tree) -> int:
    """Return how many keys a tree has, in all of its subtrees; those in lists are not counted."""
    level, found = [tree], 0
    while level:
        found += sum(map(len, level))
        level = [value for node in level for value in node.values() if type(value) is dict]
    return found


class _DoubledKey(Exception):  # noqa: N818 - control flow
    """An object has a key twice."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DoubledKey(key)
            seen.add(key)
    return found


def find_doubled(text: str, key: str) -> int:
    """Line of the last time a key stands in a JSON text."""
    at = [match.start() for match in re.finditer(re.escape(json.dumps(key)) + r"\s*:", text)]
    return text.count("\n", 0, at[-1]) + 1 if at else 0


def read_yaml(text: str) -> Tree:
    """Read a YAML mapping, with the strictness of every other YAML that fabricgen reads."""
    data = read_document(text)
    if not isinstance(data, dict):
        raise ReadFault("the YAML text is not a mapping")
    return data


@lru_cache(maxsize=8)
def read_document(text: str) -> object:
    """Read a YAML document, which is kept for further reads and never changed; raises ReadFault if it is refused."""
    # Workers that render read no YAML, and need not carry its parser.
    from fabricgen.source import load_text

    if len(text) > YAML_MAX:
        raise ReadFault(f"it has {len(text):,} characters; at most {YAML_MAX:,} are read of a YAML file")
    bag = Bag()
    data = load_text(text, bag)
    raise_first(bag)
    return data


def refuse_long(text: str) -> None:
    """Refuse a text of more lines than any configuration has."""
    lines = text.count("\n")
    if lines > LINES_MAX:
        raise ReadFault(f"it has {lines:,} lines; at most {LINES_MAX:,} are read of a file of commands")


def raise_first(bag: Bag) -> None:
    """Raise the first fault of a YAML text by its code's title, for its message quotes the text."""
    for fault in bag:
        code = lookup(fault.code)
        title = code.title if code else fault.code
        raise ReadFault(f"this YAML is refused: {title}", fault.place.line if fault.place else 0)


def read_lines(text: str) -> Tree:
    """Read any other text: its lines in their order, without comments of whole lines, blank lines and line ends."""
    lines = (line.rstrip() for line in text.split("\n"))
    return {"lines": [line for line in lines if line and not (line.startswith("#") and not line.startswith("#!"))]}


def locate_in_json(text: str, steps: Sequence[str], *, in_rows: bool = False) -> int:
    """Line of a JSON text where the value at a path begins; of a path that is not there, of what is left of it.

    With ``in_rows`` lists have rows, found by the last word of a step, which a value of theirs has.
    """
    position = 0
    for step in steps:
        found = re.compile(re.escape(json.dumps(step)) + r"\s*:").search(text, position)
        if found is None and in_rows:
            value = re.escape(step.rpartition(" ")[2])
            found = re.compile(rf':\s*"?{value}"?(?=\s*[,}}\]])').search(text, position)
        if found is None:
            break
        position = found.start() + 1
    return text.count("\n", 0, position) + 1


def locate_line(text: str, words: Sequence[str]) -> int:
    """First line that holds every word of a path's last step; 0 if there is none."""
    wanted = words[-1] if words else ""
    for number, line in enumerate(text.split("\n"), 1):
        if wanted and wanted in line:
            return number
    return 0


def is_tree(value: object) -> bool:
    """Return whether a value of a tree has keys of its own."""
    return isinstance(value, Mapping)


def parse_asn(text: str) -> int | None:
    """Return the AS number that a text is, in asplain, asdot or asdot+; None if it is none."""
    high, dot, low = text.partition(".")
    if not dot:
        number = number_of(text) or 0
        return number if 0 < number < 1 << 32 else None
    upper, lower = number_of(high), number_of(low)
    if upper is None or lower is None or max(upper, lower) >= 1 << 16:
        return None
    return upper << 16 | lower or None


def write_plainly(text: str) -> str:
    """Return an AS number, a community, a path or a range with AS numbers in asplain.

    No two numbers with a dot between them are any other value in the text.
    """
    return _DOTTED.sub(lambda found: str(parse_asn(found[1]) or found[1]), text) if "." in text else text


def matches(pattern: str, step: str) -> bool:
    """Return whether a step is as a pattern says."""
    return pattern in ("*", step) or bool(SIGN.search(pattern) and _compiled(pattern).match(step))


def find_places(tree: Mapping[str, Any], steps: Sequence[str], at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of nested dicts that are as a pattern of each step says; ``at`` is the path of the tree."""
    for step, value in tree.items():
        if not matches(steps[0], step):
            continue
        if len(steps) == 1:
            yield (*at, step)
        elif isinstance(value, dict):
            yield from find_places(value, steps[1:], (*at, step))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


class ByIdentity(Generic[R]):
    """Results by the identity of what they are of; it is kept alive meanwhile, and never changed."""

    def __init__(self, most: int = 4096) -> None:
        """Know nothing yet; at most so many results are kept, those not asked for the longest go first."""
        self._most = most
        self._known: OrderedDict[tuple[int, Hashable], tuple[Any, R]] = OrderedDict()

    def get(self, part: Any, question: Hashable, answer: Callable[[], R]) -> R:
        """Return the result of a question about a part; those about a mapping are remembered."""
        if not isinstance(part, dict):
            return answer()
        key = id(part), question
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = part, answer()
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        return known[1]
