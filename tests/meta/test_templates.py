"""Templates name what they read, show their nesting, keep their lines short and close what they open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from jinja2 import Environment, meta, nodes

from fabricgen.platforms.manifest.discover import template_root

ROOT = template_root()
NAMES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.j2"))
ENVIRONMENT = Environment(trim_blocks=True, lstrip_blocks=True)
ENVIRONMENT.filters.update(json=str, cli=str)
HEADS = ("Reads", "Emits", "Facts", "Checked")
LONGEST = 160
VIEWS = ("cls", "device")
BRACES = ("{}", "[]")
OPENS, CLOSES, TURNS = ("if", "for"), ("endif", "endfor"), ("elif", "else")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def names_read(text: str) -> set[str]:
    """Return what a template reads itself.

    Fields of the views, other names that it is given, templates that it includes.
    """
    tree = ENVIRONMENT.parse(text)
    own = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    bases = [(it.node.name, it.attr) for it in tree.find_all(nodes.Getattr) if isinstance(it.node, nodes.Name)]
    found = {f"{base}.{field}" for base, field in bases if base in VIEWS and base not in own}
    given = meta.find_undeclared_variables(tree) - own - set(VIEWS)
    return found | given | {template for template in meta.find_referenced_templates(tree) if template}


def names_said(head: str) -> set[str]:
    """Return what the header of a template says that it reads; what stands in parentheses are words about it."""
    reads = head.partition("Reads:")[2].partition("Emits:")[0]
    fields = {".".join(it.split(".")[:2]) for it in re.findall(r"\b(?:cls|device)\.[\w.]+", reads)}
    given = re.findall(r"given: (\w+)", reads)
    return fields | set(re.findall(r"[\w/.]+\.j2", reads)) | set(given)


def statements(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Every statement: its line, the blanks before its word, the word, whether it is the first of the line."""
    for number, line in enumerate(text.split("\n"), 1):
        for found in re.finditer(r"\{%[-+]?(\s*)(\w+)", line):
            yield number, found[1], found[2], found.start() == 0


def faults_of_nesting(text: str) -> list[int]:
    """Lines whose first statement does not stand where its depth says."""
    depth, faults = 0, []
    for number, blanks, word, is_first in statements(text):
        at = depth - (word in (*CLOSES, *TURNS))
        if is_first and len(blanks) != (1 + 4 * at):
            faults.append(number)
        depth += (word in OPENS) - (word in CLOSES)
    return faults


def open_braces(body: Iterable[nodes.Node]) -> Counter[str]:
    """Return how many braces and brackets a text leaves open, those of a branch or a loop under its condition."""
    found: Counter[str] = Counter()
    for node in body:
        if isinstance(node, nodes.If | nodes.For):
            turns = [open_braces(it) for it in (node.body, *(it.body for it in getattr(node, "elif_", ())), node.else_)]
            if all(turn == turns[0] for turn in turns):
                turns, condition = turns[:1], ""
            else:
                condition = f"{node.test if isinstance(node, nodes.If) else node.iter}: "
            for at, turn in enumerate(turns):
                found.update({f"{condition and f'{at} {condition}'}{pair}": number for pair, number in turn.items()})
        elif isinstance(node, nodes.TemplateData | nodes.Const):
            text = str(node.as_const())
            found.update({pair: text.count(pair[0]) - text.count(pair[1]) for pair in BRACES})
        else:
            found.update(open_braces(node.iter_child_nodes()))
    return Counter({pair: number for pair, number in found.items() if number})


def test_a_template_names_what_it_reads() -> None:
    """Every platform's templates, and those that they share."""
    for name in NAMES:
        head, _, body = text_of(name).partition("#}")
        assert head.startswith("{#"), name
        places = [head.find(f"{word}:") for word in HEADS]
        assert min(places) > 0, name
        assert places == sorted(places), f"{name}: {HEADS} in this order"
        assert names_said(head) == names_read(body), name


def test_statements_stand_as_deep_as_they_are_nested() -> None:
    assert {name: found for name in NAMES if (found := faults_of_nesting(text_of(name)))} == {}


def test_a_template_closes_the_braces_that_it_opens() -> None:
    """No file ends inside an object that another one closes."""
    assert {name: found for name in NAMES if (found := open_braces(ENVIRONMENT.parse(text_of(name)).body))} == {}


def test_no_line_is_too_long() -> None:
    numbered = ((name, *it) for name in NAMES for it in enumerate(text_of(name).split("\n"), 1))
    assert [f"{name}:{number}" for name, number, line in numbered if len(line) > LONGEST] == []


def test_faults_are_found() -> None:
    read = "{% for it in cls.rows %}{{ it.name }}{{ device.mac.x }}{{ rail.a }}{% endfor %}{% include 'shared/a.j2' %}"
    assert names_read(read) == {"cls.rows", "device.mac", "rail", "shared/a.j2"}
    head = "  Reads: cls.rows.first (rows), device.mac, given: rail, what shared/a.j2 reads.\n  Emits: device.asn."
    assert names_said(head) == {"cls.rows", "device.mac", "rail", "shared/a.j2"}
    assert faults_of_nesting("{% if a %}\n{%     if b %}\n{%     endif %}\n{% else %}\n{% endif %}") == []
    assert faults_of_nesting("{% if a %}\n{% if b %}\n{%     endif %}\n{%     else %}\n{% endif %}") == [2, 4]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"sw": {\n"version": 0', {"{}": 1}),
        ('"a": [{{ device.a }}]\n}', {"{}": -1}),
        ('{% if a %}"a": [1{% else %}"b": [2{% endif %}', {"[]": 1}),
        ("{% if a %}{ {%- endif %} {{ '}' }}", {"{}": -1, "0 Name(name='a', ctx='load'): {}": 1}),
        ("{% for it in a %}]{% endfor %}", {"0 Name(name='a', ctx='load'): []": -1}),
        ('"a": { {%- for it in a %}{"b": [{{ it }}]},{% endfor %}}', {}),
        ('{% if a %}"a": { {%- endif %}"b": 1{% if a %}}{% endif %}', {}),
    ],
)
def test_braces_left_open_are_found(text: str, found: dict[str, int]) -> None:
    assert open_braces(ENVIRONMENT.parse(text).body) == found
