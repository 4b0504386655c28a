"""Raw snippets of exceptions: found, read, and put into the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Place, Related, register
from fabricgen.diagnostics.secrets import REFERENCE
from fabricgen.diagnostics.visible import name_character
from fabricgen.diagnostics.words import or_list
from fabricgen.files import Refused, read_file
from fabricgen.intent.exceptions import Snippet
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.fabric import DeviceException, FabricPlan, RawSnippet
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.planner.exceptions.links import find_names
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.reading.file_format import FileFormat, generic_format
from fabricgen.platforms.reading.reader import Read, ReadFault, read_json
from fabricgen.platforms.reading.semantics import Semantics, load_semantics
from fabricgen.source import find_hidden_in

_declare = partial(register, source="docs/intent.md, exceptions")
_BAD_REFERENCE = re.compile(rf"{REFERENCE}(?!(?:env|file|sops|vault):[\w./#:=,+%\[\]~-]{{1,250}}@)", re.ASCII)
SIZE_MAX_BYTES = 1 << 20
"""A snippet is what one exception says of one device; larger ones are something else."""

UNREADABLE = _declare(
    "FG-EXC-017",
    "Snippet that cannot be read",
    why="The device would be configured without the exception.",
    fix="Name a text file below the inventory's folder.",
)
WRONG_PLATFORM = _declare(
    "FG-EXC-018",
    "Snippet for a platform that the device does not run",
    why="It would have no effect.",
    fix="Name the platform of the device's tier.",
)
NO_FILE = _declare(
    "FG-EXC-019",
    "Snippet that belongs in no file, or in several",
    why="The file it applies to would be a guess.",
    fix="Give it the name of the file on the device; .json is merged, everything else is appended.",
)
MALFORMED = register(
    "FG-EXC-020",
    "Snippet after which the file cannot be read",
    why="The device would refuse the file, or load half of it.",
    fix="Correct the snippet.",
    source="RFC 7396; docs/intent.md, exceptions",
)
NO_READER = register(
    "FG-EXC-901",
    "Snippet for YAML, or for a text that cannot be read back, is not applied yet",
    why="It could not be merged, or compared with the managed values.",
    fix="Leave it out, or use a platform whose files are JSON or have a reader.",
    source="docs/intent.md, what renders",
)


class _Named(NamedTuple):
    """A snippet that an exception names for a switch."""

    device: DeviceId
    platform: str
    snippet: Snippet
    path: IntentPath


def add_snippets(
    plan: FabricPlan, intent: FabricIntent, specs: Mapping[str, PlatformSpec], folder: Path, bag: Bag
) -> FabricPlan:
    """The plan with every snippet of the inventory's folder in it; what is wrong is reported and left out."""
    _check_platforms(plan, intent, bag)
    switches = dict(plan.exceptions.switches)
    for named in _list_named(plan, intent):
        raw = _read_snippet(plan, named, specs, folder, bag)
        if raw is not None:
            known = switches.get(named.device, DeviceException())
            switches[named.device] = known._replace(raw=(*known.raw, raw))
    return plan._replace(exceptions=plan.exceptions._replace(switches=switches))


def _check_platforms(plan: FabricPlan, intent: FabricIntent, bag: Bag) -> None:
    """Report snippets for platforms that the fabric does not run, whatever device they name."""
    known = sorted({tier.platform for tier in plan.boxes})
    for item, path in intent.placed_exceptions:
        if item.raw and not set(item.raw) & set(known):
            alien = min(item.raw)
            bag.add(
                WRONG_PLATFORM,
                f"no switch of the fabric runs {alien}",
                (*path, "raw", alien),
                on_key=True,
                hint=f"use {or_list(known)}",
                related=[Related("the platform", ("tiers", tier.name, "platform")) for tier in plan.tiers],
            )


def _list_named(plan: FabricPlan, intent: FabricIntent) -> Iterator[_Named]:
    wanted = {item.device for item, _ in intent.placed_exceptions if item.raw and item.device}
    names = find_names(plan, wanted) if wanted else {}
    for item, path in intent.placed_exceptions:
        raw = item.raw or {}
        device = names.get(item.device or "")
        if isinstance(device, DeviceId) and set(raw) & {tier.platform for tier in plan.boxes}:
            platform = plan.tier_of(device).platform
            own = raw.get(platform)
            # Snippets for other platforms are for the same fabric on another one.
            for name, snippets in {platform: own}.items() if own else sorted(raw.items()):
                for snippet in snippets or ():
                    yield _Named(device, name, snippet, (*path, "raw", name, f"[{snippet.file}]"))


