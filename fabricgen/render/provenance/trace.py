"""Provenance of one file, recomputed: output line to template line to device-model fields.

Input: a renderer, one device, one path of its files. Output: for every line of the file the template line that wrote
it and the fields of the device model it was made from. Entry point: ``trace_file``. Nothing of this costs the normal
rendering anything; the file is rendered a second time, through templates that leave marks and objects that record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.device.origins import FieldRead, is_sticky, origin_of
from fabricgen.diagnostics import IntentPath
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.views.origins import view_origins
from fabricgen.render.engine import Device, Renderer, tree_folder
from fabricgen.render.faults import report_template_fault, report_view_fault
from fabricgen.render.marked_output import render_pieces, split_pieces
from fabricgen.render.marked_templates import Piece, Recorder, open_marked
from fabricgen.render.provenance.locate import Translator
from fabricgen.render.provenance.recording import record_reads

_COUNTED_FROM_ZERO = frozenset({("TrafficClass", "priority")})
"""Class and field of numbers whose zero does not mean that there is nothing."""


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Origin of one line of a file.

    Attributes:
        number: Line of the file, from 1.
        text: The line, with its line end.
        template: Template file; the platform's manifest for the braces around a JSON file.
        template_line: Line in it.
        direct: Fields that stand on the line or decide what does, in the order they were read; where several are
            behind one read, the most decisive last.
        context: Fields that decided that the line is there: conditions and loops around it, outermost first.
    """

    number: int
    text: str
    template: str
    template_line: int
    direct: tuple[FieldRead, ...]
    context: tuple[FieldRead, ...]

    def text_paths(self, device: Device) -> tuple[IntentPath, ...]:
        """The intent paths that decide what the line says, most decisive first.

        A line names things first and says something of them last, so its last field decides it most directly. Fields
        that are empty, zero or off, or often stay what they are, come behind the others.
        """
        direct = list(reversed(self.direct))
        direct.sort(key=lambda read: is_sticky(read) or _is_off(read))
        return tuple(dict.fromkeys(path for read in direct for path in origin_of(read, device)))

    def presence_paths(self, device: Device) -> tuple[IntentPath, ...]:
        """The intent paths of the conditions under which the line is there, the innermost first.

        What is there under nearly every intent, such as a loop over all ports, is no condition.
        """
        conditions = [read for read in reversed(self.context) if not is_sticky(read)]
        return tuple(dict.fromkeys(path for read in conditions for path in origin_of(read, device)))


def _is_off(read: FieldRead) -> bool:
    """Return whether a field is empty, zero or off; the first of what is counted from zero is as good as any other."""
    return not read.value and (read.owner, read.field) not in _COUNTED_FROM_ZERO


def trace_file(renderer: Renderer, device: Device, path: str) -> list[LineOrigin]:
    """Trace every line of one file of a device.

    Args:
        renderer: Knows the platforms.
        device: A switch or a host.
        path: Path of the file in the output tree, as rendered.

    Returns:
        The lines in order; none if the device has no such file, if it renders to nothing, or if a template or view
        fails: then the renderer's bag has the same diagnostic as after rendering.
    """
    wanted = path.removeprefix(tree_folder(device))
    for spec in renderer.specs_of(device):
        for output in spec.outputs:
            if output.path == wanted:
                return _trace_output(renderer, spec, output, device)
    return []


def _trace_output(renderer: Renderer, spec: PlatformSpec, output: Output, device: Device) -> list[LineOrigin]:
    try:
        view = spec.platform.view()
        cls = view.class_view(device.cls) if view else device.cls
        seen = view.device_view(device, cls) if view else device
        translator = Translator(device, view_origins(view) if view else {})
    except Exception as error:
        report_view_fault(error, spec.name, device.hostname, renderer.bag)
        return []
    recorder = Recorder()
    context = {"cls": record_reads(cls, recorder.record), "device": record_reads(seen, recorder.record)}
    try:
        pieces = render_pieces(open_marked(spec), spec, output, context, recorder)
    except Exception as error:
        report_template_fault(error, f"{spec.folder}: {output.path}", device.hostname, renderer.bag)
        return []
    return [_line_origin(number, line, translator) for number, line in enumerate(split_pieces(pieces), start=1)]


def _line_origin(number: int, line: list[Piece], translator: Translator) -> LineOrigin:
    telling = next((piece.origin for piece in line if piece.text.strip()), line[0].origin)
    written = [piece.origin for piece in line if piece.origin.is_output]
    lines = {(origin.file, origin.line) for origin in written}
    # A condition or a loop that begins on the line itself decides what stands there, not whether the line does.
    telling_text = [
        piece.origin for piece in line if piece.origin.is_output or (piece.origin.file, piece.origin.line) in lines
    ]
    return LineOrigin(
        number=number,
        text="".join(piece.text for piece in line),
        template=telling.file,
        template_line=telling.line,
        direct=_translate((read for origin in telling_text for read in origin.reads), translator),
        context=_translate([read for origin in written for read in origin.scopes], translator),
    )


def _translate(reads: Iterable[object], translator: Translator) -> tuple[FieldRead, ...]:
    """Reads as reads of the device model, each once."""
    found: dict[tuple[str, str, int, int | None], FieldRead] = {}
    for read in reads:
        if isinstance(read, FieldRead):
            for model_read in reversed(translator.translate(read)):
                key = (model_read.owner, model_read.field, id(model_read.holder), model_read.index)
                found.setdefault(key, model_read)
    return tuple(found.values())
