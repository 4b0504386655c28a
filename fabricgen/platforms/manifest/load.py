"""Manifests to specs: reads the ``platform.yaml`` of the platforms an intent names.

Input: platform names with the intent paths that chose them. Output: frozen specs that workers carry. Entry point:
``load_platforms``. Every fault of a manifest is a diagnostic with its place in that manifest; every capability is
answered, each in its own form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import TypeAdapter

from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.diagnostics.words import or_list
from fabricgen.plan.model.topology import Release
from fabricgen.platforms.manifest.capabilities import (
    RECORDS,
    Choice,
    Field,
    HostCapabilities,
    Limit,
    NicCapabilities,
    Speeds,
    SwitchCapabilities,
    Words,
    fields_of,
)
from fabricgen.platforms.manifest.discover import (
    TemplateFolder,
    discover_platforms,
    find_class,
    find_roots,
    template_root,
)
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.platform import Platform
from fabricgen.platforms.platform_codes import BROKEN_CLASS, NO_TEMPLATE, UNKNOWN_PLATFORM, WRONG_FOLDER
from fabricgen.source import load_data
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.forms import FORM, refuse
from fabricgen.validation.mistakes import BAD_VALUE, MISSING_KEY, UNKNOWN_KEY, Mistake
from fabricgen.validation.reading import read_strictly
from fabricgen.validation.schema import schema_of_file

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from fabricgen.validation.faults import Fault

KEY = "capabilities"
ANY, NONE, UNLIMITED = "any", "none", "unlimited"
_PAGE = "docs/capabilities.md lists them all"
_EACH = 8
"""More answers than this that are left out are one diagnostic."""
_FAULT = object()


@dataclass(frozen=True)
class CapabilityAnswers:
    """The capabilities of a kind of platform as a manifest answers them: every one, and each in its own form."""

    kind: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read each field of the kind's record."""
        from pydantic_core import core_schema as core

        fields = {
            name: core.typed_dict_field(core.no_info_plain_validator_function(partial(_read, field)))
            for name, field in fields_of(self.kind).items()
        }
        mapping = core.typed_dict_schema(fields, extra_behavior="forbid")
        return core.no_info_after_validator_function(lambda answers: RECORDS[self.kind](**answers), mapping)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe each field in words."""
        fields = fields_of(self.kind)
        properties = {key: {"description": each.description, FORM: legal_values(each)} for key, each in fields.items()}
        return {"type": "object", "properties": properties, "required": list(fields), "additionalProperties": False}


def report_faults(found: Sequence[Fault], kind: str, faults: FileFaults) -> None:
    """Report what a validation found wrong with a manifest of a kind; many capabilities without an answer at once."""
    missing = [fault for fault in found if fault.mistake is Mistake.MISSING_KEY and fault.path[:-1] == (KEY,)]
    if len(missing) > _EACH:
        message = f"{KEY} leaves out {len(missing)}: {', '.join(fault.path[-1] for fault in missing)}"
        hint = "copy them from the end of the section in docs/capabilities.md, where each has an answer"
        faults.add(MISSING_KEY, message, KEY, on_key=True, hint=hint)
        found = [fault for fault in found if fault not in missing]
    for fault in found:
        if fault in missing:
            field = fields_of(kind)[fault.path[-1]]
            fault = fault._replace(hint=f"add {fault.path[-1]}, {legal_values(field)}: {field.description}")
        faults.report(fault)


def check_reasons(spec: PlatformSpec, kind: str, faults: FileFaults) -> None:
    """Report reasons for lacking what is no capability of a kind of platform, or what the platform has."""
    wanted = fields_of(kind)
    for name in spec.lacks:
        if name not in wanted:
            faults.add(UNKNOWN_KEY, f"lacks.{name} is no capability", "lacks", name, on_key=True, hint=_PAGE)
        elif getattr(spec.capabilities, name) != wanted[name].nothing:
            message = f"lacks.{name} gives a reason for what {KEY}.{name} has"
            faults.add(BAD_VALUE, message, "lacks", name, hint="remove it")


def legal_values(field: Field) -> str:
    """Return what a manifest may write for a capability, in words."""
    if isinstance(field.type, type) and issubclass(field.type, Enum):
        return or_list(item.value for item in field.type)
    number = f"a whole number from {field.least}"
    return {
        bool: "true or false",
        int: number,
        str: f"a text, or {NONE}",
        Limit: f"{number}, or {UNLIMITED}",
        Words: "a list of words, or []",
        Choice: f"a list of words, or {ANY}",
        Speeds: f"a list of Gb/s, [] or {ANY}",
    }[field.type]


def written_value(field: Field, value: Any) -> str:
    """Return the value of a capability as a manifest writes it."""
    if value is None:
        return UNLIMITED if field.type is Limit else ANY
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value) or NONE


def _read(field: Field, value: object) -> Any:
    """The value of a field; raises a refusal if it is none of its type."""
    found = _value_of(field, value)
    if found is _FAULT:
        raise refuse(f"is not {legal_values(field)}")
    return found


def _value_of(field: Field, value: object) -> Any:
    if isinstance(field.type, type) and issubclass(field.type, Enum):
        word = str(value).lower() if isinstance(value, bool) else value
        return next((item for item in field.type if item.value == word), _FAULT)
    if field.type is bool:
        return value if isinstance(value, bool) else _FAULT
    if field.type is str:
        return ("" if value == NONE else value) if isinstance(value, str) and value.isprintable() else _FAULT
    return _number_of(field, value) if field.type in (int, Limit) else _list_of(field, value)


def _number_of(field: Field, value: object) -> Any:
    if value == UNLIMITED and field.type is Limit:
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= field.least else _FAULT


def _list_of(field: Field, value: object) -> Any:
    if value == ANY and field.type in (Choice, Speeds):
        return None
    of = int if field.type is Speeds else str
    if not isinstance(value, list) or not all(isinstance(item, of) and not isinstance(item, bool) for item in value):
        return _FAULT
    return tuple(value) if len(set(value)) == len(value) else _FAULT


def load_platforms(
    names: Mapping[str, IntentPath], kind: str, bag: Bag, roots: Sequence[Path] | None = None
) -> dict[str, PlatformSpec]:
    """Return the platforms of a kind that an intent names, by name; those with a fault are reported and left out.

    Names have the intent path that names them first; the roots are those of fabricgen and of the installed packages if
    left out.
    """
    known = discover_platforms(kind, [template_root()] if roots is None else roots, bag)
    if roots is None and not known.keys() >= names.keys():
        # Looking through installed packages costs more than reading a manifest; only an unknown name is worth it.
        known = discover_platforms(kind, find_roots(bag), bag)
    specs = {}
    for name, path in names.items():
        folder = known.get(name)
        if folder is None:
            _report_unknown(name, kind, path, sorted(known), bag)
            continue
        spec = load_manifest(folder, bag)
        if spec is not None:
            specs[name] = spec
    return specs


def load_all(kind: str, bag: Bag, roots: Sequence[Path]) -> dict[str, PlatformSpec]:
    """Load every platform of a kind that some template roots have, by name."""
    return load_platforms(dict.fromkeys(sorted(discover_platforms(kind, roots, Bag())), ()), kind, bag, roots)


def _report_unknown(name: str, kind: str, path: IntentPath, known: Sequence[str], bag: Bag) -> None:
    legal = f"installed are {', '.join(known)}" if known else "none is installed"
    near = [each for each in known if name.lower() in each] or get_close_matches(name.lower(), known, 1)
    hint = f"use {near[0]}" if near else UNKNOWN_PLATFORM.hint
    bag.add(UNKNOWN_PLATFORM, f"{name!r} is not a {kind} platform; {legal}", path, hint=hint)


def load_manifest(folder: TemplateFolder, bag: Bag) -> PlatformSpec | None:
    """Read one manifest; None if it or one of its templates has a fault."""
    document = load_data(folder.manifest, bag)
    if document is None:
        return None
    faults = FileFaults(Bag(), document)
    read, found = read_strictly(document, _adapter(folder.kind))
    report_faults(found, folder.kind, faults)
    spec = None if read is None else _placed(PlatformSpec(*read), folder, faults)
    bag.extend(list(faults.bag))
    return None if faults.bag.has_errors else spec


class _SwitchManifest(PlatformSpec):
    capabilities: Annotated[SwitchCapabilities, CapabilityAnswers("switch")]


class _HostManifest(PlatformSpec):
    capabilities: Annotated[HostCapabilities, CapabilityAnswers("host")]


class _NicManifest(PlatformSpec):
    capabilities: Annotated[NicCapabilities, CapabilityAnswers("nic")]


_MANIFESTS = {"switch": _SwitchManifest, "host": _HostManifest, "nic": _NicManifest}


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(_MANIFESTS[kind])


def manifest_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of manifests of a kind: ``switch``, ``host`` or ``nic``."""
    return schema_of_file(_adapter(kind).json_schema(), f"manifest, {kind}")


