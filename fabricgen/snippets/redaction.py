"""Redaction of a platform's files; loaded only where a snippet is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.file_format import FileFormat
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN, load_semantics


def find_redaction(spec: PlatformSpec, output: Output) -> Redaction:
    """Return what of a file of a platform may be quoted; nothing where no semantics knows it."""
    root = Path(spec.root) if spec.root else template_root()
    return _load_redaction(root, output.semantics, spec.platform.format_of(output.path))


@lru_cache(maxsize=64)
def _load_redaction(root: Path, semantics: str, file_format: FileFormat) -> Redaction:
    return Redaction((load_semantics(root, semantics, Bag(), file_format) or PLAIN).root)
