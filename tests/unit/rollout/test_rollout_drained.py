"""Drained switches of platforms with a configuration of their own words are recognized as they were before."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.rollout.bundle import Digest
from fabricgen.rollout.digests import Meanings, digest_bytes
from fabricgen.rollout.positions import Fit, Fresh, fit_digest
from tests.acceptance.run import INVENTORIES, render_here

EOS, NVUE = "mnt/flash/startup-config", "etc/nvue.d/startup.yaml"
QUIESCED = "maintenance\n   unit System\n      quiesce\n!\nend\n"
OTHERWISE = "maintenance\n   unit System\n      profile unit SLOW\n      quiesce\n!\nend\n"


def collect(folder: Path, path: str) -> str:
    """Return the configuration of a spine of the pair's fabric on a platform."""
    overlays = [] if path == EOS else ["routed-nvue"]
    assert render_here(INVENTORIES / "dual-tor", folder, overlays=overlays) == []
    return (folder / "switches/spine-01" / path).read_text()


@pytest.mark.parametrize("path", [EOS, NVUE])
def test_switch_that_is_drained_is_as_before_but_for_the_drain(tmp_path: Path, path: str) -> None:
    text = collect(tmp_path / "rendered", path)
    kind = load_kinds(None, Bag()).of_device("switches", [path])[path]
    meanings = Meanings()
    known = Digest(digest_bytes(text.encode()), meanings.digest_file(text.encode(), kind))

    def fit(drained: str) -> Fit:
        assert drained != text
        return fit_digest(known, Fresh(drained.encode(), kind), meanings)

    if path == NVUE:
        key = "        router-id:"
        assert fit(text.replace(key, f"        graceful-shutdown: enabled\n{key}")) is Fit.drained
        assert fit(text.replace(key, f"        graceful-shutdown: disabled\n{key}")) is Fit.yes
    else:
        assert text.endswith("end\n")
        assert fit(text.removesuffix("end\n") + QUIESCED) is Fit.drained
        assert fit(text.removesuffix("end\n") + OTHERWISE) is Fit.no
