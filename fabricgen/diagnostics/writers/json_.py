"""Diagnostics as one JSON document, for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fabricgen.diagnostics.model import Diagnostic, Place, Related, Severity, Waiver
from fabricgen.diagnostics.visible import in_json


def write_json(diagnostics: Sequence[Diagnostic]) -> str:
    """Write diagnostics as an object with their list and a summary; fields are those of the model."""
    document = {
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in diagnostics],
        "summary": {
            **{
                severity.value: sum(d.severity is severity and d.waived is None for d in diagnostics)
                for severity in Severity
            },
            "waived": sum(d.waived is not None for d in diagnostics),
        },
    }
    return in_json(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "path": list(diagnostic.path),
        "device": diagnostic.device,
        "place": _place(diagnostic.place),
        "hint": diagnostic.hint,
        "count": diagnostic.count,
        "waived": _waiver(diagnostic.waived),
        "related": [_related(related) for related in diagnostic.related],
    }


def _related(related: Related) -> dict[str, object]:
    return {"text": related.text, "path": list(related.path), "place": _place(related.place)}


def _waiver(waiver: Waiver | None) -> dict[str, str] | None:
    return None if waiver is None else {"owner": waiver.owner, "expires": waiver.expires, "reason": waiver.reason}


def _place(place: Place | None) -> dict[str, object] | None:
    return None if place is None else {"file": place.file, "line": place.line, "column": place.column}
