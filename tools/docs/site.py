"""Lay out the pages of the documentation site: python -m tools.docs.site.

Copies every Markdown page of the repository, and what a page links to, into the folder that ``mkdocs.yml`` reads, under
the same paths. A link to a folder becomes a link to its README, or to its first page.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("*.md", "docs/**/*.md", "examples/**/*.md", "inventories/**/*.md", "templates/**/*.md")
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")


def lay_out(pages: Path) -> None:
    """Write the pages and the files that they link to."""
    shutil.rmtree(pages, ignore_errors=True)
    for pattern in PAGES:
        for source in sorted(ROOT.glob(pattern)):
            target = pages / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            linked = partial(_linked, page=source, pages=pages)
            target.write_text(LINK.sub(linked, source.read_text(encoding="utf-8")), encoding="utf-8")


def _linked(link: re.Match[str], page: Path, pages: Path) -> str:
    """Return a link as the site has it, after copying a linked file that is no page."""
    target = (page.parent / link[2]).resolve()
    if not target.is_relative_to(ROOT):
        return link[0]
    if target.is_dir():
        inside = [target / "README.md", *sorted(target.glob("*.md"))]
        first = next((file for file in inside if file.exists()), None)
        if first is None:
            return link[0]
        return f"{link[1]}{os.path.relpath(first, page.parent)}{link[3] or ''}{link[4]}"
    if target.suffix != ".md" and target.is_file():
        copy = pages / target.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, copy)
    return link[0]


if __name__ == "__main__":
    lay_out(ROOT / "build/pages")
