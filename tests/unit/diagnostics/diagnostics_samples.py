"""Diagnostics for the tests of the writers: ordinary ones, and ones that try to break every format."""

from __future__ import annotations

from fabricgen.diagnostics import Code, Diagnostic, Place, Related, Severity
from fabricgen.source import source_codes as codes

CODE = codes.DUPLICATE_KEY.id
SAMPLE = Code(
    "FG-SRC-990",
    "a sample",
    Severity.ERROR,
    why="It shows how a code is written out. " * 5,
    fix="Look at https://example.org/a-rather-long-address/that-must-stay-in-one-piece/because-it-is-copied/whole.",
    source="Nothing",
)

FABRIC = [
    "fabric: quick",
    "lossless:",
    "  classes:",
    "    roce: {priority: 9}",
    "\tname: 'ü'",
    "  日本語: {名: x}  # 😀",
    "",
]
HOSTILE = "a\nb ]]> <x> & \" ' :: %0A , ::error::x \x1b[31m \x00 \u202e \ud800 é 😀 {0} \r end"
SHOWN = r"""a
b ]]> <x> & " ' :: %0A , ::error::x \x1b[31m \x00 \u202e \ud800 é 😀 {0} \r end"""
"""The same as people see it."""


def lines_of(file: str) -> list[str]:
    """The lines of the only file there is."""
    return FABRIC if file == "fabric.yaml" else []


def at(line: int, column: int, file: str = "fabric.yaml") -> Place:
    """A place, in the only file there is unless said otherwise."""
    return Place(file, line, column)


ORDINARY = [
    Diagnostic(
        CODE,
        Severity.ERROR,
        "priority is 9; 0 to 7 are allowed",
        ("lossless", "classes", "roce", "priority"),
        hint="use 3",
        related=(Related("class chosen here", ("lossless", "classes"), at(3, 3)), Related("see there", ("fabric",))),
        place=at(4, 22),
        count=4096,
    ),
    Diagnostic("FG-QOS-015", Severity.WARNING, "not so good", place=at(2, 1)),
    Diagnostic("FG-QOS-011", Severity.ERROR, "bad", place=at(2, 1)),
    Diagnostic("FG-OUT-001", Severity.INFO, "nowhere", ("users", "[a: b]", "key")),
    Diagnostic("FG-OUT-002", Severity.ERROR, "another file", place=at(7, 3, "dir/a b#%é.yaml")),
]
EVIL = [
    Diagnostic(
        "FG-SEC-001",
        severity,
        HOSTILE,
        (HOSTILE, f"[{HOSTILE}]"),
        hint=HOSTILE,
        related=(Related(HOSTILE, (HOSTILE,), Place(HOSTILE, 1, 1)), Related(HOSTILE)),
        place=place,
        count=2,
    )
    for severity in Severity
    for place in (None, Place(HOSTILE, 1, 1), at(0, 0), at(99, 99), at(4, 999))
]
