"""Provenance of one file, recomputed: output line to template line to fields of the device model.

Input: a renderer, one device, one path of its files. Output: for every line of the file the template line that wrote
it and the fields of the device model it was made from, on the objects they came from. Entry point: ``trace_file``.
Nothing of this costs the normal rendering anything; the file is rendered a second time, through templates that leave
marks and objects that record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from inspect import getattr_static
from types import FunctionType, MethodType
from typing import Any, get_type_hints

from fabricgen.device.origins import EXISTENCE, FIELD_ORIGINS, FieldRead, annotated_fields, is_sticky, origin_of
from fabricgen.diagnostics import IntentPath
from fabricgen.plan.model.contract import TrafficClass
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.platform import ViewModule
from fabricgen.render.engine import Device, Renderer, tree_folder
from fabricgen.render.faults import report_template_fault, report_view_fault
from fabricgen.render.marked_templates import Piece, Recorder, open_marked, render_pieces, split_pieces

Record = Callable[[FieldRead], None]
Origins = Mapping[str, Mapping[str, tuple[str, ...]]]
"""View class and field to the device model's fields it derives from; the first decides it most directly. They stand in
the annotation of the field: ``speed_mbps: Annotated[int, "PortShape.speed_gbps"]``.

``render.trace`` finds the model object behind a view object by the fields both have, so the finest class is the best
answer: ``TrafficClass.dscp`` rather than ``SwitchClass.contract``. A view object that holds its model object
(``shape: PortShape``) is found at once. An item of a field that lists something per priority is found by its number;
of any other list a number in brackets names it, ``Contract.priority_by_dscp[26]``.
"""
OWN_ORIGINS = "origins"
"""Field of a view class whose objects differ in where they come from, such as a row of a name and a value: a tuple that
takes the place of what the annotations of the other fields say, or a map that does so for single ones."""
_PRIORITIES = 8
"""Priorities of IEEE 802.1Q."""
_HELD = 2.0
"""Weight of a model object that both hold, against 1 for a field that agrees."""
_PIECE = 0.5
"""Weight of a text that is all but a piece of the other."""
_COUNTED_FROM_ZERO = frozenset({("TrafficClass", "priority")})
"""Class and field of numbers whose zero does not mean that there is nothing."""


class Recorded:
    """Gives the attributes of its target and records the fields among them.

    Going from one object to the next (``port.shape``) is no read: what counts is the field at the end of the way.
    Asking whether there is an object (``if services.gnmi``) reads the field that holds it.
    Methods and properties run on the stand-in, so what they read is recorded too.
    """

    __slots__ = ("_recorded_record", "_recorded_source", "_recorded_target")

    _recorded_record: Record
    _recorded_source: FieldRead | None
    _recorded_target: Any

    def __init__(self, target: object, record: Record, source: FieldRead | None) -> None:
        """Stand in for ``target``, which ``source`` holds; None for what no field holds."""
        self._recorded_target = target
        self._recorded_record = record
        self._recorded_source = source

    def __getattr__(self, name: str) -> Any:
        target, record = self._recorded_target, self._recorded_record
        attribute = getattr_static(type(target), name, None)
        if isinstance(attribute, property) and attribute.fget is not None:
            return attribute.fget(self)
        if isinstance(attribute, FunctionType):
            return MethodType(attribute, self)
        value = getattr(target, name)
        read = FieldRead(type(target).__name__, name, target)
        if not is_dataclass(value):
            record(read)
        return record_reads(value, record, read)

    def __bool__(self) -> bool:
        """True if the target is; a field that may hold no object has then been asked whether it holds one."""
        if self._recorded_source is not None:
            self._recorded_record(self._recorded_source)
        return bool(self._recorded_target)

    def __eq__(self, other: object) -> bool:
        """Equal if the targets are."""
        return bool(self._recorded_target == (other._recorded_target if isinstance(other, Recorded) else other))

    def __hash__(self) -> int:
        return hash(self._recorded_target)


class RecordedItem:
    """A text or number out of a field that holds several; using it records which one it is."""

    use: Callable[[], None]

    def __str__(self) -> str:
        self.use()
        return str.__str__(self) if isinstance(self, str) else int.__repr__(self)


class RecordedText(RecordedItem, str):
    """Such a text."""


class RecordedNumber(RecordedItem, int):
    """Such a number."""


def record_reads(value: Any, record: Record, source: FieldRead | None = None) -> Any:
    """Wrap a value that a template is about to see, so that reads of its fields and of its items are recorded.

    A single text, number, boolean or None stays as it is; ``source`` is the field that holds the value.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return Recorded(value, record, source)
    if type(value) in (tuple, list):
        return type(value)(_record_item(item, record, source, index) for index, item in enumerate(value))
    if type(value) is dict:
        return {key: record_reads(item, record) for key, item in value.items()}
    return value


def _record_item(item: Any, record: Record, source: FieldRead | None, index: int) -> Any:
    """Wrap one item of a field; its number is all that tells it from the others, and is that of what is in it, too."""
    kind = {str: RecordedText, int: RecordedNumber}.get(type(item))
    own = replace(source, index=index) if source and source.index is None else source
    if own is None or kind is None:
        return record_reads(item, record, own)
    recorded = kind(item)
    recorded.use = partial(record, own)
    return recorded


def view_origins(view: ViewModule) -> Origins:
    """Origins of every field of the classes that the two functions of a view return, and of what these hold."""
    returned = [get_type_hints(function).get("return") for function in (view.class_view, view.device_view)]
    return annotated_fields(*returned, known=FIELD_ORIGINS)


