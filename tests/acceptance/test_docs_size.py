"""The page on sizing shows what the commands print; that they run is tested with every page's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY, run, succeed

PAGE = (REPOSITORY / "docs/size.md").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    blocks = re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S)
    h100 = ("size", "--gpus", "512", "--server", "dgx_h100_8")
    printed = [succeed(*h100), run(*h100, "--switch", "nvidia_sn3700", "--platform", "sonic").stderr]
    assert len(blocks) == len(printed)
    for shown, text in zip(blocks, printed, strict=True):
        lines = [line.strip() for line in text.splitlines()]
        assert [line for line in shown.splitlines() if line.strip() not in lines] == []


def test_every_option_of_the_page_exists() -> None:
    known = run("size", "--help").stdout + run("init", "--help").stdout + run("catalog", "--help").stdout
    for option in set(re.findall(r"`(--[a-z-]+)", PAGE)):
        assert option in known, option
