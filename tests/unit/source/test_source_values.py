"""Values: what a text means, judged by the YAML 1.2 specification and by other readers."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from source_files import Write, read

from fabricgen.diagnostics.visible import find_hidden
from fabricgen.source import RawFloat

# YAML 1.2.2 section 10.3.2, table of the core schema, and what YAML 1.1 would have made of the same text.
CORE_SCHEMA = [
    ("null", None), ("Null", None), ("NULL", None), ("~", None), ("", None),
    ("true", True), ("True", True), ("FALSE", False),
    ("0", 0), ("-12", -12), ("+7", 7), ("010", 10), ("0o17", 15), ("0xFf", 255),
    ("1.5", 1.5), ("-1e3", -1000.0), (".5", 0.5), ("12.", 12.0), (".inf", math.inf), ("-.INF", -math.inf),
    ("yes", "yes"), ("on", "on"), ("No", "No"), ("1:30", "1:30"), ("1_000", "1_000"), ("2001-12-14", "2001-12-14"),
    ("0b1", "0b1"), ("0o8", "0o8"), ("e3", "e3"), (".", "."), ("+", "+"), ("1.2.3.4", "1.2.3.4"), ("nULL", "nULL"),
]  # fmt: skip

_TEXT = (
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn", "Cf", "Zl", "Zp")), max_size=12)
    .map(lambda text: "".join(sign for sign in text if sign in "\n\t" or find_hidden(sign) is None))
    .filter(
        # What YAML 1.1, which the writer speaks, takes for text and YAML 1.2 for a number.
        lambda text: not re.fullmatch(r"[-+.0-9oxeEa-fA-F]+", text)
    )
)
_LEAVES = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | _TEXT
_DATA = st.dictionaries(
    _TEXT, st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4))
)


@pytest.mark.parametrize(("text", "value"), CORE_SCHEMA)
@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
def test_plain_scalars_follow_the_core_schema(write: Write, text: str, value: object, pure: bool) -> None:
    document, found = read(write(f"key: {text}\nlist:\n- {text}\n"), pure=pure)
    assert found == []
    assert document.data == {"key": value, "list": [value]}
    assert type(document.data["key"]) in (type(value), RawFloat)


@pytest.mark.parametrize("quoted", ["'10'", '"true"', '""', "'~'"])
def test_quoted_scalars_are_texts(write: Write, quoted: str) -> None:
    document, _ = read(write(f"key: {quoted}\n"))
    assert document.data == {"key": quoted[1:-1]}


def test_not_a_number_is_a_float(write: Write) -> None:
    document, _ = read(write("key: .nan\n"))
    assert math.isnan(document.data["key"])


def test_a_float_keeps_its_text(write: Write) -> None:
    document, _ = read(write("asn: 65001.10\n"))
    asn = document.data["asn"]
    assert (asn, asn.raw) == (65001.1, "65001.10")
    for clone in (pickle.loads(pickle.dumps(asn)), copy.deepcopy(asn)):
        assert (clone, clone.raw) == (65001.1, "65001.10")


@pytest.mark.parametrize("text", ["9" * 5000, "1e999", "-2e400", "0x" + "f" * 500])
def test_a_number_beyond_all_bounds_is_reported(write: Write, text: str) -> None:
    _, found = read(write(f"a: 1\nkey: {text}\n"))
    assert [(item.code, item.path, str(item.place)) for item in found] == [("FG-SRC-024", ("key",), "f:2:6")]


@pytest.mark.parametrize(
    "text",
    [
        "{secret: env:KEY}", "{a: [2001:db8::1, fe80::2/64]}", "{mac: 52:54:00:00:00:01, b: 47/1}",
        "{\"a\":1,\"b\":[true,null]}", "{a: b:c, d: 'e:f', g: \"h:i\"}", "k: a:b:c\nl: [x:y]\n# m:n\no: |\n  p:q\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
def test_colons_inside_words_are_text(write: Write, text: str, pure: bool) -> None:
    document, found = read(write(text), pure=pure)
    assert found == []
    quoted = text.replace("::1", "::1 ").replace("52:54:00:00:00:01", "'52:54:00:00:00:01'")
    assert document.data == yaml.safe_load(quoted)


@given(data=_DATA, flow=st.booleans())
def test_yaml_of_another_writer_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, data: object, flow: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.yaml"
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    document, found = read(path)
    assert [item for item in found if item.code != "FG-SRC-016"] == []
    assert document.data == data


@given(data=_DATA, indent=st.sampled_from([None, 2, "\t"]), ascii_only=st.booleans())
def test_json_of_another_writer_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, data: object, indent: int | str | None, ascii_only: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.json"
    separators = (",", ":") if indent is None else None
    path.write_text(json.dumps(data, indent=indent, ensure_ascii=ascii_only, separators=separators), encoding="utf-8")
    for pure in (False, True):
        document, found = read(path, pure=pure)
        assert [item for item in found if item.code != "FG-SRC-016"] == []
        assert document.data == data
