"""The templates compiled a second time, so that their output tells which template line wrote it.

Before every piece of output the compiled template calls a ``Recorder``, which leaves a mark in the text and remembers
under the mark's number the template line, the conditions and loops around it, and what was read while the piece was
made. Splitting the text at the marks gives the pieces back; without the marks it equals the normal rendering.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from fabricgen.files import Refused, read_file
from fabricgen.platforms.manifest.discover import MANIFEST, template_root
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.render.assemble import json_seams
from fabricgen.render.environment import AttributeGenerator, SandboxEnvironment, TemplateEnvironment, is_ours

_MARK = re.compile("\0([0-9]+)\0")
_RECORDER = "recorder"
_MANIFEST_MAX_BYTES = 8 << 20


@dataclass(slots=True)
class Scope:
    """A condition or a loop while it runs.

    Attributes:
        head: What its condition or its iterable read.
        current: What was read inside it and outside of any output: filters of the loop's present item, assignments.
        upcoming: What the filter of the item read that comes next.
    """

    file: str
    line: int
    is_loop: bool
    head: list[object] = field(default_factory=list)
    current: list[object] = field(default_factory=list)
    upcoming: list[object] = field(default_factory=list)


@dataclass(slots=True)
class OutputOrigin:
    """Origin of a piece of output.

    Attributes:
        is_output: The piece is output; otherwise the mark says that a condition or a loop begins here.
        reads: What was read to make it, in order.
        scopes: What the conditions and loops around it read, outermost first.
    """

    file: str
    line: int
    is_output: bool
    reads: list[object]
    scopes: tuple[object, ...] = ()


class Recorder:
    """Recorder that the compiled templates call; every method that templates call returns text for the output."""

    __slots__ = ("_also", "_open", "_sink", "origins")

    def __init__(self) -> None:
        """Start with nothing recorded."""
        self.origins: list[OutputOrigin] = []
        self._open: list[Scope] = [Scope("", 0, False)]
        self._sink: list[object] = self._open[0].current
        self._also: list[object] | None = None

    def record(self, read: object) -> None:
        """Remember that the piece being made, or the condition being judged, read something."""
        self._sink.append(read)
        if self._also is not None:
            self._also.append(read)

    def mark(self, file: str, line: int) -> str:
        """A piece of output begins."""
        scopes = tuple(read for scope in self._open for read in (*scope.head, *scope.current))
        origin = OutputOrigin(file, line, True, [], scopes)
        self._sink = origin.reads
        return self._number(origin)

    def end(self) -> str:
        """The pieces of an output statement are done."""
        self._sink = self._open[-1].current
        return ""

    def enter(self, file: str, line: int, is_loop: bool) -> str:
        """A condition or a loop begins."""
        scope = Scope(file, line, is_loop)
        self._open.append(scope)
        self._sink = scope.head
        return self._number(OutputOrigin(file, line, False, scope.head))

    def iterate(self) -> str:
        """A loop begins with its next item."""
        scope = self._open[-1]
        scope.current, scope.upcoming = scope.upcoming, []
        self._sink = scope.current
        return ""

    def leave(self) -> str:
        """A condition or a loop is done."""
        self._open.pop()
        return self.end()

    def begin_test(self) -> None:
        """A loop's filter looks at an item; in a look-ahead this happens while another item's output is made."""
        loop = next(scope for scope in reversed(self._open) if scope.is_loop)
        loop.upcoming = self._also = []
        if self._sink is loop.head or self._sink is loop.current:
            self._sink = []

    def end_test(self, _: None, passed: object) -> object:
        """The filter has decided."""
        self._also = None
        return passed

    def _number(self, origin: OutputOrigin) -> str:
        self.origins.append(origin)
        return f"\0{len(self.origins) - 1}\0"


class MarkedEnvironment(TemplateEnvironment):
    """The templates' environment with marks in the output."""

    def __init__(self, roots: Iterable[Path]) -> None:
        """Set up; nothing compiled here is cached on disk."""
        super().__init__(roots)
        self.code_generator_class = _MarkingGenerator
        self.recorder = Recorder()

    def render_marked(self, template: str, context: dict[str, object], recorder: Recorder) -> Iterator[Piece]:
        """Render a template and yield its output piece by piece."""
        self.recorder = recorder
        compiled = self.get_template(template)
        numbered = _MARK.split("".join(compiled.root_render_func(compiled.new_context(context, shared=True))))
        for number, piece in zip(numbered[1::2], numbered[2::2], strict=True):
            yield Piece(piece, recorder.origins[int(number)])


class MarkedSandbox(SandboxEnvironment, MarkedEnvironment):
    """The same for templates of other packages."""

    def __init__(self, roots: Iterable[Path]) -> None:
        """Set up."""
        super().__init__(roots)
        self.code_generator_class = _Marking


def open_marked(spec: PlatformSpec) -> MarkedEnvironment:
    """The marked templates of a platform, in a sandbox unless they are ours."""
    return MarkedEnvironment([template_root()]) if is_ours(spec) else MarkedSandbox([Path(spec.root), template_root()])


@dataclass(slots=True)
class Piece:
    """A piece of output and where it comes from."""

    text: str
    origin: OutputOrigin


