"""Diagnostics as JUnit XML, for the test pages of build servers: every error is a failed test case."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics.model import Diagnostic, Severity, format_path
from fabricgen.diagnostics.visible_in_xml import in_xml, in_xml_attribute
from fabricgen.diagnostics.writers.advice import advice

HEADER = '<?xml version="1.0" encoding="UTF-8"?>'


def write_junit(diagnostics: Sequence[Diagnostic]) -> str:
    """Write diagnostics as one test suite; without any it holds one case that passes.

    What is waived is skipped. Warnings and infos pass, with what they say as the case's output, so that they are seen
    and break no build.
    """
    waived = sum(diagnostic.waived is not None for diagnostic in diagnostics)
    failures = sum(d.severity is Severity.ERROR and d.waived is None for d in diagnostics)
    counts = f'tests="{max(1, len(diagnostics))}" failures="{failures}" errors="0" skipped="{waived}"'
    lines = [HEADER, f'<testsuites name="fabricgen" {counts}>', f'  <testsuite name="fabricgen" {counts}>']
    for diagnostic in diagnostics:
        lines += write_case(diagnostic)
    if not diagnostics:
        lines.append('    <testcase classname="fabricgen" name="no diagnostics"/>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def write_case(diagnostic: Diagnostic) -> list[str]:
    """Write the lines of one case."""
    place = diagnostic.place
    name = f"{diagnostic.code} {place}" if place else f"{diagnostic.code} {format_path(diagnostic.path)}".rstrip()
    group = in_xml_attribute(place.file if place else "fabricgen")
    case = f"    <testcase classname={group} name={in_xml_attribute(name)}>"
    detail = in_xml(_detail(diagnostic))
    if diagnostic.waived:
        body = f"      <skipped message={in_xml_attribute(f'waived {diagnostic.waived}')}>{detail}</skipped>"
    elif diagnostic.severity is Severity.ERROR:
        kind, message = in_xml_attribute(diagnostic.code), in_xml_attribute(diagnostic.message)
        body = f"      <failure type={kind} message={message}>{detail}</failure>"
    else:
        body = f"      <system-out>{detail}</system-out>"
    return [case, body, "    </testcase>"]


def _detail(diagnostic: Diagnostic) -> str:
    lines = [f"{diagnostic.severity.value}[{diagnostic.code}] {diagnostic.message}"]
    if diagnostic.place:
        lines.append(f"place: {diagnostic.place}")
    if diagnostic.path:
        lines.append(f"path: {format_path(diagnostic.path)}")
    if diagnostic.count > 1:
        lines.append(f"count: {diagnostic.count}")
    return "\n".join([*lines, *advice(diagnostic)])
