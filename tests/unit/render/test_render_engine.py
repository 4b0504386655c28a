"""The engine: what files come out, what is shared, and who sees what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import toy_view
from render_toys import make_class, make_host, make_platform, make_shape, make_switch

from fabricgen.diagnostics import Bag
from fabricgen.render.assemble import join_parts
from fabricgen.render.engine import RenderedFile, Renderer

PORTS = (
    "{# the ports of the class #}\n"
    '"PORT": {\n'
    "{% for port in cls.ports %}\n"
    '  {{ port.name | json }}: {"speed": "{{ port.speed_gbps }}"}{{ "" if loop.last else "," }}\n'
    "{% endfor %}\n"
    "}\n"
)
NAME = '"DEVICE": {"name": {{ device.hostname | json }}, "reason": {{ device.reason | json }}}\n'
DRAINED = '{% if device.state == "drained" %}\n"DRAINED": {}\n{% endif %}\n'


def render(root: Path, outputs: dict[str, list[tuple[str, str]]], **changes: object) -> list[RenderedFile]:
    """The files of one toy switch, from templates without a fault."""
    bag = Bag()
    spec = make_platform(root, outputs)
    files = Renderer({"toy": spec}, bag).render_switch(make_switch(**changes))
    assert not list(bag)
    return files


def test_a_json_file_is_put_together_from_its_parts(tmp_path: Path) -> None:
    cls = make_class(ports=[make_shape(0)])
    parts = [("class", PORTS), ("device", DRAINED), ("device", NAME), ("class", '"END": {}')]
    (file,) = render(tmp_path, {"etc/config.json": parts}, cls=cls, reason='a "quote"')
    assert file.path == "switches/leaf-u001-r0/etc/config.json"
    assert file.mode == 0o640
    assert file.data.decode() == (
        "{\n"
        '"PORT": {\n  "Ethernet0": {"speed": "400"}\n},\n'
        '"DEVICE": {"name": "leaf-u001-r0", "reason": "a \\"quote\\""},\n'
        '"END": {}'
        "\n}\n"
    )


@pytest.mark.parametrize("state", ["", "drained"])
def test_parts_that_render_to_nothing_leave_no_comma(tmp_path: Path, state: str) -> None:
    for at, parts in enumerate(([DRAINED, NAME], [NAME, DRAINED], [DRAINED, NAME, DRAINED.replace("DRAINED", "TOO")])):
        (file,) = render(tmp_path / f"{at}", {"a.json": [("device", part) for part in parts]}, state=state)
        assert json.loads(file.data)["DEVICE"]["name"] == "leaf-u001-r0"
        assert ("DRAINED" in json.loads(file.data)) == (state == "drained")


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([("", '"x": 0'), ("a", '"y": 1'), ("a", '"z": 2')], {"x": 0, "a": {"y": 1, "z": 2}}),
        ([("a", '"x": 0'), ("b", '"x": 1'), ("", '"y": 2')], {"a": {"x": 0}, "b": {"x": 1}, "y": 2}),
        ([("a", ""), ("a", '"x": 0'), ("b", ""), ("a", '"y": 1'), ("a", "")], {"a": {"x": 0, "y": 1}}),
        ([("a", ""), ("", '"x": 0')], {"x": 0}),
    ],
)
def test_json_parts_stand_in_the_members_that_they_name(parts: list[tuple[str, str]], found: object) -> None:
    assert json.loads(join_parts([(inside, text.encode()) for inside, text in parts], True)) == found


def test_text_parts_follow_each_other(tmp_path: Path) -> None:
    parts = [("class", "! {{ cls.fabric | cli }}\n"), ("device", "hostname {{ device.hostname }}\n"), ("class", "")]
    (file,) = render(tmp_path, {"etc/frr.conf": parts})
    assert file.data == b"! toy\nhostname leaf-u001-r0\n"


def test_outputs_that_render_to_nothing_are_left_out(tmp_path: Path) -> None:
    outs = {"a.json": [("device", DRAINED)], "b.conf": [("device", ""), ("class", "")], "c.json": [("class", "\n\n")]}
    assert render(tmp_path, outs) == []


def test_class_parts_are_rendered_once_per_class(tmp_path: Path) -> None:
    spec = make_platform(tmp_path, {"a.conf": [("class", "{{ cls.model }}\n"), ("device", "{{ device.hostname }}\n")]})
    renderer = Renderer({"toy": spec}, Bag())
    first, impostor = make_class("leaf", model="first"), make_class("leaf", model="never rendered")
    files = [renderer.render_switch(make_switch(cls, at))[0].data for at, cls in enumerate([first, impostor], start=1)]
    assert files == [b"first\nleaf-u001-r0\n", b"first\nleaf-u002-r0\n"]


def test_classes_of_different_keys_share_nothing(tmp_path: Path) -> None:
    spec = make_platform(tmp_path, {"a.conf": [("class", "{{ cls.model }}\n")]})
    renderer = Renderer({"toy": spec}, Bag())
    one, other = make_class("leaf/a", model="one"), make_class("leaf/b", model="other")
    devices = [make_switch(cls, number) for number, cls in enumerate((one, other, one, other), start=1)]
    assert [renderer.render_switch(device)[0].data for device in devices] == [b"one\n", b"other\n"] * 2


@pytest.mark.parametrize(
    ("scope", "name", "words"),
    [
        ("class", "device.hostname", "'device' is undefined"),
        ("class", "cls.class", "class"),
        ("device", "device.ports | random", "random"),
        *(("device", name, "") for name in ("range(3)", "lipsum()", "dict()", "namespace()", "environment")),
    ],
)
def test_templates_see_nothing_but_device_and_class(tmp_path: Path, scope: str, name: str, words: str) -> None:
    """A part of a class sees no device, and an attribute may be named like a keyword of Python."""
    bag = Bag()
    spec = make_platform(tmp_path, {"a.conf": [(scope, f"{{{{ {name} }}}}\n")]})
    assert Renderer({"toy": spec}, bag).render_switch(make_switch()) == []
    assert [(found.code, words in found.message) for found in bag] == [("FG-PLT-030", True)]


def test_a_host_gets_the_files_of_its_system_and_of_its_nic(tmp_path: Path) -> None:
    text = "{% for rail in device.rails %}\n{{ rail.shape.interface }}: {{ rail.address }}\n{% endfor %}\n"
    system = make_platform(tmp_path, {"etc/netplan/60-fabricgen.yaml": [("device", text)]}, "tux", "host")
    card = make_platform(tmp_path, {"etc/card.conf": [("class", "gpus {{ cls.group.gpus }}\n")]}, "card", "nic")
    bag = Bag()
    files = Renderer({"tux": system, "card": card}, bag).render_host(make_host())
    assert not list(bag)
    assert [(file.path, file.data) for file in files] == [
        ("hosts/gpu-u001-h01/etc/netplan/60-fabricgen.yaml", b"rail0: 172.16.1.1\nrail1: 172.16.1.3\n"),
        ("hosts/gpu-u001-h01/etc/card.conf", b"gpus 8\n"),
    ]


def test_views_are_what_templates_see(tmp_path: Path) -> None:
    own = "{% for port in device.ports %}\n{{ port.row.name }} {{ port.description | cli }}\n{% endfor %}\n"
    spec = make_platform(tmp_path, {"a.conf": [("class", "{{ cls.rows | length }}\n"), ("device", own)]}, view=toy_view)
    bag = Bag()
    (file,) = Renderer({"toy": spec}, bag).render_switch(make_switch())
    assert not list(bag)
    assert file.data.startswith(b"5\nEthernet0 gpu-u001-h01:rail0\nEthernet8 ")


def test_several_template_roots(tmp_path: Path) -> None:
    ours = make_platform(tmp_path / "ours", {"a.conf": [("class", "ours\n")]})
    theirs = make_platform(tmp_path / "theirs", {"a.conf": [("class", "theirs\n")]}, name="acme")
    renderer = Renderer({"toy": ours, "acme": theirs}, Bag())
    (file,) = renderer.render_switch(make_switch(make_class("leaf/x", platform="acme")))
    assert file.data == b"theirs\n"


def test_compiled_templates_can_be_kept(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    spec = make_platform(tmp_path / "root", {"a.conf": [("device", "{{ device.hostname }}\n")]})
    for _ in range(2):
        (file,) = Renderer({"toy": spec}, Bag(), cache_dir=cache).render_switch(make_switch())
        assert file.data == b"leaf-u001-r0\n"
    assert len(list(cache.iterdir())) == 1
