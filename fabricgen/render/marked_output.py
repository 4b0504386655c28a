"""One output of one device as pieces that know their template line; joined they are the file, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fabricgen.files import Refused, read_file
from fabricgen.platforms.manifest.discover import MANIFEST, template_root
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.render.assemble import json_seams
from fabricgen.render.marked_templates import MarkedEnvironment, OutputOrigin, Piece, Recorder

_MANIFEST_MAX_BYTES = 8 << 20


def render_pieces(
    environment: MarkedEnvironment,
    spec: PlatformSpec,
    output: Output,
    context: dict[str, object],
    recorder: Recorder,
) -> list[Piece]:
    """Render an output in pieces.

    Args:
        environment: The marked templates.
        spec: The platform.
        output: One of its outputs.
        context: ``cls`` and ``device`` as templates see them.
        recorder: Takes what the templates read.

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
