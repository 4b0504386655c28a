"""The documentation site builds without a warning, holds every page, and loads nothing from another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.docs.site import ROOT, lay_out

LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?([^"'\s>]+)|<link[^>]*\shref=["']?([^"'\s>]+)""")


@pytest.mark.nightly
def test_the_site_builds_and_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    lay_out(tmp_path / "pages")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    settings = settings.replace("build/pages", str(tmp_path / "pages")).replace("build/site", str(tmp_path / "site"))
    settings = settings.replace("tools/docs/theme", str(ROOT / "tools/docs/theme"))
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--config-file", str(tmp_path / "mkdocs.yml")],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        loaded = [first or second for first, second in LOADED.findall(page.read_text(encoding="utf-8"))]
        assert loaded, page
        assert [address for address in loaded if re.match(r"(https?:)?//", address)] == [], page
    assert (tmp_path / "site/assets/site.css").exists()
    assert "headroom" in (tmp_path / "site/search/search_index.json").read_text(encoding="utf-8")
