"""Switches of compiled fabrics under FBOSS, rendered and judged."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document
from tests.unit import judged

AGENT, BGP = "etc/coop/agent.conf", "etc/coop/bgpcpp.conf"

BOARDS = {
    "meta_wedge400": ("200G", "dac", "400G", "smf"),
    "meta_minipack2": ("200G", "mmf", "200G", "smf"),
    "meta_minipack3": ("400G", "dac", "400G", "smf"),
    "meta_icecube800bc": ("400G", "smf", "800G", "smf"),
    "meta_minipack3n": ("400G", "smf", "800G", "smf"),
}
"""Model to speed and medium of its downlinks and uplinks."""

BOARD = "asicConfig: {common: {yamlConfig: 'mmu_lossless: 2, THRESHOLD_MODE: LOSSY_AND_LOSSLESS'}}\n"
"""Stands for the chip section of any of them."""

INTENT = """
fabric: boards
hosts: {{server: dgx_h100_8, nic: {nic}, per_unit: 2}}
units: {{count: 2, max: 4}}
attachment: {{rails_per_leaf: 4}}
tiers:
  leaf: {{model: {model}, platform: fboss, board_data: board.yaml}}
  spine: {{model: {spine}, platform: fboss, board_data: board.yaml, per: fabric, count: 4}}
links:
  host-leaf: {{speed: {down}, cable: {{media: {down_media}, length_m: 3}}}}
  leaf-spine: {{speed: {up}, per_pair: 2, cable: {{media: {up_media}, length_m: 30}}}}
lossless: {{mode: {mode}{reason}}}
exceptions:
  - {{device: spine-04, state: drained, reason: "optics are being replaced"}}
"""


@cache
def switches(model: str, mode: str = "dcqcn", more: str = "") -> dict[str, Switch]:
    """Every switch of a small fabric whose leafs are of a model; ``more`` are further lines of its intent."""
    down, down_media, up, up_media = BOARDS[model]
    text = INTENT.format(
        model=model, spine="meta_minipack3" if up == "400G" and model != "meta_wedge400" else model, down=down,
        down_media=down_media, up=up, up_media=up_media, mode=mode, nic="connectx7_400g",
        reason="" if mode == "dcqcn" else ", reason: a test",
    ) + more  # fmt: skip
    bag = Bag()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fabric.yaml").write_text(text, encoding="utf-8")
        (folder / "board.yaml").write_text(BOARD, encoding="utf-8")
        document = load_document(folder / "fabric.yaml", bag)
        assert document is not None
        compiled = compile_document(document, folder, bag)
    assert not bag.has_errors, [d.message for d in bag if d.severity.value == "error"]
    lowering = Lowering(compiled.plan)
    found = [lowering.lower_switch(device) for device in compiled.plan.switches()]
    return {device.hostname: device for device in found}


def with_balancing(device: Switch, word: str) -> Switch:
    """A switch that balances its load another way."""
    routing = replace(device.cls.routing, load_balancing=word)
    return replace(device, cls=replace(device.cls, routing=routing))


def render(device: Switch) -> dict[str, str]:
    bag = Bag()
    files = Renderer(load_platforms({"fboss": ()}, "switch", bag), bag).render_switch(device)
    assert not bag.has_errors, [d.message for d in bag]
    prefix = f"switches/{device.hostname}/"
    return {file.path.removeprefix(prefix): file.data.decode() for file in files}


def agent(device: Switch) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(device)[AGENT])["sw"]
    return found


def bgp(device: Switch) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(device)[BGP])
    return found


def findings(device: Switch, folder: Path) -> list[str]:
    """Return what the outside checker says of both files; skips where it is not installed."""
    return judged.findings(render(device), folder, "agent", "bgpcpp")