def _placed(spec: PlatformSpec, folder: TemplateFolder, faults: FileFaults) -> PlatformSpec:
    """Return the spec with what depends on its folder: where it lies, the files that it names."""
    for key, actual, wanted in (("platform", spec.name, folder.name), ("kind", spec.kind, folder.kind)):
        if actual != wanted:
            message = f"{key} is {actual!r} in the folder {folder.folder}; it must be {wanted!r}"
            faults.add(WRONG_FOLDER, message, key)
    check_reasons(spec, folder.kind, faults)
    platform = find_class(folder)
    if not isinstance(platform, Platform):
        faults.add(BROKEN_CLASS, f"what PLATFORMS has for {folder.name} is no Platform", "platform")
        platform = Platform()
    return spec._replace(
        folder=folder.folder,
        root=str(folder.root),
        platform=platform,
        outputs=tuple(_located(output, folder, faults.below("outputs", at)) for at, output in enumerate(spec.outputs)),
        releases=_releases(spec),
    )


def _located(output: Output, folder: TemplateFolder, faults: FileFaults) -> Output:
    """Return an output with the paths of its files below the template root."""
    parts = [
        part._replace(template=_find(folder, part.template, faults.below("parts", at, "template")))
        for at, part in enumerate(output.parts)
    ]
    semantics = _find(folder, output.semantics, faults.below("semantics"))
    return output._replace(semantics=semantics, parts=tuple(parts))


def _releases(spec: PlatformSpec) -> tuple[Release, ...]:
    """Return the releases, oldest first, each with what later ones have and it lacks."""
    names = [entry.name for entry in spec.listed]
    later = {path: names.index(first) for path, first in spec.since.items()}
    return tuple(
        Release(
            entry.name,
            entry.schema,
            entry.routing,
            entry.released == "true",
            tuple(sorted(path for path, first in later.items() if at < first)),
            entry.default == "true",
            entry.weight_sum,
        )
        for at, entry in enumerate(spec.listed)
    )


def _find(folder: TemplateFolder, name: str, faults: FileFaults) -> str:
    """Return a file's path below the template root; empty for no name, or after reporting that there is none.

    It is in the platform's folder, or where platforms share one in the template root.
    """
    found = (path for path in (folder.manifest.parent / name, folder.root / name) if name and path.is_file())
    path = next((path.relative_to(folder.root).as_posix() for path in found), "")
    if name and not path:
        what = str(faults.at[-1])
        message = f"the {what} {name!r} is neither in {folder.manifest.parent} nor in {folder.root}"
        faults.add(NO_TEMPLATE, message)
    return path
