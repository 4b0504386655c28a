"""``python -m tests.judges.nvue FILE…``: what NVUE's schema refuses; exit 1 if anything.

The schema is NVIDIA's OpenAPI document of a release, as the models of the package nvueschema have it: here of the one
that the manifest has where an intent names none.

Covered: that the file is YAML without repeated keys, its outer form, every object, word, number and range.
Not covered: keys that are names or addresses, and whether names that refer to each other exist; the cross-device reader
looks at those. Nor what NVUE checks across objects.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pydantic
import yaml

from ..crossread.text import strict_yaml
from ..files import judge_named_files

MANIFEST = yaml.safe_load(
    (Path(__file__).parents[3] / "templates/switch/cumulus_nvue/platform.yaml").read_text(encoding="utf-8")
)
RELEASES = tuple(str(entry["name"]) for entry in MANIFEST["releases"])
DEFAULT = next(str(entry["name"]) for entry in MANIFEST["releases"] if entry.get("default"))
WORDS = 160
"""Longest words of a finding that are shown; those about time zones list them all."""


class Strict(pydantic.BaseModel, extra="forbid"):
    """A model that refuses what the schema does not have; the package's own ones ignore it."""


@cache
def schema(release: str) -> type[pydantic.BaseModel]:
    """The root of the models of a release."""
    own = pydantic.BaseModel
    pydantic.BaseModel = Strict  # type: ignore[misc]
    try:
        root: type[pydantic.BaseModel] = import_module(f"nvueschema.models.v{release.replace('.', '_')}").NvueConfig
    finally:
        pydantic.BaseModel = own  # type: ignore[misc]
    assert issubclass(root, Strict), "its models were loaded before, and refuse nothing"
    return root


def findings(text: str, release: str = DEFAULT) -> list[str]:
    try:
        document = strict_yaml.load(text)
    except ValueError as error:
        return [f"not YAML: {error}"]
    if not (isinstance(document, list) and [list(item) for item in document] == [["set"]]):
        return ["the file is not a list of one item, set"]
    try:
        schema(release).model_validate_json(json.dumps(document[0]["set"]), strict=True)
    except pydantic.ValidationError as error:
        rows = error.errors(include_url=False)
        return [f"{' '.join(map(str, row['loc']))}: {row['msg'][:WORDS]}, not {row['input']!r}" for row in rows]
    return []


if __name__ == "__main__":
    sys.exit(judge_named_files(findings))
