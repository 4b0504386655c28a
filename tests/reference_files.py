"""Files of facts that the project does not have: those beside the folders that FABRICGEN_JUDGES names."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest


def find_reference(path: str) -> Path:
    """Return a file or folder below such a folder or beside it; a test without it is skipped by name."""
    roots = [Path(root) for root in os.environ.get("FABRICGEN_JUDGES", "").split(os.pathsep) if root]
    for base in (base for root in roots for base in (root, root.parent)):
        if (base / path).exists():
            return base / path
    pytest.skip(f"{path} is not found beside FABRICGEN_JUDGES")


def load_program(name: str) -> ModuleType:
    """A program of such a folder as a module."""
    spec = importlib.util.spec_from_file_location(name, find_reference(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
