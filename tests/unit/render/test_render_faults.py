"""Faults of templates and views: diagnostics with the template line, never tracebacks, and no file."""

from __future__ import annotations

from pathlib import Path

import pytest
import toy_view
from render_toys import make_class, make_platform, make_switch

from fabricgen.api import place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.render.engine import Renderer

SOUND = '"A": {"x": "1"}'


def faults(root: Path, outputs: dict[str, list[tuple[str, str]]], **changes: object) -> list[Diagnostic]:
    """Return what rendering a toy switch tells; the broken output must not come out."""
    bag = Bag()
    spec = make_platform(root, outputs)
    assert Renderer({"toy": spec}, bag).render_switch(make_switch(**changes)) == []
    return list(bag)


LOOP = "{% for port in cls.ports %}\n{{ port.name }}\n{{ port.nothing }}\n{% endfor %}\n"
CASES = {
    "unknown variable": ("t.conf", "a\n{{ nothing }}\n", "FG-PLT-030", 2, "'nothing' is undefined"),
    "unknown attribute": ("t.conf", "a\nb {{ cls.nothing }}\n", "FG-PLT-030", 2, "no attribute 'nothing'"),
    "unknown attribute in a loop": ("t.conf", LOOP, "FG-PLT-030", 3, "nothing"),
    "dot access on a mapping": ("t.conf", '{% set m = {"a": 1} %}\n{{ m.a }}\n', "FG-PLT-030", 2, "'a'"),
    "python error": ("t.conf", "x\n\n{{ 1 // 0 }}\n", "FG-PLT-030", 3, "ZeroDivisionError"),
    "syntax": ("t.conf", "a\nb\n{% if cls %}\n", "FG-PLT-030", 3, "end of template"),
    "unknown filter": ("t.conf", "a\n{{ cls.key | frobnicate }}\n", "FG-PLT-030", 2, "frobnicate"),
    "missing include": ("t.conf", "a\n{% include 'switch/toy/none.j2' %}\n", "FG-PLT-030", 2, "none.j2"),
    "no line end": ("t.conf", "a\nb", "FG-PLT-030", 2, "line end"),
    "not JSON": ("t.json", '"A": {\n  "x": 1\n  "y": 2\n}\n', "FG-PLT-030", 3, "delimiter"),
    "not JSON behind a comment": ("t.json", '{# one\ntwo #}\n"A": {\n  x: 1\n}\n', "FG-PLT-030", 4, "property name"),
    "trailing comma": ("t.json", '"A": {},\n', "FG-PLT-030", 1, ""),
    "not a number": ("t.json", '"A": {\n"x": NaN}\n', "FG-PLT-030", 2, "NaN"),
    "member twice": ("t.json", '"A": {},\n"B": {},\n"A": {}\n', "FG-PLT-030", 3, '"A" is given twice'),
    "member twice inside": ("t.json", '"A": {"x": 1,\n"x": 2}\n', "FG-PLT-030", 2, '"x" is given twice'),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scope", ["class", "device"])
def test_a_fault_names_template_and_line(tmp_path: Path, name: str, scope: str) -> None:
    path, text, code, line, words = CASES[name]
    (found,) = faults(tmp_path, {path: [(scope, text)]})
    assert (found.code, words in found.message) == (code, True), found.message
    assert (found.place.file, found.place.line) == (str(tmp_path / f"switch/toy/0-0-{scope}.j2"), line)
    assert "leaf-u001-r0" in found.related[0].text
    assert "leaf-u001-r0" not in found.message
    assert place_diagnostics([found], None)[0].hint


def test_a_control_character_is_refused_by_cli(tmp_path: Path) -> None:
    text = "x\n description {{ device.reason | cli }}\n"
    (found,) = faults(tmp_path, {"t.conf": [("device", text)]}, reason="a\nshutdown")
    assert (found.code, found.place and found.place.line) == ("FG-PLT-030", 2)
    assert "U+000A LINE FEED" in found.message


def test_a_fault_in_an_included_template_has_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "switch/toy"
    folder.mkdir(parents=True)
    (folder / "inner.j2").write_text("{% macro m(x) %}\n\n{{ x.none }}\n{% endmacro %}\n")
    text = '{% from "switch/toy/inner.j2" import m %}\n{{ m(cls) }}\n'
    (found,) = faults(tmp_path, {"t.conf": [("class", text)]})
    assert (found.place.file, found.place.line) == (str(folder / "inner.j2"), 3)


def test_a_missing_template_is_told(tmp_path: Path) -> None:
    bag = Bag()
    spec = make_platform(tmp_path, {"t.conf": [("class", "x\n")]})
    (tmp_path / "switch/toy/0-0-class.j2").unlink()
    assert Renderer({"toy": spec}, bag).render_switch(make_switch()) == []
    (found,) = bag
    assert found.code == "FG-PLT-030"


def test_members_of_two_class_parts_may_not_be_the_same(tmp_path: Path) -> None:
    (found,) = faults(tmp_path, {"t.json": [("class", SOUND), ("class", '"B": 1,\n"A": 2')]})
    assert found.code == "FG-PLT-030"
    assert "0-0-class.j2" in found.message
    assert "0-1-class.j2" in found.message


@pytest.mark.parametrize("scopes", [("class", "device"), ("device", "class"), ("device", "device")])
def test_members_of_class_and_device_parts_may_not_be_the_same(tmp_path: Path, scopes: tuple[str, str]) -> None:
    (found,) = faults(tmp_path, {"t.json": [(scopes[0], SOUND), (scopes[1], '"B": 1,\n"A": 2')]})
    assert found.code == "FG-PLT-030"
    assert (found.place.file, found.place.line) == (str(tmp_path / f"switch/toy/0-1-{scopes[1]}.j2"), 2)


def test_other_outputs_come_out_in_spite_of_a_fault(tmp_path: Path) -> None:
    bag = Bag()
    spec = make_platform(tmp_path, {"bad.conf": [("class", "{{ x }}\n")], "good.conf": [("class", "good\n")]})
    (file,) = Renderer({"toy": spec}, bag).render_switch(make_switch())
    assert file.data == b"good\n"
    assert bag.has_errors


@pytest.mark.parametrize(("scope", "name", "count"), [("device", "device.nothing", 7), ("class", "cls.nothing", 1)])
def test_a_fault_of_many_devices_is_one_line_with_a_count(tmp_path: Path, scope: str, name: str, count: int) -> None:
    bag = Bag()
    spec = make_platform(tmp_path, {"t.conf": [(scope, f"{{{{ {name} }}}}\n"), ("device", "x\n")]})
    renderer, cls = Renderer({"toy": spec}, bag), make_class()
    for number in range(1, 8):
        assert renderer.render_switch(make_switch(cls, number)) == []
    (found,) = bag
    assert found.count == count


@pytest.mark.parametrize(("verify", "excepted", "judged"), [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
def test_later_devices_are_judged_if_excepted_or_asked(tmp_path: Path, verify: int, excepted: int, judged: int) -> None:
    text = '"A": {{ device.serial | default("1", true) }}\n'
    spec = make_platform(tmp_path, {"t.json": [("device", text)]})
    bag = Bag()
    renderer, cls = Renderer({"toy": spec}, bag, verify=bool(verify)), make_class()
    assert renderer.render_switch(make_switch(cls))
    files = renderer.render_switch(make_switch(cls, 2, serial="no JSON"), excepted=bool(excepted))
    assert (len(files), [found.code for found in bag]) == ((0, ["FG-PLT-030"]) if judged else (1, []))


def test_a_view_that_fails_is_told_with_its_python_line(tmp_path: Path) -> None:
    bag = Bag()
    spec = make_platform(tmp_path, {"t.conf": [("device", "x\n")]}, view=toy_view)
    assert Renderer({"toy": spec}, bag).render_switch(make_switch(hostname="leaf-broken")) == []
    (found,) = bag
    assert found.code == "FG-PLT-030"
    assert "no such rack" in found.message
    assert found.place.file.endswith("toy_view.py")
