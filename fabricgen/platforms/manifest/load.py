"""Manifests to specs: reads the ``platform.yaml`` of the platforms an intent names.

Input: platform names with the intent paths that chose them. Output: frozen specs that workers carry. Entry point:
``load_platforms``. Every fault of a manifest is a diagnostic with its place in that manifest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from string import Formatter

from fabricgen.device.model import Release
from fabricgen.diagnostics import Bag, IntentPath, set_to
from fabricgen.platforms.manifest.answers import read_capabilities, read_reasons
from fabricgen.platforms.manifest.contract import FORMATS, KINDS, PORT_FIELDS, SCOPES, ViewError, find_view
from fabricgen.platforms.manifest.discover import TemplateFolder, discover_platforms, find_roots, template_root
from fabricgen.platforms.manifest.fields import Fields
from fabricgen.platforms.manifest.platform_codes import (
    BAD_VALUE,
    BROKEN_VIEW,
    NO_TEMPLATE,
    UNKNOWN_PLATFORM,
    WRONG_FOLDER,
)
from fabricgen.platforms.manifest.spec import Output, Parameter, Part, PlatformSpec
from fabricgen.source import load_data

_REQUIRED = ("platform", "kind", "target", "capabilities", "outputs")
_OPTIONAL = (
    "view",
    "ports",
    "subports",
    "sfp_ports",
    "lacks",
    "hash_algorithms",
    "hash_seeds",
    "hash_type_seeds",
    "parameters",
    "container",
    "releases",
    "since",
    "packet_filter",
    "next_steps",
    "rollout",
)
_OUTPUT_KEYS = ("path", "format", "mode", "parts")
_PART_KEYS = ("template", "scope")
_MODULE = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+")
_MODE = re.compile(r"0?[0-7]{3}")
_PORTS_FROM_CATALOG = "catalog"


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


def _report_unknown(name: str, kind: str, path: IntentPath, known: Sequence[str], bag: Bag) -> None:
    legal = f"installed are {', '.join(known)}" if known else "none is installed"
    near = get_close_matches(name, known, 1)
    hint = f"use {near[0]}" if near else UNKNOWN_PLATFORM.fix
    fixes = set_to(path, near[0]) if near and path and kind != "nic" else ()
    bag.add(UNKNOWN_PLATFORM, f"{name!r} is not a {kind} platform; {legal}", path, hint=hint, fixes=fixes)


def load_manifest(folder: TemplateFolder, bag: Bag) -> PlatformSpec | None:
    """Read one manifest.

    Args:
        folder: Where it stands.
        bag: Takes every fault of the manifest, of its view module and of its list of templates.

    Returns:
        The spec; None if there is a fault.
    """
    document = load_data(folder.manifest, bag)
    if document is None:
        return None
    found = Bag()
    data = document.data
    fields = Fields(document, found, data if isinstance(data, dict) else {})
    spec = _read_spec(fields, folder)
    if not found.has_errors:
        try:
            find_view(spec)
        except ViewError as error:
            fields.fault(BROKEN_VIEW, str(error), "view")
    bag.extend(list(found))
    return None if found.has_errors else spec


def _read_spec(fields: Fields, folder: TemplateFolder) -> PlatformSpec:
    """Read every field; what is wrong has been told and is replaced by something empty."""
    fields.check_keys(_REQUIRED, _OPTIONAL)
    name, kind = fields.text("platform"), fields.word("kind", KINDS)
    for key, actual, wanted in (("platform", name, folder.name), ("kind", kind, folder.kind)):
        if actual is not None and actual != wanted:
            fields.fault(WRONG_FOLDER, f"{key} is {actual!r} in the folder {folder.folder}; it must be {wanted!r}", key)
    capabilities = read_capabilities(fields, folder.kind)
    return PlatformSpec(
        name=folder.name,
        kind=folder.kind,
        folder=folder.folder,
        target=fields.text("target") or "",
        view=_module(fields, "view"),
        port_pattern=_port_pattern(fields, "ports"),
        subport_pattern=_port_pattern(fields, "subports"),
        sfp_pattern=_port_pattern(fields, "sfp_ports"),
        outputs=_outputs(fields, folder.manifest.parent),
        capabilities=capabilities,
        lacks=read_reasons(fields, folder.kind, capabilities),
        hash_algorithms=fields.texts("hash_algorithms"),
        hash_seeds=fields.texts("hash_seeds"),
        hash_type_seeds=fields.texts("hash_type_seeds"),
        root=str(folder.root),
        parameters=_parameters(fields, folder.manifest.parent),
        container=fields.scalars("container"),
        releases=_releases(fields),
        packet_filter=_module(fields, "packet_filter"),
        next_steps=fields.texts("next_steps"),
        rollout=_module(fields, "rollout"),
    )


def _releases(fields: Fields) -> tuple[Release, ...]:
    """The releases a manifest lists, oldest first, each with what later ones have and it lacks."""
    listed: list[Release] = []
    for item in fields.items("releases"):
        item.check_keys(("name",), ("schema", "routing", "released"))
        name = item.text("name") or ""
        if name in [other.name for other in listed]:
            item.fault(BAD_VALUE, f"releases lists {name!r} twice", "name")
        released = item.word("released", ("true", "false")) != "false"
        listed.append(Release(name, item.text("schema") or "", item.text("routing") or "", released))
    names = [release.name for release in listed]
    since = fields.sentences("since")
    for path, first in since.items():
        if first not in names:
            fields.fault(BAD_VALUE, f"since.{path} is {first!r}; it must be one of {', '.join(names)}", "since", path)
    later = {path: names.index(first) for path, first in since.items() if first in names}
    return tuple(
        release._replace(lacks=tuple(sorted(path for path, first in later.items() if at < first)))
        for at, release in enumerate(listed)
    )


def _parameters(fields: Fields, folder: Path) -> tuple[Parameter, ...]:
    """What the parameter file of the manifest lists, in its order."""
    name = _relative_path(fields, "parameters")
    if not name:
        return ()
    document = load_data(folder.parents[1] / (_find(folder, name) or folder / name), fields.bag)
    data = document.data if document else None
    entries = data.get("parameters") if isinstance(data, dict) else None
    found = [_parameter(key, entry) for key, entry in entries.items()] if isinstance(entries, dict) else []
    sound = tuple(parameter for parameter in found if parameter is not None)
    if not sound or len(sound) != len(found):
        fields.fault(BAD_VALUE, f"parameters is {name!r}; it must name a file with default, min and max", "parameters")
    return sound


def _parameter(name: str, entry: object) -> Parameter | None:
    if not isinstance(entry, dict):
        return None
    values = [entry.get(key) for key in ("default", "min", "max")]
    default, minimum, maximum = (value if isinstance(value, int) else -1 for value in values)
    by_rate = entry.get("per_25gbps", 0)
    sound = 0 <= minimum <= default <= maximum and isinstance(by_rate, int) and by_rate >= 0
    return Parameter(name, default, minimum, maximum, by_rate) if sound else None


def _module(fields: Fields, key: str) -> str:
    """The dotted name of a module; empty where the manifest names none."""
    name = fields.text(key) or ""
    if name and not _MODULE.fullmatch(name):
        fields.fault(BAD_VALUE, f"{key} is {name!r}; it must be the dotted name of an importable module", key)
    return name


def _port_pattern(fields: Fields, key: str) -> str:
    """A pattern of port names; empty where the catalog names the ports."""
    pattern = fields.text(key) or _PORTS_FROM_CATALOG
    if pattern == _PORTS_FROM_CATALOG:
        return ""
    allowed = " and ".join(f"{{{name}}}" for name in PORT_FIELDS)
    try:
        used = [name for _, name, _, _ in Formatter().parse(pattern) if name is not None]
    except ValueError:
        used = [""]
    if "cage" not in used or not set(used) <= set(PORT_FIELDS):
        message = (
            f"{key} is {pattern!r}; it must be {_PORTS_FROM_CATALOG}, or a pattern of {allowed} with {{cage}} in it"
        )
        fields.fault(BAD_VALUE, message, key)
    return pattern


def _outputs(fields: Fields, folder: Path) -> tuple[Output, ...]:
    outputs: list[Output] = []
    for item in fields.items("outputs"):
        item.check_keys(_OUTPUT_KEYS, ("semantics",))
        path = _relative_path(item, "path")
        if path and any(path == other.path for other in outputs):
            item.fault(BAD_VALUE, f"outputs.path {path!r} is written twice", "path")
        outputs.append(
            Output(
                path,
                item.word("format", FORMATS) or "",
                _mode(item),
                tuple(_parts(item, folder)),
                _semantics(item, folder),
            )
        )
    return tuple(outputs)


def _semantics(output: Fields, folder: Path) -> str:
    """The semantics file of an output: in the platform's folder, or where platforms share one in the template root."""
    name = _relative_path(output, "semantics") if output.text("semantics") else ""
    if not name:
        return ""
    found = _find(folder, name)
    if not found:
        message = f"the semantics {name!r} are neither in {folder} nor in {folder.parents[1]}"
        output.fault(NO_TEMPLATE, message, "semantics")
    return found