class Translator:
    """Translates reads made while one device was rendered."""

    def __init__(self, device: Device, origins: Origins) -> None:
        """Translate for ``device``, through the origins of a view's fields; empty where there is no view."""
        self._device = device
        self._origins = origins
        self._found: dict[tuple[object, ...], object] = {}
        self._several: set[str] = set()
        self._models = self._collect()

    def translate(self, read: FieldRead) -> tuple[FieldRead, ...]:
        """The device-model fields behind a read, the most decisive first; none for a field the view made up itself."""
        named = self._origins.get(read.owner, {}).get(read.field)
        if named is not None:
            own = getattr(read.holder, OWN_ORIGINS, named)
            named = own.get(read.field, named) if isinstance(own, Mapping) else own
        if named is None:
            return (read,) if read.field in FIELD_ORIGINS.get(read.owner, {}) else ()
        return tuple(self._resolve(read, *split_source(source)) for source in named)

    def _resolve(self, read: FieldRead, owner: str, field: str, index: int | None = None) -> FieldRead:
        key = (owner, id(read.holder), read.field, read.index)
        if key not in self._found:
            self._found[key] = self._locate(read, owner, field)
        item = self._found[key]
        if item is None and owner in EXISTENCE:
            return self._resolve(read, *EXISTENCE[owner])
        return FieldRead(owner, field, item, index)

    def _locate(self, read: FieldRead, owner: str, field: str) -> object:
        """The object of class ``owner`` that a view object was made from.

        It is the only one there can be, or one the view object holds, or the one that agrees with the view object
        best; None if none agrees.
        """
        candidates = self._models.get(owner, [])
        if candidates and owner not in self._several:
            return candidates[0]
        is_class = read.index is not None and owner == TrafficClass.__name__
        if is_class and len(getattr(read.holder, read.field)) == _PRIORITIES:
            return next((item for item in candidates if item.priority == read.index), None)
        held = [value for value in _values(read.holder) if type(value).__name__ == owner]
        if held:
            return held[0]
        scores = [self._likeness(read.holder, one) + _agreement(read.value, getattr(one, field)) for one in candidates]
        best = max(scores, default=0.0)
        return candidates[scores.index(best)] if best > 0 else None

    def _likeness(self, holder: object, item: object) -> float:
        """Return how well a view object and a model object go together.

        Below zero if they have different names, or hold different objects of the same class.
        Counted are the fields both have, model objects both hold, and the likeness of the objects they hold.
        """
        likeness = 0.0
        for shown, field in self._pairs(holder, type(item).__name__):
            agreement = _agreement(shown, getattr(item, field))
            if field == "name" and not agreement:
                return -math.inf
            likeness += agreement
        parts = [part for part in _values(item) if is_dataclass(part)]
        for value in _values(holder):
            alike = [part for part in parts if type(part) is type(value)]
            if any(value is part for part in alike):
                likeness += _HELD
            elif alike:
                return -math.inf
            elif type(value).__name__ in self._origins:
                likeness += max((self._likeness(value, part) for part in parts), default=0.0)
        return likeness

    def _pairs(self, holder: object, owner: str) -> Iterator[tuple[object, str]]:
        """Values of a view object that derive from fields of ``owner``."""
        for name, named in self._origins.get(type(holder).__name__, {}).items():
            for source in named:
                source_owner, field, _ = split_source(source)
                if source_owner == owner:
                    yield getattr(holder, name), field

    def _collect(self) -> dict[str, list[Any]]:
        """Every object of the device model, by class; notes the classes of which a list may hold several."""
        found: dict[str, list[Any]] = {}
        seen: set[int] = set()
        pending: list[object] = [self._device]
        while pending:
            item = pending.pop()
            if isinstance(item, tuple | list):
                self._several.update(type(part).__name__ for part in item)
                pending.extend(reversed(item))
            elif is_dataclass(item) and id(item) not in seen:
                seen.add(id(item))
                found.setdefault(type(item).__name__, []).append(item)
                pending.extend(reversed(list(_values(item))))
        return found


def split_source(source: str) -> tuple[str, str, int | None]:
    """Class, field and, where only one item of the field is meant, its number: ``Contract.priority_by_dscp[26]``."""
    owner, _, rest = source.partition(".")
    field, _, index = rest.rstrip("]").partition("[")
    return owner, field, int(index) if index else None


def _values(item: object) -> Iterator[object]:
    """Values of the fields of a dataclass."""
    if is_dataclass(item):
        yield from (getattr(item, field.name) for field in fields(item))


def _agreement(shown: object, value: object) -> float:
    """Return how well a view's value and a model's agree.

    Returns:
        1 if they are the same, as they are or as text, or the one is an item of the other; less if the model's text
        is a piece of the view's; 0 where they differ, or where being the same would mean nothing.
    """
    text = "" if shown is None else str(shown)
    if not text or isinstance(value, bool) or isinstance(shown, bool):
        return 0.0
    if isinstance(value, tuple | list):
        return float(shown == value or text in map(str, value))
    piece = str(value)
    if text == piece:
        return 1.0
    return _PIECE * len(piece) / len(text) if piece in text else 0.0


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Origin of one line of a file.

    Attributes:
        number: Line of the file, from 1.
        text: The line, with its line end.
        template: Template file; the platform's manifest for the braces around a JSON file.
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
    """Trace every line of one file of a device, by its path in the output tree.

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
    telling_text = [bit.origin for bit in line if bit.origin.is_output or (bit.origin.file, bit.origin.line) in lines]
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
