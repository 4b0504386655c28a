"""Passwords and timers of BGP sessions: on both ends or on neither, a secret never in clear."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fabricgen.lab.model.configuration import adapt_routing
from tests.acceptance.run import INVENTORIES, render_here
from tests.judges.crossread.tree import read_tree
from tests.judges.nvue.__main__ import findings

TOKEN = "@fabricgen-secret:env:BGP_KEY@"
KEY, TIMERS = "security: {key: {secret: env:BGP_KEY}}", "timers: {hold_s: 6}"


def render(platform: str, routing: str, folder: Path) -> Path:
    """Render the quickstart under an overlay with some keys of its routing, and return the tree."""
    site = folder / "site"
    shutil.copytree(INVENTORIES / "quickstart", site)
    (site / "overlays" / "own.yaml").write_text(f"routing: {{{routing}}}\n")
    assert render_here(site, folder / "out", overlays=[*([platform] if platform else []), "own"]) == []
    return folder / "out"


@pytest.mark.parametrize(
    ("platform", "routing", "expected"),
    [
        *((platform, KEY, {(TOKEN, (3, 9))}) for platform in ("", "eos", "nvue", "frr", "host-bgp")),
        *((platform, TIMERS, {("", (2, 6))}) for platform in ("", "eos", "nvue", "frr", "fboss", "host-bgp")),
    ],
)
def test_both_ends_of_every_session_have_it(platform: str, routing: str, expected: object, tmp_path: Path) -> None:
    fabric = read_tree(render(platform, routing, tmp_path), runs_scripts=False)
    sessions = [session for device in fabric.devices.values() if device.bgp for session in device.bgp.sessions]
    assert {(session.password, session.timers) for session in sessions} == expected


@pytest.mark.parametrize(
    ("platform", "file", "parts"),
    [
        ("", "sonic/frr/frr.conf", ("timers 0 0", "timers connect 5", "advertisement-interval 2")),
        ("nvue", "nvue.d/startup.yaml", ("hold: none, connection-retry: 5, route-advertisement: 2}",)),
    ],
)
def test_no_hold_time_in_words_of_a_platform(platform: str, file: str, parts: tuple[str, ...], tmp_path: Path) -> None:
    """The models of NVUE have no hold time of 0 and no interval of 0 between updates."""
    out = render(platform, "timers: {hold_s: 0, connect_retry_s: 5, advertisement_s: 2}", tmp_path)
    text = (out / "switches/spine-01/etc" / file).read_text()
    assert [part for part in parts if part not in text] == []
    assert platform != "nvue" or findings(text) == []


def test_the_lab_has_a_stand_in_that_is_the_same_at_both_ends() -> None:
    long = f"@fabricgen-secret:vault:{'x' * 90}#key@"
    made = [adapt_routing(f" neighbor {group} password {long}\n").text for group in ("UPPER", "LOWER")]
    words = {re.search(r"password (\S+)", text)[1] for text in made}
    assert len(words) == 1
    assert len(words.pop()) <= 80
