"""The shipped platforms on a real fabric: every line is traced, and telling lines name their key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Switch
from fabricgen.diagnostics import Bag
from fabricgen.render.engine import RenderedFile, Renderer
from fabricgen.render.provenance import trace_file
from tests.acceptance.run import compile_clean

INVENTORY = Path(__file__).parents[3] / "inventories/quickstart"


@cache
def fabric() -> tuple[Renderer, tuple[Switch | Host, ...]]:
    """A renderer, and two devices of each class of the quickstart fabric."""
    compiled = compile_clean(INVENTORY)
    lowering = Lowering(compiled.plan)
    found: dict[str, list[Switch | Host]] = {}
    for device in compiled.plan.switches():
        switch = lowering.lower_switch(device)
        found.setdefault(switch.cls.key, []).append(switch)
    for host_id in compiled.plan.all_hosts():
        host = lowering.lower_host(host_id)
        found.setdefault(host.cls.key, []).append(host)
    devices = [device for members in found.values() for device in (members[0], members[-1])]
    return Renderer(compiled.platforms, Bag(), verify=True), tuple(devices)


def render(renderer: Renderer, device: Switch | Host) -> list[RenderedFile]:
    return renderer.render_switch(device) if isinstance(device, Switch) else renderer.render_host(device)


def files() -> Iterator[tuple[Renderer, Switch | Host, RenderedFile]]:
    renderer, devices = fabric()
    for device in devices:
        for file in render(renderer, device):
            yield renderer, device, file


def test_every_line_is_traced_byte_for_byte() -> None:
    for renderer, device, file in files():
        lines = trace_file(renderer, device, file.path)
        assert "".join(line.text for line in lines).encode() == file.data, file.path
        assert all(Path(line.template).is_file() and line.template_line > 0 for line in lines)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("network 10.255.", ("addressing", "loopbacks", "ipv4")),
        ("router bgp ", ("routing", "asn", "base")),
        (" remote-as ", ("routing", "asn", "base")),
        ('"detection_time": ', ("lossless", "watchdog", "restoration_ms")),
    ],
)
def test_telling_lines_name_their_key(text: str, path: tuple[str, ...]) -> None:
    renderer, devices = fabric()
    seen = 0
    for file in render(renderer, devices[0]):
        if text.encode() not in file.data:
            continue
        for line in trace_file(renderer, devices[0], file.path):
            if text in line.text:
                assert line.text_paths(devices[0])[0] == path, line.text
                seen += 1
    assert seen
