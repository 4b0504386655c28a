"""Diagnostics as SARIF 2.1.0, which code hosts show next to the lines of a change.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from fabricgen.diagnostics.model import Diagnostic, IntentPath, Place, Severity, format_path
from fabricgen.diagnostics.registry import lookup
from fabricgen.diagnostics.visible import encodable, in_json, in_message, show_line

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

_Object = dict[str, object]


def write_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Write diagnostics as the results of one run; its rules are the codes that occur."""
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    index_of = {code: index for index, code in enumerate(codes)}
    severity_of = {diagnostic.code: diagnostic.severity for diagnostic in diagnostics}
    run = {
        "tool": {"driver": {"name": "fabricgen", "rules": [_rule(code, severity_of[code]) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, index_of[diagnostic.code]) for diagnostic in diagnostics],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return in_json(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _rule(code: str, severity: Severity) -> _Object:
    rule: _Object = {"id": code, "defaultConfiguration": {"level": _LEVELS[severity]}}
    known = lookup(code)
    if known is not None:
        rule["shortDescription"] = _message(known.title)
        rule["fullDescription"] = _message(known.why)
        rule["help"] = _message(f"{known.fix}\n\nSource: {known.source}")
    return rule


def _result(diagnostic: Diagnostic, rule_index: int) -> _Object:
    message = diagnostic.message + (f"\nHint: {diagnostic.hint}" if diagnostic.hint else "")
    result: _Object = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[diagnostic.severity],
        "message": _message(message),
        "occurrenceCount": max(1, diagnostic.count),
    }
    if diagnostic.waived:
        justification = in_message(str(diagnostic.waived))
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": justification}]
    location = _location(diagnostic.place, diagnostic.path)
    if location:
        result["locations"] = [location]
    related = [
        {"id": number, **_location(item.place, item.path), "message": _message(item.text)}
        for number, item in enumerate(diagnostic.related, 1)
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _message(text: str) -> _Object:
    """Make a message, without placeholders in braces (section 3.11.5) or links in brackets (section 3.11.6)."""
    return {"text": in_message(text).replace("{", "{{").replace("}", "}}")}


def _location(place: Place | None, path: IntentPath) -> _Object:
    location: _Object = {}
    if place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(place.file)},
            "region": {"startLine": max(1, place.line), "startColumn": max(1, place.column)},
        }
    if path:
        location["logicalLocations"] = [{"fullyQualifiedName": show_line(format_path(path))}]
    return location


def _uri(file: str) -> str:
    """A relative reference for a relative path, a file URI for an absolute one."""
    quoted = quote(encodable(file), safe="/")
    if quoted.startswith("/"):
        return f"file://{quoted}"
    return quoted or "."
