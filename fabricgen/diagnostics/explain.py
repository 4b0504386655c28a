"""Meaning of a code, as ``fabricgen explain`` shows it."""

from __future__ import annotations

import textwrap

from fabricgen.diagnostics.registry import Code

_WIDTH = 80


def explain_code(code: Code) -> str:
    """Return title, severity, reason, remedy and source of a code as plain text that ends with a line feed."""
    kind = (
        code.severity.value + (", stops reading" if code.fatal else "") + (", can be waived" if code.waivable else "")
    )
    parts = [f"{code.id} ({kind})\n{_wrap(code.title)}"]
    for name, text in (("Why it matters", code.why), ("What to do", code.fix), ("Source", code.source)):
        parts.append(f"{name}\n{_wrap(text)}")
    return "\n\n".join(parts) + "\n"


def _wrap(text: str) -> str:
    """Wrap every paragraph; long words such as addresses stay whole."""
    return "\n".join(
        textwrap.fill(
            line,
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )
