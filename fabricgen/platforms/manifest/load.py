"""Manifests to specs: reads the ``platform.yaml`` of the platforms an intent names.

Input: platform names with the intent paths that chose them. Output: frozen specs that workers carry. Entry point:
``load_platforms``. Every fault of a manifest is a diagnostic with its place in that manifest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import TypeAdapter

from fabricgen.diagnostics import Bag, IntentPath, set_to
from fabricgen.plan.model.topology import Release
from fabricgen.platforms.manifest.answers import CapabilityAnswers, check_reasons, report_faults
from fabricgen.platforms.manifest.capabilities import HostCapabilities, NicCapabilities, SwitchCapabilities
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
from fabricgen.validation.reading import read_strictly
from fabricgen.validation.schema import schema_of_file


def load_platforms(
    names: Mapping[str, IntentPath], kind: str, bag: Bag, roots: Sequence[Path] | None = None
) -> dict[str, PlatformSpec]:
    """Load the platforms an intent names.

    Args:
        names: Platform name to the intent path that names it first.
        kind: ``switch``, ``host`` or ``nic``.
        bag: Takes a diagnostic for each unknown name and each fault of a manifest.
        roots: Template roots; those of fabricgen and of the installed packages if left out.

    Returns:
        The specs by name, without those that have a fault.
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
    near = get_close_matches(name, known, 1)
    hint = f"use {near[0]}" if near else UNKNOWN_PLATFORM.hint
    fixes = set_to(path, near[0]) if near and path and kind != "nic" else ()
    bag.add(UNKNOWN_PLATFORM, f"{name!r} is not a {kind} platform; {legal}", path, hint=hint, fixes=fixes)


def load_manifest(folder: TemplateFolder, bag: Bag) -> PlatformSpec | None:
    """Read one manifest.

    Args:
        folder: Where it stands.
        bag: Takes every fault of the manifest and of its templates.

    Returns:
        The spec; None if there is a fault.
    """
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
    """Return the JSON Schema of manifests of a kind.

    Args:
        kind: ``switch``, ``host`` or ``nic``.
    """
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
