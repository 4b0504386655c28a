"""Lines of snippets as they may be quoted: the user may have written a secret into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fabricgen.api.compile import Compiled
from fabricgen.diagnostics import Diagnostic
from fabricgen.diagnostics.commands import show_line_of_file

_RAW = "raw"


def quote_file(
    compiled: Compiled | None, file: str, lines: Sequence[str], diagnostics: Iterable[Diagnostic]
) -> Sequence[str]:
    """Lines of a file that diagnostics stand in: those of a snippet without what may be a secret.

    Args:
        compiled: The inventory.
        file: The file.
        lines: All its lines.
        diagnostics: All that are printed; the lines of a snippet at which none of them stands are left empty.
    """
    columns: dict[int, int] = {}
    platform = ""
    for found in diagnostics:
        for place, path in ((found.place, found.path), *((related.place, related.path) for related in found.related)):
            if place is None or place.file != file:
                continue
            columns[place.line] = max(columns.get(place.line, 0), place.column)
            platform = platform or _platform(path) or _platform(found.path)
    if not platform or file in (compiled.document.files if compiled else ()):
        return lines
    return [
        show_line_of_file(line, columns[number]) if number in columns else "" for number, line in enumerate(lines, 1)
    ]


def _platform(path: Sequence[str]) -> str:
    """The platform that a path of a snippet names."""
    return path[path.index(_RAW) + 1] if _RAW in path[:-1] else ""
