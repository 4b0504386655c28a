"""A password of BGP sessions: only where the intent names a secret, on both ends or on neither, never in clear."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fabricgen.lab.model.configuration import adapt_routing
from tests.acceptance.run import INVENTORIES, render_here
from tests.judges.crossread.tree import read_tree

TOKEN = "@fabricgen-secret:env:BGP_KEY@"
KEY = "routing: {security: {key: {secret: env:BGP_KEY}}}\n"


@pytest.mark.parametrize("platform", ["", "eos", "nvue", "frr", "host-bgp"])
def test_both_ends_of_every_session_have_it(platform: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(INVENTORIES / "quickstart", site)
    (site / "overlays" / "key.yaml").write_text(KEY)
    assert render_here(site, tmp_path / "out", overlays=[*([platform] if platform else []), "key"]) == []
    fabric = read_tree(tmp_path / "out", runs_scripts=False)
    said = {session.password for device in fabric.devices.values() if device.bgp for session in device.bgp.sessions}
    assert said == {TOKEN}


def test_the_lab_has_a_stand_in_that_is_the_same_at_both_ends() -> None:
    long = f"@fabricgen-secret:vault:{'x' * 90}#key@"
    made = [adapt_routing(f" neighbor {group} password {long}\n").text for group in ("UPPER", "LOWER")]
    words = {re.search(r"password (\S+)", text)[1] for text in made}
    assert len(words) == 1
    assert len(words.pop()) <= 80
