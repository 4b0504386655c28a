"""Property: a file put together from what its class shares equals the file rendered plainly."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from render_toys import make_class, make_platform, make_shape, make_switch

from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import find_hidden
from fabricgen.render.engine import Renderer
from tests.plain_rendering import render_plain

MEMBERS = [
    (
        "class",
        '"PORT": {\n{% for p in cls.ports %}\n  "{{ p.name }}": {{ p.alias | json }}{{ "" if loop.last else "," }}\n'
        "{% endfor %}\n}\n",
    ),
    ("class", '{% if cls.sku_is_exact %}\n{% else %}\n"SKU": {{ cls.sku | json }}\n{% endif %}\n'),
    ("class", "{# nothing but a comment #}\n"),
    ("class", '"MODEL": {"mtu": {{ cls.model | json }}}'),
    ("device", '"DEVICE": {"name": {{ device.hostname | json }}, "why": {{ device.reason | json }}}  \n\n'),
    ("device", '{% if device.state %}\n"STATE": {{ device.state | json }}\n{% endif %}\n'),
    (
        "device",
        '"LINK": {\n{% for p in device.ports %}\n  "{{ p.shape.name }}": {{ p.peer | json }}'
        '{{ "" if loop.last else "," }}\n{% endfor %}\n}\n',
    ),
]
LINES = [
    ("class", "! {{ cls.model | cli }}\n"),
    ("class", "{% for p in cls.ports if p.used %}\ninterface {{ p.name }}\n{% endfor %}\n"),
    ("class", ""),
    ("device", "hostname {{ device.hostname }}\n"),
    ("device", "{% if device.state %}\n! {{ device.reason | cli }}\n{% endif %}\n"),
    ("device", "{% for p in device.ports %}\nneighbor {{ p.peer_address }}\n{% endfor %}\n"),
]
TEXT = st.text(st.characters().filter(lambda sign: sign not in "\n\t" and find_hidden(sign) is None), max_size=12)


@st.composite
def switches(draw: st.DrawFn) -> list[Switch]:
    """Devices of two classes, in any order."""
    classes = []
    for key in ("leaf/a", "leaf/b"):
        sides = draw(st.lists(st.sampled_from(["down", "up", ""]), max_size=4))
        shapes = [make_shape(number, side, used=bool(side)) for number, side in enumerate(sides)]
        exact = draw(st.booleans())
        classes.append(make_class(key, shapes, model=draw(TEXT), sku_is_exact=exact))
    return [
        make_switch(
            draw(st.sampled_from(classes)), number, state=draw(st.sampled_from(["", "drained"])), reason=draw(TEXT)
        )
        for number in range(1, draw(st.integers(2, 5)))
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    switches(),
    st.lists(st.sampled_from(MEMBERS), unique=True, min_size=1),
    st.lists(st.sampled_from(LINES), unique=True, min_size=1),
    st.booleans(),
)
def test_fragments_equal_plain_rendering(
    tmp_path_factory: object,
    devices: list[Switch],
    members: list[tuple[str, str]],
    lines: list[tuple[str, str]],
    verify: bool,
) -> None:
    root: Path = tmp_path_factory.mktemp("root")
    spec = make_platform(root, {"etc/a.json": members, "etc/b.conf": lines})
    bag = Bag()
    renderer = Renderer({"toy": spec}, bag, verify=verify)
    for device in devices:
        files = renderer.render_switch(device)
        assert files == render_plain(renderer, device)
        for file in files:
            assert file.data.endswith(b"\n")
            if file.path.endswith(".json"):
                json.loads(file.data)
    assert not list(bag)
