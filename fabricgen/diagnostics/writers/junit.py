"""Diagnostics as JUnit XML, for the test pages of build servers: every error is a failed test case."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from fabricgen.diagnostics.model import Diagnostic, Severity, format_path
from fabricgen.diagnostics.visible import show_lines
from fabricgen.diagnostics.writers.text import advice

HEADER = '<?xml version="1.0" encoding="UTF-8"?>'


def in_xml(text: str) -> str:
    """Write a text between tags; lines stay."""
    return escape(show_lines(text))


def in_xml_attribute(text: str) -> str:
    """Write a text as the quoted value of an attribute; lines stay, as references."""
    return quoteattr(show_lines(text))


def write_junit(diagnostics: Sequence[Diagnostic]) -> str:
    """Write diagnostics as one test suite; without any it holds one case that passes.

    What is waived is skipped. Warnings and infos pass, with what they say as the case's output, so that they are seen
    and break no build.
    """
    cases = [line for diagnostic in diagnostics for line in write_case(diagnostic)]
    none = ['    <testcase classname="fabricgen" name="no diagnostics"/>']
    return frame_cases("fabricgen", max(1, len(diagnostics)), cases or none)


def frame_cases(name: str, tests: int, cases: Sequence[str]) -> str:
    """Return the lines of cases as one test suite that counts what they hold."""
    failures, errors, skipped = (
        sum(line.lstrip().startswith(f"<{tag} ") for line in cases) for tag in ("failure", "error", "skipped")
    )
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    lines = [HEADER, f'<testsuites name="{name}" {counts}>', f'  <testsuite name="{name}" {counts}>', *cases]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def write_case(diagnostic: Diagnostic) -> list[str]:
    """Write the lines of the case of a diagnostic."""
    place = diagnostic.place
    name = f"{diagnostic.code} {place}" if place else f"{diagnostic.code} {format_path(diagnostic.path)}".rstrip()
    group, detail = place.file if place else "fabricgen", _detail(diagnostic)
    if diagnostic.waived:
        return show_case(group, name, "skipped", detail, message=f"waived {diagnostic.waived}")
    if diagnostic.severity is Severity.ERROR:
        return show_case(group, name, "failure", detail, kind=diagnostic.code, message=diagnostic.message)
    return show_case(group, name, "system-out", detail)


def show_case(group: str, name: str, tag: str = "", text: str = "", **attributes: str) -> list[str]:
    """Write the lines of one case; an empty tag is that of a case that passes without output."""
    head = f"    <testcase classname={in_xml_attribute(group)} name={in_xml_attribute(name)}"
    if not tag:
        return [f"{head}/>"]
    words = (f" {'type' if key == 'kind' else key}={in_xml_attribute(value)}" for key, value in attributes.items())
    return [f"{head}>", f"      <{tag}{''.join(words)}>{in_xml(text)}</{tag}>", "    </testcase>"]


def _detail(diagnostic: Diagnostic) -> str:
    lines = [f"{diagnostic.severity.value}[{diagnostic.code}] {diagnostic.message}"]
    if diagnostic.place:
        lines.append(f"place: {diagnostic.place}")
    if diagnostic.path:
        lines.append(f"path: {format_path(diagnostic.path)}")
    if diagnostic.count > 1:
        lines.append(f"count: {diagnostic.count}")
    return "\n".join([*lines, *advice(diagnostic)])
