"""Free texts that a device's syntax could trip over: each platform's file says them, and nothing else changes.

Every file is read back by the platform's own reader, scripts by the shell.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from pydantic import TypeAdapter

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKinds, load_kinds
from fabricgen.intent.types import Text
from fabricgen.render.engine import Renderer
from tests.golden.test_stages import OVERLAYS, compiled
from tests.plain_rendering import render_plain
from tests.sampling import FRESH, sampled

TEXTS = (
    'hall "7" row "A', "it's o'clock", "a ! b", "! a", "# a", "a # b", "a; reload", "a | b", "what? yes?",
    "a \\", "\\n", "a\\", "$(reboot) `id` ${HOME} $x", "%n %H %% %i", "$attr{address} $name", "EOF", "end",
    "exit", "no shutdown", "a: b", "- a", "[a]", "{a}", "{ }", "&a *b", "> a", "@a", "<b>&amp;</b>", "true",
    "null", "~", "0x10", "1e3", "'", '"', "a,b=c", "Größe 日本", "//", "a  b",
)  # fmt: skip
PLACE, CONTACT, REASON = "PLACEHOLDER", "CONTACTHOLDER", "REASONHOLDER"
FABRICS = ("conformance", *(name for name in OVERLAYS if name != "pfc-only"))


@cache
def kinds() -> FileKinds:
    return load_kinds(None, Bag())


def rendered(name: str, location: str, contact: str, reason: str) -> dict[str, str]:
    """The files of a drained switch and a drained host whose texts are these."""
    made = compiled(name)
    services = replace(made.plan.services, snmp_location=location, snmp_contact=contact)
    plan = made.plan._replace(services=services, contract=replace(made.plan.contract, reason=reason))
    lowering, bag = Lowering(plan), Bag()
    switch = lowering.lower_switch(next(plan.switches()))
    host = lowering.lower_host(next(plan.all_hosts()))
    renderer = Renderer(made.platforms, bag)
    found = {}
    for device in (switch, host):
        device.state, device.reason = "drained", reason
        found.update({file.path: file.data.decode() for file in render_plain(renderer, device)})
    assert not bag.has_errors
    return found


def trees(files: dict[str, str]) -> dict[str, Any]:
    """Every file as its platform's reader has it."""
    found = {}
    for folder in ("switches", "hosts"):
        inner = {path.split("/", 2)[2]: path for path in files if path.startswith(folder)}
        for path, kind in kinds().of_device(folder, inner).items():
            found[inner[path]] = kind.read(files[inner[path]])
    return found


def put(tree: Any, texts: dict[str, str]) -> Any:
    """A tree with other texts for the placeholders, in keys and in values."""
    if isinstance(tree, dict):
        return {put(key, texts): put(value, texts) for key, value in tree.items()}
    if isinstance(tree, list):
        return [put(item, texts) for item in tree]
    for old, new in texts.items():
        tree = tree.replace(old, new) if isinstance(tree, str) else tree
    return tree


def pairs(name: str) -> Iterator[tuple[str, str, str]]:
    """Texts for location, contact and reason, some by lot; of all, each stands once in each place."""
    for at in sampled(range(len(TEXTS)), 10, f"{FRESH} {name}"):
        yield TEXTS[at], TEXTS[(at + 11) % len(TEXTS)], TEXTS[(at + 23) % len(TEXTS)]


def test_the_texts_are_texts_of_the_language() -> None:
    adapter = TypeAdapter(Text)
    assert [adapter.validate_python(text) for text in TEXTS] == list(TEXTS)


@pytest.mark.parametrize("name", FABRICS)
def test_each_is_read_back_as_it_was_and_nothing_else_changes(name: str) -> None:
    base = trees(rendered(name, PLACE, CONTACT, REASON))
    assert (PLACE in repr(base)) == (CONTACT in repr(base)) == (name not in ("fboss", "frr"))
    for number, (location, contact, reason) in enumerate(pairs(name)):
        files = rendered(name, location, contact, reason)
        texts = {PLACE: location, CONTACT: contact, REASON: reason}
        assert trees(files) == put(base, texts), texts
        scripts = [text for text in files.values() if text.startswith("#!")]
        for text in scripts[: 4 if not number or reason.startswith("$") else 0]:
            assert subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False).stderr == ""