def _read_snippet(
    plan: FabricPlan, named: _Named, specs: Mapping[str, PlatformSpec], folder: Path, bag: Bag
) -> RawSnippet | None:
    """A snippet with its text and the file it belongs in; None if one of them is missing."""
    platform = plan.tier_of(named.device).platform
    name, file = plan.device_name(named.device), named.snippet.file
    if named.platform != platform:
        run = Related("the platform", ("tiers", plan.tiers[named.device.tier].name, "platform"))
        message, path = f"{name} runs {platform}", named.path[:-1]
        bag.add(WRONG_PLATFORM, message, path, on_key=True, hint=f"write {platform}", related=[run])
        return None
    text = _read_text(folder, file, named.path, bag)
    output = _find_output(specs.get(platform), file, named.path, bag)
    if text is None or output is None:
        return None
    spec = specs[platform]
    if find_reader(spec, output) is None:
        message = f"fabricgen cannot merge into {output.path} of {platform}"
        bag.add(NO_READER, message, named.path, hint="remove the snippet")
        return None
    raw = named.snippet
    owner = (raw.owner or "", raw.expires or "")
    snippet = RawSnippet(file, output.path, text, tuple(raw.overrides), named.path, *owner)
    try:
        if snippet.is_json:
            read_json(text)
    except ReadFault as fault:
        report_malformed(snippet, name, fault, max(1, fault.line), folder, bag)
        return None
    return snippet


def report_malformed(snippet: RawSnippet, device: str, fault: ReadFault, line: int, folder: Path, bag: Bag) -> None:
    """Report a snippet with which a file cannot be read, at its line if that is known."""
    message = f"{snippet.output} of {device} with {snippet.file}: {fault}"
    place = Place(str(folder / snippet.file), line, 1) if line > 0 else None
    applied = [Related(f"applied to {device} here", snippet.named_at)] if place else []
    bag.add(MALFORMED, message, snippet.named_at, place=place, related=applied)


def _read_text(folder: Path, file: str, path: IntentPath, bag: Bag) -> str | None:
    found = read_file(folder / file, SIZE_MAX_BYTES, inside=folder)
    if isinstance(found, Refused):
        bag.add(UNREADABLE, f"{file} {found.reason}", path)
        return None
    try:
        text = found.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        place = Place(str(folder / file), found.count(b"\n", 0, error.start) + 1, 1)
        bag.add(UNREADABLE, f"{file} is not a text in UTF-8", path, place=place)
        return None
    if not text.strip("{} \t\n"):
        bag.add(UNREADABLE, f"{file} holds nothing", path, hint="remove the snippet, or write what it is for")
        return None
    if bad := _BAD_REFERENCE.search(text):
        from fabricgen.render.render_codes import BAD_TOKEN  # loads rendering, which few validations need

        place = Place(str(folder / file), text.count("\n", 0, bad.start()) + 1, 1)
        bag.add(BAD_TOKEN, f"{file} holds a reference to a secret that cannot be read", path, place=place)
        return None
    if hidden := find_hidden_in(text, escapes=file.endswith(".json")):
        place, message = Place(str(folder / file), *hidden[:2]), f"{name_character(hidden[2])} is invisible"
        bag.add(UNREADABLE, message, path, place=place, hint="remove the character")
        return None
    return text


def _find_output(spec: PlatformSpec | None, file: str, path: IntentPath, bag: Bag) -> Output | None:
    """The output a snippet is laid over: the one of its name, else the only one of its kind."""
    if spec is None:
        return None
    name, is_json = PurePosixPath(file).stem, file.endswith(".json")
    of_kind = [output for output in spec.outputs if (output.format != "text") == is_json]
    of_name = [output for output in of_kind if PurePosixPath(output.path).stem == name]
    found = of_name or of_kind
    if len(found) == 1:
        return found[0]
    ending = PurePosixPath(file).suffix
    names = ", ".join(PurePosixPath(output.path).stem + ending for output in found or spec.outputs)
    message = f"{file} matches {'several files' if found else 'no file'} of {spec.name}"
    bag.add(NO_FILE, message, path, hint=f"name it like the platform it is written for: {names}")
    return None


def find_semantics(spec: PlatformSpec, output: Output) -> Semantics | None:
    """Return what a file of a platform means, read once; None where that cannot be read."""
    root = Path(spec.root) if spec.root else template_root()
    return _load_semantics(root, output.semantics, spec.platform.format_of(output.path))


@lru_cache(maxsize=64)
def _load_semantics(root: Path, name: str, file_format: FileFormat) -> Semantics | None:
    return load_semantics(root, name, Bag(), file_format)


def find_reader(spec: PlatformSpec, output: Output) -> Read | None:
    """Return what reads a file of a platform; None for YAML, which is not written again, and unreadable text."""
    if PurePosixPath(output.path).suffix in (".yaml", ".yml"):
        return None
    found = spec.platform.format_of(output.path)
    if found != generic_format(output.path):
        return found.read
    return read_json if output.format != "text" else None
