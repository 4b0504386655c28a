"""Maintenance of SONiC switches: TSA never finds a route map of ours."""

from __future__ import annotations

import re

import pytest
import sonic_fabric as fabric
from sonic_render import frr_lines

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import Renderer
from tests.acceptance.run import INVENTORIES, compile_clean

OVERLAYS = ((), ("dual",), ("ipv6",), ("unnumbered",), ("host-bgp",))
_MAP = re.compile(r"\broute-map (\S+)")


def route_maps(lines: list[str]) -> set[str]:
    """Names of route maps that an frr.conf has or refers to."""
    return {name for line in lines for name in _MAP.findall(line)}


@pytest.mark.parametrize("overlays", OVERLAYS, ids=lambda names: "+".join(names) or "plain")
def test_no_route_map_is_called_as_tsa_looks_for(overlays: tuple[str, ...]) -> None:
    """TSA writes entries of its own into outbound route maps with V4 or V6 in their names."""
    made = compile_clean(INVENTORIES / "quickstart", *overlays)
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, Bag())
    names: set[str] = set()
    for device in made.plan.switches():
        files = renderer.render_switch(lowering.lower_switch(device))
        names |= {
            name for f in files if f.path.endswith("/frr.conf") for name in route_maps(f.data.decode().splitlines())
        }
    assert names
    assert not [name for name in names if "V4" in name or "V6" in name]


def test_drained_links_have_maps_that_tsa_leaves_alone() -> None:
    device = fabric.leaf()
    device.ports[-1].drained = True
    assert not [name for name in route_maps(frr_lines(device)) if "V4" in name or "V6" in name]
