"""Templates of other packages: what they reach for, and that ours do not pay for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from jinja2.exceptions import SecurityError, TemplateError, UndefinedError

from fabricgen.diagnostics import Bag
from fabricgen.render.engine import render_text
from fabricgen.render.environment import AttributeGenerator, SandboxEnvironment, TemplateEnvironment
from fabricgen.render.faults import report_template_fault
from fabricgen.render.marked_templates import MarkedEnvironment, MarkedSandbox, Recorder


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
    assert found.code == ("FG-PLT-036" if isinstance(caught.value, SecurityError) else "FG-PLT-030")
    if isinstance(caught.value, SecurityError | UndefinedError):
        assert (found.place.file, found.place.line) == (str(tmp_path / "root/x.j2"), 2)


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


def test_our_own_templates_pay_nothing() -> None:
    assert TemplateEnvironment.code_generator_class is AttributeGenerator
    assert not TemplateEnvironment.sandboxed
