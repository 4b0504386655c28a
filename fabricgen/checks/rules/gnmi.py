"""Rule on the names of the certificates of gNMI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import IntentPath

GNMI: IntentPath = ("operations", "gnmi")


@rule(
    "FG-PLT-072",
    "Two certificates of gNMI under one name",
    why="Platforms that know certificates by their names would have one of them in both places.",
    fix="Give the files different names.",
    source="The platform's NOTES.md",
)
def check_gnmi_names(view: IntentView) -> Iterator[Finding]:
    """The switch's certificate and the authority's have different names."""
    gnmi = view.intent.operations.gnmi
    if gnmi and PurePosixPath(gnmi.server_crt).stem == PurePosixPath(gnmi.ca_crt).stem:
        own = PurePosixPath(gnmi.ca_crt)
        other = str(own.with_name(f"ca_{own.name}"))
        yield Finding(
            f"ca_crt is {gnmi.ca_crt}, which has the name of server_crt, {gnmi.server_crt}",
            (*GNMI, "ca_crt"),
            hint=f"use another file name, for example ca_crt: {other}",
            value=other,
        )
