"""A GitOps engineer: from an inventory in git to a comment that names the switches a change touches."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.acceptance.roles.session import WIDTHS, Session
from tests.acceptance.run import INVENTORIES


@pytest.mark.nightly
def test_from_an_inventory_to_a_comment(tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.run("git init -q .")
    shutil.copytree(INVENTORIES / "quickstart", tmp_path / "inventory")
    session.run("fabricgen render inventory -o rendered")
    session.run("git add -A")
    session.run("git -c user.name=me -c user.email=me@example.net commit -q -m fabric")
    intent = tmp_path / "inventory/fabric.yaml"
    intent.write_text(intent.read_text().replace("syslog: [192.168.0.11]", "syslog: [192.168.0.12]"))
    session.run("fabricgen render inventory -o rendered")
    comment = session.run("fabricgen diff inventory HEAD:inventory --format markdown", expected=3)
    headline, *lines = comment.splitlines()
    assert headline.startswith("### fabricgen diff: ")
    assert headline.endswith(" of 14 devices, at worst: hitless")
    (wave,) = [line for line in lines if line.startswith("| hitless: nothing is disturbed |")]
    for name in ("leaf-u001-r0", "leaf-u001-r4", "leaf-u002-r0", "leaf-u002-r4", "spine-01", "spine-02"):
        assert f"`{name}`" in wave
    assert any("syslog server added" in line and "operations.syslog" in line for line in lines)
    assert any("syslog server removed" in line for line in lines)


@pytest.mark.sampled(1, of="width")
@pytest.mark.parametrize("width", WIDTHS)
def test_the_comment_is_the_same_at_every_width(tmp_path: Path, width: int) -> None:
    shutil.copytree(INVENTORIES / "quickstart", tmp_path / "a")
    shutil.copytree(INVENTORIES / "quickstart", tmp_path / "b")
    intent = tmp_path / "b/fabric.yaml"
    intent.write_text(intent.read_text().replace("syslog: [192.168.0.11]", "syslog: [192.168.0.12]"))
    comment = Session(tmp_path, width).run("fabricgen diff b a --format markdown --only *-01", expected=3)
    assert "| hitless: nothing is disturbed | 1 | `spine-01` |" in comment.splitlines()
