"""Faults of templates and views, and of what they wrote, as diagnostics that name file and line, never a traceback.

What templates wrote is judged where it was written: JSON that parses, no member twice, lines that end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from traceback import walk_tb
from typing import NamedTuple

from jinja2 import Template, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from fabricgen.diagnostics import Bag, Code, Place, Related
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.render.assemble import JSON_CLOSE, JSON_OPEN, JsonFault, read_members
from fabricgen.render.marked_templates import MarkedEnvironment, Recorder, line_places, open_marked, render_pieces
from fabricgen.render.render_codes import BAD_TEMPLATE, UNSAFE_TEMPLATE


def report_template_fault(error: Exception, template: str, hostname: str, bag: Bag) -> None:
    """Say that a template failed, or one that it includes; only the first device is shown, however many fail."""
    if isinstance(error, TemplateSyntaxError):
        place = Place(error.filename or error.name or template, error.lineno, 1)
        _add(bag, BAD_TEMPLATE, f"{error.name or template}: {(error.message or '').removesuffix('.')}", hostname, place)
        return
    if isinstance(error, TemplateNotFound) and error.name == template:
        _add(bag, BAD_TEMPLATE, f"the template {template} does not exist", hostname, None)
        return
    if isinstance(error, SecurityError):
        _add(bag, UNSAFE_TEMPLATE, f"{template}: {str(error).removesuffix('.')}", hostname, _template_place(error))
        return
    text = str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
    _add(bag, BAD_TEMPLATE, f"{template}: {text}", hostname, _template_place(error))


def report_view_fault(error: Exception, platform: str, hostname: str, bag: Bag) -> None:
    """Say that the view of a platform failed; the place is the innermost line of Python."""
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    place = Place(*frames[-1], 1) if frames else None
    _add(bag, BAD_TEMPLATE, f"view of {platform}: {type(error).__name__}: {error}", hostname, place)


def report_at(bag: Bag, message: str, hostname: str, file: str, line: int) -> None:
    """Say that a template line wrote something wrong."""
    _add(bag, BAD_TEMPLATE, message, hostname, Place(file, line, 1))


def _add(bag: Bag, code: Code, message: str, hostname: str, place: Place | None) -> None:
    related = (Related(f"first met while rendering {hostname}"),) if hostname else ()
    bag.add(code, message, place=place, related=related)


def _template_place(error: Exception) -> Place | None:
    """The innermost template line a traceback passes through."""
    place = None
    for frame, line in walk_tb(error.__traceback__):
        template = frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template):
            place = Place(template.filename or template.name or "", template.get_corresponding_lineno(line), 1)
    return place


class Fragment(NamedTuple):
    """Name of a class-scope template, the member that its text stands in, and the text."""

    template: str
    inside: str
    text: str


class OutputJudge:
    """Finds faults in rendered text and the template lines that made them."""

    def __init__(self, spec: PlatformSpec, bag: Bag) -> None:
        """Judge what templates of the package of ``spec`` wrote; faults go into ``bag``."""
        self._spec = spec
        self._bag = bag

    @cached_property
    def _marked(self) -> MarkedEnvironment:
        """Compiled only when there is a fault."""
        return open_marked(self._spec)

    def judge_fragments(self, parts: Sequence[Fragment], is_json: bool, shared: dict[str, object], host: str) -> bool:
        """Judge the class-scope parts of one output, in their order; tells whether they are sound.

        Each part of a JSON output holds members of one object, that of any other lines.
        """
        if not is_json:
            broken = [it.template for it in parts if it.text and not it.text.endswith("\n")]
            for name in broken:
                self.report_no_line_end(name, shared, host)
            return not broken
        sound = True
        writers: dict[tuple[str, str], str] = {}
        for name, inside, text in parts:
            members, fault = read_members(text) if text.strip() else ((), None)
            if fault is not None:
                self._report(fault, self._places(name, shared), name, host)
                sound = False
            for member in members:
                first = writers.setdefault((inside, member), name)
                if first != name:
                    message = f"{first} and {name} both write the member {json.dumps(member)}"
                    report_at(self._bag, message, host, *self._places(name, shared)[0])
                    sound = False
        return sound

    def judge_file(self, data: bytes, spec: PlatformSpec, output: Output, values: dict[str, object], name: str) -> bool:
        """Judge a whole JSON file; tells whether it is sound."""
        _, fault = read_members(data.decode()[len(JSON_OPEN) : -len(JSON_CLOSE)])
        if fault is None:
            return True
        places = line_places(render_pieces(self._marked, spec, output, values, Recorder()))
        self._report(fault._replace(line=fault.line + 1), places, f"{spec.folder}: {output.path}", name)
        return False

    def report_no_line_end(self, template: str, context: dict[str, object], hostname: str) -> None:
        """Say that a part of a text file does not end with a line end."""
        message = f"{template}: the last line does not end with a line end"
        report_at(self._bag, message, hostname, *self._places(template, context)[-1])

    def _places(self, template: str, context: dict[str, object]) -> list[tuple[str, int]]:
        return line_places(self._marked.render_marked(template, context, Recorder()))

    def _report(self, fault: JsonFault, places: Sequence[tuple[str, int]], what: str, hostname: str) -> None:
        file, line = places[min(fault.line, len(places)) - 1]
        report_at(self._bag, f"{what}: {fault.text}", hostname, file, line)
