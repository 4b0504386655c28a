"""Files to documents: reading, parsing, building and overlaying; the only door to YAML and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fabricgen.diagnostics import Bag, Related
from fabricgen.source import source_codes as codes
from fabricgen.source.build import TreeBuilder
from fabricgen.source.decode import Reporter, decode_text, read_whole, refuse_long_lines
from fabricgen.source.document import Document
from fabricgen.source.nodes import Node, Plain, merge_nodes
from fabricgen.source.parse import SyntaxFault, parse_events
from fabricgen.source.tabs import parse_with_tabs

_JSON_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)')


def load_document(
    path: Path, bag: Bag, *, overlays: Sequence[Path] = (), shown_as: str | None = None, inside: Path | None = None
) -> Document | None:
    """Read an intent file and lay overlays over it in order; None if the file itself cannot be read.

    Mappings merge by key, lists by natural key, anything else is replaced. An overlay that cannot be read is left out.
    No link may lead out of the folder ``inside``.
    """
    texts: dict[str, str] = {}
    shown = str(path) if shown_as is None else shown_as
    root = _load_tree(path, shown, bag, texts, unique_items=True, inside=inside)
    for overlay in overlays:
        over = _load_tree(overlay, str(overlay), bag, texts, unique_items=True, inside=inside)
        root = merge_nodes(root, over) if root is not None and over is not None else root
    return None if root is None else Document(root, texts)


def load_data(path: Path, bag: Bag, *, inside: Path | None = None) -> Document | None:
    """Read a catalog file or a platform's manifest; None if it cannot be read.

    Their lists are tables: rows may repeat, and the document itself may be a list.
    """
    texts: dict[str, str] = {}
    root = _load_tree(path, str(path), bag, texts, unique_items=False, inside=inside)
    return None if root is None else Document(root, texts)


def load_text(text: str, bag: Bag, shown_as: str = "text") -> Plain:
    """Read YAML of a device, in which numbers may be keys, see ``load_text_document``; None if it cannot be read."""
    document = load_text_document(text, bag, shown_as, number_keys=True)
    return None if document is None else document.data


def load_text_document(
    text: str, bag: Bag, shown_as: str = "text", *, unique_items: bool = False, number_keys: bool = False
) -> Document | None:
    """Read YAML that is at hand as a text; None if it cannot be read.

    Two items of a list may not have the same natural key if ``unique_items``; a decimal number is a key as it is
    written if ``number_keys``.
    """
    report = Reporter(bag, shown_as)
    decoded = decode_text(text.encode("utf-8", "surrogateescape"), report)
    if decoded is None:
        return None
    root = _build_tree(_parse_yaml, decoded, report, unique_items=unique_items, number_keys=number_keys)
    return None if root is None else Document(root, {shown_as: text})


def read_lines(path: Path, *, inside: Path | None = None) -> list[str]:
    """The lines of a text file as places count them; none if the file cannot be read or decoded."""
    report = Reporter(Bag(), str(path))
    data = read_whole(path, report, inside)
    text = None if data is None else decode_text(data, report)
    return text.removesuffix("\n").split("\n") if text else []


def _load_tree(
    path: Path, shown: str, bag: Bag, texts: dict[str, str], *, unique_items: bool, inside: Path | None
) -> Node | None:
    report = Reporter(bag, shown)
    data = read_whole(path, report, inside)
    text = None if data is None else decode_text(data, report)
    if text is None:
        return None
    texts[shown] = text
    parse = _parse_json if path.suffix.lower() == ".json" else _parse_yaml
    return _build_tree(parse, text, report, text.split("\n"), unique_items=unique_items)


def _build_tree(
    parse: Callable[[str, Reporter], list[Any] | None],
    text: str,
    report: Reporter,
    lines: Sequence[str] = (),
    *,
    unique_items: bool,
    number_keys: bool = False,
) -> Node | None:
    events = _parse(parse, text, report)
    if events is None:
        return None
    builder = TreeBuilder(report, lines, unique_items=unique_items, number_keys=number_keys)
    root = builder.build(events)
    if root is None or root.value is None:
        if not builder.refused:
            report.at(codes.EMPTY, 1, 1, f"{report.file} holds no data")
        return None
    if not isinstance(root.value, dict) and (unique_items or not isinstance(root.value, list)):
        kind = "a list" if isinstance(root.value, list) else "a single value"
        message = f"the document is {kind}; it must be a mapping of keys to values"
        report.at(codes.NOT_A_MAPPING, root.line, root.column, message)
        return None
    return root


def _parse(parse: Callable[[str, Reporter], list[Any] | None], text: str, report: Reporter) -> list[Any] | None:
    try:
        return parse(text, report)
    except SyntaxFault as fault:
        related = (Related("it began here", place=report.place(*fault.began)),) if fault.began else ()
        report.at(codes.SYNTAX, fault.line, fault.column, fault.message, hint=fault.hint, related=related)
        return None


def _parse_yaml(text: str, report: Reporter) -> list[Any] | None:
    if refuse_long_lines(text, report):
        return None
    text = _without_directives(text, report)
    if "\t" in text:
        return parse_with_tabs(text, report)
    return parse_events(text)


def _without_directives(text: str, report: Reporter) -> str:
    """Make comments of the directives at the head of the document."""
    if "%" not in text:
        return text
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("%"):
            message = "a line that starts with % is a directive, and directives are not supported"
            report.at(codes.UNREAD_FEATURE, index + 1, 1, message)
            lines[index] = f"#{line[1:]}"
        elif line.strip(" ") and not line.lstrip(" ").startswith("#"):
            break
    return "\n".join(lines)


def _parse_json(text: str, report: Reporter) -> list[Any] | None:
    """Let the standard library judge the syntax; what it accepts is YAML as well, and there every value has a place."""
    constants: list[str] = []
    if text.strip(" \t\n"):
        try:
            json.loads(text, parse_float=str, parse_int=str, parse_constant=constants.append)
        except json.JSONDecodeError as error:
            message = f"this is not JSON: {error.msg[0].lower()}{error.msg[1:]}"
            report.at(codes.JSON_SYNTAX, error.lineno, error.colno, message)
            return None
        except RecursionError:
            # Nesting this deep is found, with its place, when the text is read as YAML.
            pass
    if constants:
        found = next(match for match in _JSON_CONSTANT.finditer(text) if match.group(1))
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        report.at(codes.JSON_SYNTAX, line, column, f"{found.group()} is not a JSON value", hint="write a finite number")
        return None
    return parse_events(text.replace("\t", " "), json=True)
