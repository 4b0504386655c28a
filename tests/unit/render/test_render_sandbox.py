"""Templates of other packages: what they reach for, how much they work, and that ours do not pay for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from jinja2.exceptions import SecurityError, TemplateError, UndefinedError

from fabricgen.diagnostics import Bag
from fabricgen.render.engine import render_text
from fabricgen.render.environment import AttributeGenerator, SandboxEnvironment, TemplateEnvironment
from fabricgen.render.faults import report_template_fault
from fabricgen.render.marked_templates import MarkedEnvironment, MarkedSandbox, Recorder

CPU_SECONDS = 20


@dataclass(slots=True)
class Box:
    """Context of a template."""

    name: str
    ports: list[int]


SEEN: dict[str, object] = {"cls": Box("leaf", [1, 2, 3])}
REACHES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''|attr('__class__') }}",
    "{{ ''['__class__'] }}",
    "{{ cls.__init__.__globals__ }}",
    "{{ cls|attr('__class__')|attr('__mro__') }}",
    "{{ [cls]|map(attribute='__class__')|join }}",
    "{{ '{0.__class__}'.format(cls) }}",
    "{{ '{0.__class__.__init__.__globals__}'|format(cls) if false else '{c.__class__}'.format_map({'c': cls}) }}",
    "{% set f = '{0.__class__}'.format %}{{ f(cls) }}",
    "{{ ('{0.__class__}'|attr('format'))(cls) }}",
    "{{ self.__init__.__globals__ }}",
    "{{ cls.ports.append(4) }}",
    "{% do cls.ports.clear() %}",
    "{{ range(10**9)|list }}",
    "{{ lipsum.__globals__ }}{{ cycler.__init__ }}",
    "{% include '/etc/hostname' %}",
    "{% include '../secret' %}",
]
WORKS = [
    "{{ 'x' * 10**9 }}",
    "{{ [0] * 10**9 }}",
    "{{ 10**8 ** 9 }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '%*d' % (999999999, 1) }}",
    "{{ '%999999999d'|format(1) }}",
    "{{ '{:>999999999}'.format(1) }}",
    "{{ '{:>{w}}'.format(1, w=999999999) }}",
    "{{ 'x'|center(999999999) }}",
    "{{ 'x'.ljust(999999999) }}",
    "{{ ('a' * 99999).replace('a', 'b' * 99999) }}",
    "{{ ('a' * 99999)|replace('a', 'b' * 99999) }}",
    "{{ ('b' * 99999).join('a' * 99999) }}",
    "{{ ('a' * 99999)|join('b' * 99999) }}",
    pytest.param(
        "{% for a in 'x' * 99999 %}{% for b in 'x' * 99999 %}{% endfor %}{% endfor %}",
        marks=pytest.mark.nightly,
    ),
    "{% macro again(n) %}{{ again(n + 1) }}{{ again(n + 1) }}{% endmacro %}{{ again(0) }}",
    "{% for a in [[1]] recursive %}{{ loop([[a]]) }}{{ loop([[a]]) }}{% endfor %}",
    "{% for a in 'x' * 9999999 %}{{ ('y' * 9999999)|list|length }}{% endfor %}",
]


def render(text: str, tmp_path: Path, kind: type[TemplateEnvironment] = SandboxEnvironment) -> str:
    """Render a text as the template of a package."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "root").mkdir(exist_ok=True)
    (tmp_path / "root/x.j2").write_text(f"first line\n{text}\n")
    return render_text(kind([tmp_path / "root"]).get_template("x.j2"), SEEN)


@pytest.mark.parametrize("text", REACHES)
def test_a_template_reaches_nothing_of_python(text: str, tmp_path: Path) -> None:
    with pytest.raises((TemplateError, AttributeError)) as caught:
        render(text, tmp_path)
    assert not isinstance(caught.value, MemoryError)
    assert SEEN["cls"] == Box("leaf", [1, 2, 3])
    bag = Bag()
    report_template_fault(caught.value, "x.j2", "leaf-1", bag)
    (found,) = bag
    if isinstance(caught.value, SecurityError | UndefinedError):
        assert found.place is not None
        assert (found.place.file, found.place.line) == (str(tmp_path / "root/x.j2"), 2)


@pytest.mark.parametrize("text", WORKS)
def test_a_template_works_within_bounds(text: str, tmp_path: Path) -> None:
    started = time.process_time()
    with pytest.raises((SecurityError, RecursionError, OverflowError)) as caught:
        render(text, tmp_path)
    assert time.process_time() - started < CPU_SECONDS
    bag = Bag()
    report_template_fault(caught.value, "x.j2", "leaf-1", bag)
    (found,) = bag
    assert found.code == ("FG-PLT-036" if isinstance(caught.value, SecurityError) else "FG-PLT-030")
    assert found.place is not None
    assert found.place.line == 2


HARMLESS = """\
{% for port in cls.ports %}
{{ loop.index }}:{{ port * 2 }} {{ '%03d' % port }} {{ cls.name|upper }}
{% endfor %}"""


def test_a_harmless_template_renders_the_same_everywhere(tmp_path: Path) -> None:
    wanted = render(HARMLESS, tmp_path, TemplateEnvironment)
    assert "1:2 001 LEAF" in wanted
    assert render(HARMLESS, tmp_path) == wanted
    for kind in (MarkedEnvironment, MarkedSandbox):
        pieces = kind([tmp_path / "root"]).render_marked("x.j2", SEEN, Recorder())
        assert "".join(piece.text for piece in pieces) == wanted


def test_steps_are_counted_for_each_rendering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.j2").write_text(HARMLESS)
    environment = SandboxEnvironment([tmp_path])
    template = environment.get_template("x.j2")
    render_text(template, SEEN)
    taken = environment.steps
    assert taken >= len(Box("", [1, 2, 3]).ports)
    monkeypatch.setattr("fabricgen.render.environment.STEPS_MAX", taken)
    for _ in range(3):
        render_text(template, SEEN)
    monkeypatch.setattr("fabricgen.render.environment.STEPS_MAX", taken - 1)
    with pytest.raises(SecurityError):
        render_text(template, SEEN)


def test_our_own_templates_pay_nothing() -> None:
    assert TemplateEnvironment.code_generator_class is AttributeGenerator
    assert not TemplateEnvironment.sandboxed