class _Marking(CodeGenerator):
    """Puts the marks in before a template is compiled; as it is for templates of other packages."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - jinja's name
        """Compile a template."""
        _Marker(self.filename or self.name or "").visit(node)
        node.set_environment(self.environment)
        super().visit_Template(node, frame)


class _MarkingGenerator(_Marking, AttributeGenerator):
    """Compiles our own templates with marks."""


class _Marker(NodeTransformer):
    """Puts calls of the recorder into a parsed template."""

    def __init__(self, file: str) -> None:
        self._file = nodes.Const(file)

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802 - jinja's name
        """Mark every piece of an output, and every line of a longer text in it."""
        marked: list[nodes.Expr] = []
        for child in node.nodes:
            for line, piece in _split_lines(child):
                marked += [_call("mark", line, self._file, nodes.Const(line)), piece]
        return nodes.Output([*marked, _call("end", node.lineno)], lineno=node.lineno)

    def visit_If(self, node: nodes.If) -> list[nodes.Node]:  # noqa: N802 - jinja's name
        """Enclose a condition; its further branches belong to the same one."""
        self._mark_bodies(node)
        return self._enclose(node, is_loop=False)

    def visit_For(self, node: nodes.For) -> list[nodes.Node]:  # noqa: N802 - jinja's name
        """Enclose a loop; mark the start of every item, and the filter."""
        node.body = [nodes.Output([_call("iterate", node.lineno)], lineno=node.lineno), *self._mark_all(node.body)]
        node.else_ = self._mark_all(node.else_)
        if node.test is not None:
            test = cast("nodes.Expr", node.test)
            node.test = _call("end_test", test.lineno, _call("begin_test", test.lineno), test)
        return self._enclose(node, is_loop=True)

    def _mark_bodies(self, node: nodes.If) -> None:
        node.body = self._mark_all(node.body)
        node.else_ = self._mark_all(node.else_)
        for branch in node.elif_:
            self._mark_bodies(branch)

    def _mark_all(self, body: list[nodes.Node]) -> list[nodes.Node]:
        return [marked for node in body for marked in self.visit_list(node)]

    def _enclose(self, node: nodes.Node, is_loop: bool) -> list[nodes.Node]:
        line = node.lineno
        enter = _call("enter", line, self._file, nodes.Const(line), nodes.Const(is_loop))
        return [nodes.Output([enter], lineno=line), node, nodes.Output([_call("leave", line)], lineno=line)]


def _split_lines(child: nodes.Expr) -> Iterator[tuple[int, nodes.Expr]]:
    """A child of an output with its line; text of several lines is split."""
    if not isinstance(child, nodes.TemplateData) or "\n" not in child.data[:-1]:
        yield child.lineno, child
        return
    for offset, text in enumerate(re.findall(r"[^\n]*\n|[^\n]+", child.data)):
        line = child.lineno + offset
        yield line, nodes.TemplateData(text, lineno=line)


def _call(method: str, line: int, *args: nodes.Expr) -> nodes.Expr:
    """A call of the recorder of the environment the template runs in."""
    recorder = nodes.EnvironmentAttribute(_RECORDER, lineno=line)
    bound = nodes.Getattr(recorder, method, "load", lineno=line)
    return nodes.Call(bound, list(args), [], None, None, lineno=line)


def render_pieces(
    environment: MarkedEnvironment, spec: PlatformSpec, output: Output, context: dict[str, object], recorder: Recorder
) -> list[Piece]:
    """Render an output in pieces, given ``cls`` and ``device`` as templates see them.

    Returns:
        The pieces; what the engine puts between the parts comes from the manifest. None if all parts render to
        nothing.
    """
    shared: dict[str, object] = {"cls": context["cls"]}
    is_json = output.format == "json"
    parts: list[tuple[str, list[Piece]]] = []
    for part in output.parts:
        name = part.template
        seen = shared if part.scope == "class" else context
        pieces = list(environment.render_marked(name, seen, recorder))
        if is_json:
            _trim(pieces)
        if any(piece.text for piece in pieces):
            parts.append((part.inside, pieces))
    if not is_json or not parts:
        return [piece for _, pieces in parts for piece in pieces]
    glue = _manifest_origin(spec, output)
    seams = (Piece(text, glue) for text in json_seams([inside for inside, _ in parts]))
    return [*(piece for _, pieces in parts for piece in (next(seams), *pieces)), next(seams)]


def line_places(pieces: Iterable[Piece]) -> list[tuple[str, int]]:
    """Template file and line of every line of a text, told by its first piece that is not blank."""
    places: list[tuple[str, int]] = []
    for line in split_pieces(pieces):
        telling = next((piece for piece in line if piece.text.strip()), line[0])
        places.append((telling.origin.file, telling.origin.line))
    return places


def split_pieces(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """The pieces of every line, cut at line ends; never an empty list, pieces without text included."""
    line: list[Piece] = []
    for piece in pieces:
        *full, rest = piece.text.split("\n")
        for text in full:
            yield [*line, Piece(f"{text}\n", piece.origin)]
            line = []
        if rest or not full:
            line.append(Piece(rest, piece.origin))
    if any(piece.text for piece in line):
        yield line


def _trim(pieces: list[Piece]) -> None:
    """Strip the blank end of a text, from the last piece backwards."""
    for piece in reversed(pieces):
        piece.text = piece.text.rstrip()
        if piece.text:
            return


def _manifest_origin(spec: PlatformSpec, output: Output) -> OutputOrigin:
    """Return the place where the manifest lists an output."""
    manifest = (Path(spec.root) if spec.root else template_root()) / spec.folder / MANIFEST
    data = read_file(manifest, _MANIFEST_MAX_BYTES)
    lines = [] if isinstance(data, Refused) else data.decode(errors="replace").split("\n")
    listed = (number for number, line in enumerate(lines, start=1) if output.path in line)
    return OutputOrigin(str(manifest), next(listed, 1), True, [])
