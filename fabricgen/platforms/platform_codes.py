"""Codes of everything that can be wrong with a platform's folder, its manifest or its class."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(register, source="docs: the platform contract, manifest platform.yaml")
_NOT_USABLE = "Nothing can be rendered for devices that run this platform."

UNKNOWN_PLATFORM = declare(
    "FG-PLT-001",
    "No platform of that name is installed",
    why=_NOT_USABLE,
    fix="Use one of the names the message lists, or install the package that ships the platform.",
)
BROKEN_ENTRY_POINT = register(
    "FG-PLT-002",
    "An installed package announces platforms and cannot deliver them",
    severity=Severity.WARNING,
    why="Its platforms are missing; every other platform works.",
    fix="Repair or uninstall the package; its entry point must yield an object whose TEMPLATES is a folder.",
    source="Python packaging specification, entry points; group fabricgen.platforms",
)
PLATFORM_TWICE = declare(
    "FG-PLT-003",
    "Two template folders claim the same platform",
    why="Which of the two writes the configuration would depend on the order of installation.",
    fix="Uninstall one of the packages, or rename the folder and the platform in it.",
)
WRONG_FOLDER = declare(
    "FG-PLT-013",
    "The manifest names another platform than its folder",
    why="A platform is found by its folder; under two names it could not be found by either.",
    fix="Rename the folder, or correct the name in the manifest.",
)
NO_TEMPLATE = declare(
    "FG-PLT-014",
    "The manifest names a template that is not in the platform's folder",
    why="A part of the configuration would be missing.",
    fix="Correct the path; it is relative to the folder of the manifest and may not leave it.",
)
BROKEN_CLASS = declare(
    "FG-PLT-015",
    "The platform's class or its defaults cannot be used",
    why=_NOT_USABLE,
    fix="Make PLATFORMS name instances of Platform; correct the file of defaults.",
)
