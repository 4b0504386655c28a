"""Rendering the platform."""

from __future__ import annotations

import json
from typing import Any

from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.render.engine import Renderer
from tests.plain_rendering import render_plain

FOLDER = template_root() / "switch" / "sonic"
FAULTS = Bag()
SPECS = load_platforms({"sonic": ("tiers", "leaf", "platform")}, "switch", FAULTS, [template_root()])
SPEC = SPECS["sonic"]
RENDERER = Renderer(SPECS, FAULTS)
CONFIG_DB, FRR_CONF = (output.path for output in SPEC.outputs)


def render(device: Switch) -> dict[str, str]:
    """Every output of the platform for one switch, by path; classes of the same key do not mix."""
    tree = f"switches/{device.hostname}/"
    return {file.path.removeprefix(tree): file.data.decode() for file in render_plain(RENDERER, device)}


def frr_conf(device: Switch) -> str:
    """The switch's frr.conf."""
    return render(device)[FRR_CONF]


def config_db(device: Switch) -> dict[str, Any]:
    """The switch's config_db.json as data; a key given twice is an error."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"given twice: {sorted(key for key in keys if keys.count(key) > 1)}"
        return dict(pairs)

    return json.loads(render(device)[CONFIG_DB], object_pairs_hook=unique)


def frr_lines(device: Switch) -> list[str]:
    """The lines of the switch's frr.conf, without indentation."""
    return [line.strip() for line in render(device)[FRR_CONF].splitlines()]
