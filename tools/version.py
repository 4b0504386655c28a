"""Version of the package that is built: the git tag, or the fallback of fabricgen/__init__.py."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TAG = re.compile(r"v(\d+\.\d+\.\d+)(?:-(\d+)-g([0-9a-f]+))?")


def package_version() -> str:
    """Return the version of the nearest tag, as PEP 440 writes it.

    Returns:
        ``1.2.3`` at the tag ``v1.2.3``; ``1.2.3.post4+gabc1234`` four commits later; the committed fallback where there
        is no tag, no git, or no repository of the project itself.
    """
    text = (ROOT / "fabricgen/__init__.py").read_text(encoding="utf-8")
    fallback = text.partition('__version__ = "')[2].partition('"')[0]
    if not (ROOT / ".git").exists():
        return fallback
    git = ["git", "-C", str(ROOT), "describe", "--tags", "--match", "v[0-9]*.[0-9]*.[0-9]*"]
    try:
        described = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return fallback
    tag = TAG.fullmatch(described)
    if tag is None:
        return fallback
    return tag[1] if tag[2] is None else f"{tag[1]}.post{tag[2]}+g{tag[3]}"