def _parts(output: Fields, folder: Path) -> list[Part]:
    parts = []
    for item in output.items("parts"):
        item.check_keys(_PART_KEYS, ())
        template = _relative_path(item, "template")
        found = _find(folder, template)
        if template and not found:
            message = f"the template {template!r} is neither in {folder} nor in {folder.parents[1]}"
            item.fault(NO_TEMPLATE, message, "template")
        parts.append(Part(found, item.word("scope", SCOPES) or ""))
    return parts


def _find(folder: Path, name: str) -> str:
    """A file in the platform's folder, or where platforms share one in the template root: its path below that root."""
    root = folder.parents[1]
    found = (path for path in (folder / name, root / name) if name and path.is_file())
    return next((path.relative_to(root).as_posix() for path in found), "")


def _relative_path(fields: Fields, key: str) -> str:
    """A path of plain segments."""
    path = fields.text(key) or ""
    if path and (path != str(PurePosixPath(path)) or path.startswith("/") or ".." in path.split("/") or "\\" in path):
        fields.fault(BAD_VALUE, f"{key} is {path!r}; it must be relative, without '.' and '..'", key)
        return ""
    return path


def _mode(fields: Fields) -> int:
    """Permission bits, written in octal and quoted, since YAML 1.2 reads 0644 as a decimal number."""
    text = fields.text("mode")
    if text is None:
        return 0
    if not _MODE.fullmatch(text):
        fields.fault(BAD_VALUE, f'mode is {text!r}; it must be three octal digits such as "0644"', "mode")
        return 0
    return int(text, 8)
