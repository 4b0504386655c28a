"""Documents: places, paths and cheap changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_files import Write, read

from fabricgen.source import Document, RawFloat, natural_key

TEXT = """\
# a fabric
fabric: "quick"
tiers:
  leaf: {model: m1, ports: [1, 2]}
  spine:
    model: 'm2'
empty:
notes: |
  two
  lines
operations:
  users:
  - name: netops
    ssh_key: abc
  - ssh_key: def
    name: root
exceptions:
- {link: [leaf-1, spine-7], n: 2, ports: {leaf-1: 47/1}, reason: x}
-   device: spine-3
    set: {operations.gnmi.port: 9339}
"""

PLACES = {
    (): (2, 1),
    ("fabric",): (2, 9),
    ("tiers",): (3, 1),
    ("tiers", "leaf"): (4, 3),
    ("tiers", "leaf", "model"): (4, 17),
    ("tiers", "leaf", "ports"): (4, 21),
    ("tiers", "leaf", "ports", "[2]"): (4, 32),
    ("tiers", "spine", "model"): (6, 12),
    ("empty",): (7, 1),
    ("notes",): (8, 8),
    ("operations", "users", "[netops]"): (13, 5),
    ("operations", "users", "[netops]", "ssh_key"): (14, 14),
    ("operations", "users", "[root]"): (15, 5),
    ("operations", "users", "[root]", "name"): (16, 11),
    ("exceptions", "[leaf-1~spine-7 2 ports]", "ports"): (18, 35),
    ("exceptions", "[leaf-1~spine-7 2 ports]", "link", "[spine-7]"): (18, 19),
    ("exceptions", "[spine-3 set]"): (19, 5),
    ("exceptions", "[spine-3 set]", "set", "operations.gnmi.port"): (20, 33),
    # What does not exist stands where its deepest existing ancestor stands.
    ("links",): (2, 1),
    ("tiers", "leaf", "platform"): (4, 3),
    ("operations", "users", "[guest]", "name"): (12, 3),
    ("fabric", "below", "a scalar"): (2, 9),
}


@pytest.fixture
def document(write: Write) -> Document:
    read_document, found = read(write(TEXT))
    assert found == []
    return read_document


@pytest.mark.parametrize(("path", "spot"), PLACES.items())
def test_place_of_a_path(document: Document, path: tuple[str, ...], spot: tuple[int, int]) -> None:
    place = document.place(path)
    assert (place.file, place.line, place.column) == ("f", *spot)


@pytest.mark.parametrize(
    ("path", "spot"),
    [
        (("fabric",), (2, 1)), (("tiers", "leaf", "model"), (4, 10)), (("tiers",), (3, 1)),
        (("operations", "users", "[root]", "name"), (16, 5)), (("operations", "users", "[root]"), (15, 5)),
    ],
)  # fmt: skip
def test_place_of_a_key(document: Document, path: tuple[str, ...], spot: tuple[int, int]) -> None:
    place = document.place(path, on_key=True)
    assert (place.line, place.column) == spot


def test_has(document: Document) -> None:
    assert all(document.has(path) for path in list(PLACES)[:18])
    assert not any(document.has(path) for path in list(PLACES)[18:])


@pytest.mark.parametrize(
    ("loc", "path"),
    [
        (("fabric",), ("fabric",)),
        (("operations", "users", 1, "name"), ("operations", "users", "[root]", "name")),
        (("operations", "users", 0), ("operations", "users", "[netops]")),
        (("operations", "users", 7), ("operations", "users")),
        (("exceptions", 0, "LinkPorts", "ports"), ("exceptions", "[leaf-1~spine-7 2 ports]", "ports")),
        (("exceptions", 1, "function-after[check(), Set]", "set"), ("exceptions", "[spine-3 set]", "set")),
        (("tiers", "leaf", "function-before[f(), str]", "model"), ("tiers", "leaf", "model")),
        (("tiers", "spine", "platform"), ("tiers", "spine", "platform")),
        (("tiers", "leaf", "host", "ports", 1), ("tiers", "leaf", "ports", "[2]")),
        (("tiers", "leaf", "model", "str"), ("tiers", "leaf", "model")),
        (("tiers", "leaf", "list[int]"), ("tiers", "leaf")),
        (("tiers", "leaf", "TierSpec"), ("tiers", "leaf")),
        (("tiers", "spine", "[key]"), ("tiers", "spine")),
        (("tiers", "spine", "is-instance[dict]"), ("tiers", "spine")),
        (("fabric", "constrained-str"), ("fabric",)),
        ((), ()),
    ],
)
def test_location_of_a_validator_becomes_a_path(
    document: Document, loc: tuple[str | int, ...], path: tuple[str, ...]
) -> None:
    assert document.to_path(loc) == path


def test_without(document: Document) -> None:
    less = document.without(("operations", "users", "[netops]"))
    assert document.has(("operations", "users", "[netops]"))
    assert not less.has(("operations", "users", "[netops]"))
    assert less.data["operations"] == {"users": [{"ssh_key": "def", "name": "root"}]}
    root = ("operations", "users", "[root]", "name")
    assert less.place(root) == document.place(root)
    assert "tiers" not in document.without(("tiers",)).data
    for path in ((), ("links",), ("operations", "users", "[guest]")):
        with pytest.raises(KeyError):
            document.without(path)


def test_replaced(document: Document) -> None:
    changed = document.replaced(("tiers", "leaf", "model"), {"a": [1, {"b": None}]})
    assert changed.data["tiers"]["leaf"]["model"] == {"a": [1, {"b": None}]}
    assert document.data["tiers"]["leaf"]["model"] == "m1"
    assert changed.place(("tiers", "leaf", "model", "a", "[b=null]", "b")) == document.place(("tiers", "leaf", "model"))
    assert changed.data["operations"] is document.data["operations"]


def test_replaced_keeps_the_order_of_keys(document: Document) -> None:
    assert list(document.replaced(("tiers",), 1).data) == list(document.data)


def test_replaced_adds_what_is_missing(document: Document) -> None:
    changed = document.replaced(("links", "host-leaf", "cable"), "dac")
    assert changed.data["links"] == {"host-leaf": {"cable": "dac"}}
    assert document.replaced(("operations", "users", "[x]"), {"name": "x"}).has(("operations", "users", "[x]", "name"))
    assert document.replaced(("new", "[a]"), "a").data["new"] == ["a"]
    with pytest.raises(KeyError):
        document.replaced(("fabric", "x"), 1)
    with pytest.raises(TypeError):
        document.replaced(("fabric",), object())


def test_replaced_root(document: Document) -> None:
    assert document.replaced((), {"a": 1}).data == {"a": 1}


def test_lines(document: Document) -> None:
    assert document.lines("f") == TEXT.splitlines()
    assert document.lines("other") == []


def test_changes_share_what_is_equal(document: Document) -> None:
    for changed in (document.replaced(("tiers", "leaf", "model"), "m3"), document.without(("tiers", "leaf", "model"))):
        assert changed.root.value["operations"] is document.root.value["operations"]
        assert changed.data["tiers"]["spine"] is document.data["tiers"]["spine"]


@pytest.mark.parametrize(
    ("item", "key"),
    [
        ("x", "x"), (7, "7"), (True, "true"), (None, "null"), (RawFloat(65001.1, "65001.10"), "65001.10"),
        ({"name": "netops", "ssh_key": "k"}, "netops"),
        ({"device": "d", "state": "drained", "reason": "r"}, "d state"),
        ({"host": "h", "state": "absent"}, "h state"),
        ({"link": ["a", "b"], "n": 3, "to": "c"}, "a~b 3 to"),
        ({"link": ["a", "b"], "n": 2, "ports": {"a": "47/1"}, "cable": {}}, "a~b 2 ports"),
        ({"device": "d", "raw": {"sonic": "f"}}, "d raw"),
        ({"ports": {}, "set": {}, "device": "d"}, "d set"),
        ({"speed": 400, "lanes": 8, "more": {"x": 1}}, "speed=400 lanes=8"),
        ({"only": {"nested": 1}}, ""),
        ([1, [2, "x"]], "1~2~x"),
    ],
)  # fmt: skip
def test_natural_key(item: object, key: str) -> None:
    assert natural_key(item) == key


_KEYS = st.text("abcxyz_-", min_size=1, max_size=5)
_TREES = st.recursive(
    st.integers(0, 99) | _KEYS,
    lambda inner: st.dictionaries(_KEYS, inner, min_size=1, max_size=4) | st.lists(_KEYS, unique=True, min_size=1),
)


@given(data=st.dictionaries(_KEYS, _TREES, min_size=1), style=st.sampled_from([None, True, False]))
def test_every_place_points_at_its_text(
    tmp_path_factory: pytest.TempPathFactory, data: object, style: bool | None
) -> None:
    yaml = pytest.importorskip("yaml")
    path = tmp_path_factory.getbasetemp() / "places.yaml"
    path.write_text(yaml.safe_dump(data, default_flow_style=style, sort_keys=False))
    document, _ = read(path)
    lines = document.lines("f")

    def check(value: object, path: tuple[str, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                place = document.place((*path, key), on_key=True)
                assert lines[place.line - 1][place.column - 1 :].lstrip("'\"").startswith(key)
                check(inner, (*path, key))
        elif isinstance(value, list):
            for item in value:
                check(item, (*path, f"[{item}]"))
        else:
            place = document.place(path)
            assert lines[place.line - 1][place.column - 1 :].lstrip("'\"").startswith(str(value))

    check(data, ())
