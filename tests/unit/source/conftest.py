"""Fixtures of the source room."""

from __future__ import annotations

from pathlib import Path

import pytest
from source_files import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write text or bytes into a file of the test's own folder."""

    def write_file(content: str | bytes, name: str = "fabric.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file
