"""One page per top-level key of the intent: every key below it with its meaning, its values and an example.

Input: the JSON Schema of the intent and ``examples.yaml``. Output: markdown by the name of the page. Entry point:
``key_pages``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fabricgen.diagnostics import Bag
from fabricgen.intent.fabric import intent_schema
from fabricgen.source import load_data
from tools.docs.intent_page import placement_reference, workload_reference
from tools.docs.language import (
    Section,
    Sections,
    collect_sections,
    describe_default,
    describe_values,
    escape,
    slug,
    tell_meaning,
)


def _load_examples() -> Any:
    document = load_data(Path(__file__).with_name("examples.yaml"), Bag())
    assert document is not None, "the file is beside this one"  # noqa: S101 - a programming error
    return document.data


_EXAMPLES = _load_examples()
EXAMPLES: Mapping[str, str] = _EXAMPLES["keys"]
"""Key of the language to a document that is laid over the inventory ``quickstart``."""
WORKLOAD_EXAMPLE, PLACEMENT_EXAMPLE = str(_EXAMPLES["workload"]), str(_EXAMPLES["placement"])
"""A workload file and a placement file with every key."""
_BELOW = "the keys below"
_NO_DEFAULT = ("that of its keys", "–")
_HEAD = "[All keys](../reference.md) · [what they mean together](../intent.md)\n"
_WORKLOAD_FILE = (
    f"## The file\n\nEvery key once; the model's own collectives are computed.\n\n```yaml\n{WORKLOAD_EXAMPLE}```\n\n"
)
_PLACEMENT_PAGE = (
    "# Placement file\n\n`placement` of a [workload file](workload.md) names it;\n"
    "[training-traffic.md](../training-traffic.md#placement) explains it.\n\n"
    f"## The file\n\nEvery key once.\n\n```yaml\n{PLACEMENT_EXAMPLE}```\n\n"
)


def list_keys() -> Iterator[tuple[str, Section, str]]:
    """Every key of the language as the reference writes it, with the model that has it and its name there."""
    for section in collect_sections(intent_schema()).values():
        prefix = "" if section.is_root else f"{section.paths[0]}."
        for key in section.node["properties"]:
            yield f"{prefix}{key}", section, key


def key_pages() -> dict[str, str]:
    """Pages by top-level key, and that of placement files."""
    sections = collect_sections(intent_schema())
    entries: dict[str, list[str]] = {}
    for path, section, key in list_keys():
        entries.setdefault(_page(path), []).append(_entry(path, section, key, sections))
    entries["workload"].append(_WORKLOAD_FILE + workload_reference())
    pages = {top: "\n".join([first, *others]) for top, (first, *others) in entries.items()}
    return {**pages, "placement": _PLACEMENT_PAGE + placement_reference()}


def _page(path: str) -> str:
    return re.split(r"[.\[]", path)[0]


def _entry(path: str, section: Section, key: str, sections: Sections) -> str:
    head = f"# `{path}`\n\n{_HEAD}" if path == _page(path) else f"## `{path}`\n"
    return "\n".join(
        [head, _meaning(path, section, key, sections), *_facts(path, section, key, sections), _example(path)]
    )


def _meaning(path: str, section: Section, key: str, sections: Sections) -> str:
    """The key's own description, and that of the model whose keys follow."""
    node = section.node["properties"][key]
    below = [each.node["description"] for each in sections.values() if each.paths[0] == path]
    texts = dict.fromkeys(escape(text).removesuffix(".") for text in (tell_meaning(node, sections), *below))
    return "".join(f"{text}.\n" for text in texts)


def _facts(path: str, section: Section, key: str, sections: Sections) -> Iterator[str]:
    """Values and default on one line, where there are any that the page does not show anyway."""
    node = section.node["properties"][key]
    values = re.sub(r"\[`([^`]+)`\]\(#[^)]*\)", partial(_link, path), describe_values(key, node, sections))
    default = describe_default(section, key, node)
    facts = [f"Values: {values}"] if values != _BELOW else []
    if default not in _NO_DEFAULT:
        facts.append(default if default == "required" else f"default {default}")
    text = "; ".join(facts)
    if text:
        yield f"{text[0].upper()}{text[1:]}.\n"


def _link(path: str, link: re.Match[str]) -> str:
    """A reference to a model: the keys below the same key, or the entry where it comes first."""
    if link[1].startswith(path):
        return _BELOW
    page = "" if _page(link[1]) == _page(path) else f"{_page(link[1])}.md"
    return f"[`{link[1]}`]({page}#{slug(link[1])})"


def _example(path: str) -> str:
    return f"```yaml\n{EXAMPLES[path]}\n```\n"
