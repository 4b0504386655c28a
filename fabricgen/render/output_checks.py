"""Judging what templates wrote, where it was written: JSON that parses, no member twice, lines that end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.render.assemble import JSON_CLOSE, JSON_OPEN, JsonFault, read_members
from fabricgen.render.faults import report_at
from fabricgen.render.marked_output import line_places, render_pieces
from fabricgen.render.marked_templates import MarkedEnvironment, Recorder, open_marked


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

    def judge_fragments(
        self, fragments: Sequence[Fragment], is_json: bool, shared: dict[str, object], hostname: str
    ) -> bool:
        """Judge the class-scope parts of one output.

        Args:
            fragments: The parts, in order.
            is_json: The output is JSON, so each part holds members of one object; else lines.
            shared: What the templates saw.
            hostname: First device of the class.

        Returns:
            Whether they are sound.
        """
        if not is_json:
            broken = [it.template for it in fragments if it.text and not it.text.endswith("\n")]
            for name in broken:
                self.report_no_line_end(name, shared, hostname)
            return not broken
        sound = True
        writers: dict[tuple[str, str], str] = {}
        for name, inside, text in fragments:
            members, fault = read_members(text) if text.strip() else ((), None)
            if fault is not None:
                self._report(fault, self._places(name, shared), name, hostname)
                sound = False
            for member in members:
                first = writers.setdefault((inside, member), name)
                if first != name:
                    message = f"{first} and {name} both write the member {json.dumps(member)}"
                    report_at(self._bag, message, hostname, *self._places(name, shared)[0])
                    sound = False
        return sound

    def judge_file(
        self, data: bytes, spec: PlatformSpec, output: Output, context: dict[str, object], hostname: str
    ) -> bool:
        """Judge a whole JSON file; tells whether it is sound."""
        _, fault = read_members(data.decode()[len(JSON_OPEN) : -len(JSON_CLOSE)])
        if fault is None:
            return True
        places = line_places(render_pieces(self._marked, spec, output, context, Recorder()))
        self._report(fault._replace(line=fault.line + 1), places, f"{spec.folder}: {output.path}", hostname)
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
