"""JSON Schemas of the files that people write, with the names that the catalog and the platforms know, and of plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from fabricgen.api.explain import load_codes
from fabricgen.catalog import OwnFolder
from fabricgen.catalog.library import KINDS as CATALOG_KINDS
from fabricgen.catalog.library import known_models
from fabricgen.catalog.reading import catalog_schema
from fabricgen.diagnostics import Bag
from fabricgen.intent.fabric import intent_schema
from fabricgen.intent.waivers import waivers_schema
from fabricgen.intent.workload import placement_schema, workload_schema
from fabricgen.platforms.manifest.discover import KINDS as PLATFORM_KINDS
from fabricgen.platforms.manifest.discover import discover_platforms, template_root
from fabricgen.platforms.manifest.load import load_manifest, manifest_schema
from fabricgen.rollout.stored_bundle import rollout_schema

FILES = ("intent", "overlay", "waivers", "workload", "placement")
"""Files of an inventory that have a schema."""
ROLLOUT = "rollout"
"""The plan of a rollout, which fabricgen writes."""
KINDS = (*FILES, ROLLOUT, *(f"catalog/{key}" for key in CATALOG_KINDS), *(f"platform/{key}" for key in PLATFORM_KINDS))
"""Kinds of files that have a schema."""
_DEMANDS = frozenset({"required", "minItems", "minProperties", "minLength", "default"})
"""Demands of a schema on a whole file that an overlay need not meet."""
Schema = dict[str, Any]
_OF_JOBS: Mapping[str, Callable[[], Schema]] = {"workload": workload_schema, "placement": placement_schema}
"""Files about jobs, which name nothing of the catalog."""


def write_schema(kind: str, catalogs: Sequence[Path] = ()) -> Schema:
    """Return the schema of one kind of file, with the models of further catalog folders for editors."""
    if kind == "waivers":
        return waivers_schema([code.id for code in load_codes() if code.waivable])
    if kind == ROLLOUT:
        return rollout_schema()
    if kind in _OF_JOBS:
        return _OF_JOBS[kind]()
    if kind.startswith("catalog/"):
        return catalog_schema(kind.removeprefix("catalog/"))
    if kind.startswith("platform/"):
        return manifest_schema(kind.removeprefix("platform/"))
    schema = _with_names(deepcopy(intent_schema()), [OwnFolder(path, path) for path in catalogs])
    return schema if kind == "intent" else {**_in_part(schema), "title": "fabricgen overlay"}


def _with_names(schema: Schema, own: Sequence[OwnFolder]) -> Schema:
    """Add the names that are known to the fields that name something; other names stay legal."""
    switches, releases = _platforms("switch")
    known = {
        ("TierIntent", "model"): known_models("switches", own),
        ("TierIntent", "platform"): switches,
        ("TierIntent", "release"): releases,
        ("HostGroupIntent", "server"): known_models("servers", own),
        ("HostGroupIntent", "nic"): known_models("nics", own),
        ("HostGroupIntent", "os"): _platforms("host")[0],
        ("Lossless", "ecn"): known_models("ecn", own),
    }
    for (model, key), names in known.items():
        field = schema["$defs"][model]["properties"][key]
        whole = {word: field.pop(word) for word in ("description", "title", "default") if word in field}
        schema["$defs"][model]["properties"][key] = {**whole, "anyOf": [{"enum": names}, field]}
    return schema


def _platforms(kind: str) -> tuple[list[str], list[str]]:
    """Return the names of the platforms of a kind that fabricgen ships, and the releases that their manifests list."""
    bag, names, releases = Bag(), [], dict[str, None]()
    for name, folder in discover_platforms(kind, [template_root()], bag).items():
        spec = load_manifest(folder, bag)
        names.append(name)
        releases.update(dict.fromkeys(release.name for release in spec.releases) if spec else {})
    return sorted(names), list(releases)


def _in_part(node: Any) -> Any:
    """Return a schema that takes any part of what another one describes."""
    if isinstance(node, Mapping):
        # Below these, keys are names of fields, not words of the schema.
        fields = ("properties", "patternProperties", "$defs")
        return {
            "anyOf" if key == "oneOf" else key: (
                {name: _in_part(below) for name, below in value.items()} if key in fields else _in_part(value)
            )
            for key, value in node.items()
            if key not in _DEMANDS
        }
    return [_in_part(item) for item in node] if isinstance(node, list) else node
