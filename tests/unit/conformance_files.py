"""The conformance fabric under EOS or Cumulus Linux, with keys changed: the one file of each switch, by host name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch, SwitchClass
from fabricgen.diagnostics import Bag, IntentPath, Severity
from fabricgen.render.engine import Renderer
from fabricgen.render.provenance import LineOrigin, trace_file
from fabricgen.source import load_document

CONFORMANCE = Path(__file__).parents[1] / "fabrics/conformance"
CHANGED = (("exceptions",), ("expect",))
"""Keys that speak of the fabric as it is, and do not fit another one."""


def lower_conformance(
    platform: str,
    changes: Mapping[IntentPath, Any] | None = None,
    *,
    without: tuple[IntentPath, ...] = (),
    shapes: tuple[str, ...] = (),
) -> tuple[list[Switch], Renderer]:
    """Return the switches and their renderer; ``shapes`` names overlays that make another fabric of it."""
    bag = Bag()
    overlays = [CONFORMANCE / f"overlays/{platform}.yaml", *(CONFORMANCE / f"shapes/{shape}.yaml" for shape in shapes)]
    document = load_document(CONFORMANCE / "fabric.yaml", bag, overlays=overlays)
    assert document is not None
    for path in (*without, *(CHANGED if "bonded" in shapes else ())):
        document = document.without(path)
    for path, value in (changes or {}).items():
        document = document.replaced(path, value)
    compiled = compile_document(document, CONFORMANCE, bag)
    errors = {found.code for found in bag if found.severity is Severity.ERROR} - {"FG-PLT-065"}  # services left out
    assert not errors, [diagnostic.message for diagnostic in bag]
    assert compiled.plan is not None
    assert compiled.platforms is not None
    switches = [*map(Lowering(compiled.plan).lower_switch, compiled.plan.switches())]
    return switches, Renderer(compiled.platforms, bag)


def _files(
    platform: str,
    changes: Mapping[IntentPath, Any] | None = None,
    *,
    reshape: Callable[[SwitchClass], SwitchClass] = lambda cls: cls,
    **others: Any,
) -> dict[str, str]:
    """Return every file, after keys have other values or are left out, or with classes made by hand."""
    switches, renderer = lower_conformance(platform, changes, **others)
    found = {}
    for switch in switches:
        switch.cls = reshape(switch.cls)
        (file,) = renderer.render_switch(switch)
        found[switch.hostname] = file.data.decode()
    return found


startup_configs = partial(_files, "eos")
startup_texts = partial(_files, "cumulus_nvue")


def traced_lines(changes: Mapping[IntentPath, Any], name: str) -> dict[str, LineOrigin]:
    """Return the lines of one startup-config and what they were made from, after some keys have other values."""
    switches, renderer = lower_conformance("eos", changes, without=(("expect",),))
    (switch,) = (switch for switch in switches if switch.hostname == name)
    (file,) = renderer.render_switch(switch)
    return {line.text.strip(): line for line in trace_file(renderer, switch, file.path)}


def settings(text: str) -> dict[str, Any]:
    """Return what a startup.yaml sets."""
    found: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)[0]["set"]
    return found
