"""Judges lines of command-line snippets, the names that they define and use, and the addresses that they set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from fabricgen.diagnostics import Nearest
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind, Laid, Line
from fabricgen.platforms.commands.values import Bound, find_bad_value

Rule = tuple[str, re.Pattern[str]]
"""Kind of thing that a name is of, and the line that has it as its first group."""
_ADDRESS = re.compile(r"^\s+ip(?:v6)? address (\S+)", re.MULTILINE)
_VRF = re.compile(r"vrf (\S+)$")
"""Line below an interface that names its VRF."""
_EITHER = "prefix list of either family"
_HINTED = 64
"""Refused lines of a snippet that get a hint of their own; far more are counted than shown."""


def split_lines(text: str, comments: str) -> Iterator[Line]:
    """The commands of a text, without comments and blank lines."""
    for number, raw in enumerate(text.split("\n"), 1):
        found = [(match[0], match.start() + 1) for match in re.finditer(r"\S+", raw)]
        if found and found[0][0][0] not in comments:
            words = [word for word, _ in found]
            yield Line(number, found[0][1] - 1, " ".join(words), words, [column for _, column in found])


def rules(entries: Iterable[tuple[str, str]]) -> tuple[Rule, ...]:
    """Rules from a kind of name and a pattern each; ``NAME`` in a pattern stands for the name."""
    return tuple((kind, re.compile(pattern.replace("NAME", r"(\S+)"))) for kind, pattern in entries)


def judge_lines(
    lines: Iterable[Line], judge: Callable[[Line, bool], Fault | None], bounds: Sequence[Bound] = ()
) -> Iterator[Fault]:
    """Judge one line after the other: its values, and what a judge says that also takes whether to give hints.

    Args:
        lines: The lines.
        judge: Says what is wrong with a line.
        bounds: Numbers that the platform bounds.
    """
    refused = 0
    for line in lines:
        fault = judge(line, refused < _HINTED)
        if fault is None or fault.kind is Kind.UNKNOWN:
            fault = find_bad_value(line, bounds) or fault
        if fault is not None:
            refused += 1
            yield fault


def judge_names(
    lines: Sequence[Line],
    laid: Laid,
    defines: Sequence[Rule],
    uses: Sequence[Rule],
    more: Iterable[tuple[str, str]] = (),
) -> Iterator[Fault | Claim]:
    """Name every use of a name that nothing defines, and every address that is set.

    Args:
        lines: The snippet's lines.
        laid: The snippet and the file it is laid over.
        defines: What defines a name.
        uses: What uses one; a "prefix list of either family" may be one for IPv4 or for IPv6.
        more: Further names that the file defines, by kind.
    """
    known = find_names(laid.after, defines) | set(more)
    known |= {(_EITHER, name) for kind, name in known if kind in ("prefix list", "IPv6 prefix list")}
    yield from _find_missing(lines, uses, known, laid.others)
    yield from _find_claims(lines, laid.before)


def find_names(text: str, defines: Sequence[Rule]) -> set[tuple[str, str]]:
    """Every name that a text defines, with its kind."""
    found, leads = set(), _leads(defines)
    for line in text.split("\n"):
        bare = " ".join(line.split())
        if not bare.startswith(leads):
            continue
        for kind, pattern in defines:
            match = pattern.match(bare)
            if match:
                found.add((kind, match[1]))
    return found


def _leads(entries: Sequence[Rule]) -> tuple[str, ...]:
    """Return what the lines of some rules begin with: no other line needs to be matched."""
    return tuple({lead for _, pattern in entries for lead in _first_words(pattern.pattern)})


def _first_words(pattern: str) -> list[str]:
    """The words a pattern may begin with."""
    bare = pattern.removeprefix("^")
    choice = re.match(r"\(\?:([^()]*)\)(\??)", bare)
    if choice is None:
        return [re.split(r"[^\w-]", bare, maxsplit=1)[0]]
    return [*choice[1].split("|"), *(_first_words(bare[choice.end() :]) if choice[2] else ())]


def _find_missing(
    lines: Iterable[Line], uses: Sequence[Rule], known: set[tuple[str, str]], others: Mapping[str, str]
) -> Iterator[Fault]:
    """Name every use of a name that nothing defines.

    Args:
        lines: The snippet's lines.
        uses: What uses a name.
        known: The names that the file with the snippet defines, by kind.
        others: Other files of the device; a VRF may be defined in them.
    """
    leads, nearest = _leads(uses), Nearest()
    by_kind: dict[str, list[str]] = {}
    for kind, each in sorted(known):
        by_kind.setdefault(kind, []).append(each)
    for line in lines:
        if not line.text.startswith(leads):
            continue
        for kind, pattern in uses:
            for match in pattern.finditer(line.text):
                name = match[1]
                if (kind, name) in known or (kind == "VRF" and _is_named(name, others)):
                    continue
                of_kind = by_kind.get(kind, [])
                near = nearest.find(name, of_kind)
                hint = f"did you mean {near}?" if near else f"define {kind} {name} in the snippet"
                if of_kind and not near:
                    hint += f", or use one of {', '.join(of_kind[:8])}"
                column = line.columns[line.text[: match.start(1)].count(" ")]
                yield Fault(Kind.REFERENCE, line.number, column, f"{kind} {name} is not defined on the device", hint)


def _is_named(name: str, others: Mapping[str, str]) -> bool:
    if name == "default":
        return True
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return any(word.search(text) for text in others.values())


def _find_claims(lines: Iterable[Line], before: str) -> Iterator[Claim]:
    """Every address that a line below an interface sets.

    Args:
        lines: The snippet's lines.
        before: The file without the snippet, whose addresses are no claims.
    """
    own, interface, vrf = set(_ADDRESS.findall(before)), "", ""
    for line in lines:
        if line.depth == 0 or line.words[0] in ("interface", "router", "route-map"):
            interface, vrf = (" ".join(line.words[1:2]) if line.words[0] == "interface" else ""), ""
        found = _VRF.match(line.text)
        if interface and found:
            vrf = found[1]
        if interface and line.words[:2] in (["ip", "address"], ["ipv6", "address"]) and len(line.words) > 2:
            column = next((at for at, word in enumerate(line.words) if at > 1 and "/" in word), 0)
            if column and line.words[column] not in own:
                yield Claim(line.number, line.columns[column], interface, line.words[column], vrf)


def begins(word: str, words: tuple[str, ...]) -> bool:
    """Return whether a word is the beginning of one of some words, as in a command that is cut short."""
    return f"\n{word}" in _joined(words)


@lru_cache(maxsize=256)
def _joined(words: tuple[str, ...]) -> str:
    return "".join(f"\n{word}" for word in words)


def meant(word: str, words: Iterable[str]) -> str:
    """A hint at the word that was probably meant; empty if none is near."""
    near = Nearest().find(word, list(words), 0.75)
    return f"did you mean {near}?" if near else ""
