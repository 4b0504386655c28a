"""The registry of every ``FG-…`` code: what it means, why it matters, what to do, where that is written.

A code that is another one now is retired; its number is not given again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabricgen.diagnostics.model import Severity

_CODE = re.compile(r"FG-[A-Z]{3}-\d{3}")
_REGISTRY: dict[str, Code] = {}
OF_COMMANDS = ("FG-COL-", "FG-DIF-", "FG-LAB-", "FG-ROL-", "FG-STA-", "FG-TRC-", "FG-WVR-")
"""Areas of what commands find beside the intent, or in its waivers: a waiver of an inventory covers none of it."""


@dataclass(frozen=True, slots=True)
class Code:
    """Metadata of one diagnostic code.

    Attributes:
        id: ``FG-<area>-<number>``; numbers from 900 mean "understood, not implemented".
        why: What goes wrong in a fabric if this is ignored.
        source: Public document, standard or law the rule rests on.
        fatal: The document cannot be read any further, so nothing else can be reported with it.
        waivable: An owner may take the risk, although it is an error; warnings about an intent always are.
    """

    id: str
    title: str
    severity: Severity
    why: str
    fix: str
    source: str
    fatal: bool = False
    waivable: bool = False

    @property
    def hint(self) -> str:
        """The fix in the form of a hint: lower case, without a full stop."""
        sentences = self.fix.removesuffix(".").split(". ")
        return "; ".join(sentence[0].lower() + sentence[1:] for sentence in sentences)

    @property
    def is_note(self) -> bool:
        """Return whether there is nothing to do about it."""
        return self.severity is Severity.INFO and self.fix.startswith("No action")


def register(
    id: str,  # noqa: A002 - the field's own word
    title: str,
    *,
    why: str,
    fix: str,
    source: str,
    severity: Severity = Severity.ERROR,
    fatal: bool = False,
    waivable: bool = False,
) -> Code:
    """Declare a code once, next to what raises it; ValueError if the id is malformed or taken."""
    if not _CODE.fullmatch(id):
        raise ValueError(f"malformed diagnostic code {id!r}")
    if id in _REGISTRY:
        raise ValueError(f"diagnostic code {id} is declared twice")
    is_risk = severity is Severity.WARNING and not id.startswith(OF_COMMANDS)
    code = Code(id, title, severity, why, fix, source, fatal, waivable or is_risk)
    _REGISTRY[id] = code
    return code


def lookup(id: str) -> Code | None:  # noqa: A002 - the field's own word
    """Return the code of that id, or None; only imported rooms have declared theirs."""
    return _REGISTRY.get(id)


def all_codes() -> list[Code]:
    """Every declared code, sorted by id."""
    return [_REGISTRY[name] for name in sorted(_REGISTRY)]


_NOW_AND_FORMER = """
FG-ADR-011 < FG-ADR-013; FG-ADR-014 < FG-ADR-032; FG-BUF-011 < FG-BUF-012; FG-BUF-013 < FG-EXC-012
FG-CAT-001 < FG-CAT-011; FG-CAT-006 < FG-CAT-012; FG-COL-011 < FG-COL-016; FG-COL-012 < FG-COL-017
FG-COL-015 < FG-COL-021; FG-COL-023 < FG-COL-022; FG-DIF-020 < FG-STA-010
FG-DIF-021 < FG-DIF-010 FG-DIF-011 FG-DIF-012 FG-DIF-013; FG-DIF-024 < FG-STA-013; FG-EXC-003 < FG-EXC-004 FG-EXC-005
FG-EXC-006 < FG-EXC-008 FG-EXC-009; FG-EXC-015 < FG-EXC-023; FG-EXC-021 < FG-EXC-080
FG-EXC-060 < FG-EXC-061 FG-EXC-062 FG-EXC-063; FG-EXC-085 < FG-EXC-086
FG-EXC-930 < FG-EXC-031 FG-EXC-032 FG-EXC-033 FG-EXC-034 FG-EXC-035 FG-EXC-036; FG-EXP-006 < FG-EXP-008
FG-EXP-001 < FG-EXP-002 FG-EXP-003 FG-EXP-004 FG-EXP-010
FG-EXP-011 < FG-EXP-012; FG-HST-002 < FG-HST-008; FG-HST-013 < FG-HST-012; FG-HST-022 < FG-ADR-031
FG-HST-040 < FG-HST-041; FG-HST-052 < FG-HST-980; FG-HST-056 < FG-HST-057; FG-INT-001 < FG-CAT-003 FG-PLT-011
FG-INT-002 < FG-CAT-004 FG-PLT-010
FG-INT-003 < FG-CAT-005 FG-HST-020 FG-INT-004 FG-INT-005 FG-INT-006 FG-INT-007 FG-PLT-012
FG-INT-010 < FG-HST-940 FG-PLT-960 FG-QOS-016 FG-QOS-090 FG-RTE-045 FG-TOP-032 FG-HST-003; FG-LAB-003 < FG-LAB-005
FG-LAB-010 < FG-LAB-011; FG-LAB-020 < FG-LAB-021; FG-OUT-003 < FG-COL-003 FG-LAB-043
FG-OUT-023 < FG-OUT-017; FG-OUT-024 < FG-EXP-030 FG-EXP-031
FG-PLT-021 < FG-ADR-901 FG-PLT-050 FG-PLT-100 FG-PLT-102 FG-PLT-103 FG-QOS-940 FG-RTE-013 FG-RTE-023 FG-RTE-065
FG-PLT-021 < FG-RTE-901 FG-RTE-902 FG-RTE-903 FG-RTE-906 FG-RTE-941 FG-RTE-942
FG-PLT-025 < FG-PLT-023 FG-PLT-024 FG-PLT-028 FG-PLT-047 FG-PLT-101 FG-QOS-041 FG-QOS-051 FG-RTE-024 FG-TOP-023
FG-PLT-025 < FG-TOP-024; FG-PLT-030 < FG-PLT-031 FG-PLT-032 FG-PLT-033 FG-PLT-034 FG-PLT-035
FG-PLT-040 < FG-PLT-041; FG-PLT-045 < FG-PLT-046 FG-PLT-051 FG-RTE-044; FG-PLT-066 < FG-PLT-067; FG-PLT-070 < FG-PLT-072
FG-PLT-955 < FG-PLT-968; FG-QOS-001 < FG-QOS-002; FG-QOS-005 < FG-QOS-006; FG-QOS-015 < FG-QOS-043
FG-QOS-018 < FG-QOS-070; FG-QOS-032 < FG-QOS-081; FG-QOS-033 < FG-EXP-005 FG-QOS-040; FG-QOS-044 < FG-QOS-085
FG-ROL-001 < FG-ROL-002; FG-QOS-017 < FG-QOS-042; FG-ROL-060 < FG-ROL-062; FG-ROL-063 < FG-ROL-061
FG-RTE-012 < FG-RTE-019 FG-RTE-025; FG-RTE-011 < FG-EXC-089; FG-TOP-012 < FG-TOP-034; FG-TOP-028 < FG-TOP-027 FG-TOP-029
FG-RTE-040 < FG-RTE-041 FG-RTE-042; FG-SEC-101 < FG-SEC-108; FG-SEC-110 < FG-SEC-111
FG-SRC-002 < FG-SRC-003 FG-SRC-026 FG-SRC-028; FG-SRC-006 < FG-SRC-007; FG-SRC-014 < FG-SRC-013 FG-SRC-015 FG-SRC-025
FG-SRC-016 < FG-SRC-023 FG-SRC-032; FG-SRC-021 < FG-SRC-020; FG-SRC-033 < FG-SRC-034
FG-SRC-042 < FG-COL-002 FG-DIF-003 FG-LAB-042 FG-XPT-002; FG-SRC-043 < FG-COL-030 FG-LAB-095 FG-XPT-003
FG-TOP-001 < FG-TOP-016; FG-TOP-002 < FG-TOP-004; FG-TOP-006 < FG-TOP-021; FG-TOP-025 < FG-TOP-042
FG-TOP-040 < FG-TOP-041; FG-WVR-002 < FG-WVR-010; FG-EXC-087 < FG-EXC-088; FG-QOS-003 < FG-QOS-086
FG-QOS-008 < FG-QOS-012 FG-QOS-014; FG-ADR-057 < FG-HST-059
"""
"""Codes, and behind the sign those that each took the place of."""
_GROUPS = (group.split(" < ") for group in re.split("[;\n]", _NOW_AND_FORMER) if group)
RETIRED: dict[str, str] = {former: now.strip() for now, formers in _GROUPS for former in formers.split()}
"""Former code to the one that took its place."""


_WIDTH = 80


def explain_code(code: Code) -> str:
    """Return title, severity, reason, remedy and source of a code as plain text that ends with a line feed."""
    kind = code.severity.value + ", stops reading" * code.fatal + ", can be waived" * code.waivable
    parts = [f"{code.id} ({kind})\n{_wrap(code.title)}"]
    for name, text in (("Why it matters", code.why), ("What to do", code.fix), ("Source", code.source)):
        parts.append(f"{name}\n{_wrap(text)}")
    return "\n\n".join(parts) + "\n"


def _wrap(text: str) -> str:
    """Wrap every paragraph; long words such as addresses stay whole."""
    import textwrap

    return "\n".join(
        textwrap.fill(
            line, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        for line in text.splitlines()
    )
