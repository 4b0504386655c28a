"""The conformance fabric under Cumulus Linux, with keys changed: what startup.yaml sets, by host name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.model import SwitchClass
from fabricgen.diagnostics import Bag, IntentPath, Severity
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document

CONFORMANCE = Path(__file__).parents[2] / "fabrics" / "conformance"


def startup_texts(
    changes: dict[IntentPath, Any] | None = None,
    *,
    without: tuple[IntentPath, ...] = (),
    shapes: tuple[str, ...] = (),
    reshape: Callable[[SwitchClass], SwitchClass] = lambda cls: cls,
) -> dict[str, str]:
    """Every file, after keys have other values or are left out, in another shape, or with classes made by hand."""
    bag = Bag()
    overlays = [CONFORMANCE / "overlays/cumulus_nvue.yaml", *(CONFORMANCE / f"shapes/{shape}.yaml" for shape in shapes)]
    document = load_document(CONFORMANCE / "fabric.yaml", bag, overlays=overlays)
    assert document is not None
    for path in without:
        document = document.without(path)
    for path, value in (changes or {}).items():
        document = document.replaced(path, value)
    compiled = compile_document(document, CONFORMANCE, bag)
    errors = {found.code for found in bag if found.severity is Severity.ERROR} - {"FG-PLT-065"}  # services left out
    assert not errors, [diagnostic.message for diagnostic in bag]
    assert compiled.plan is not None
    assert compiled.platforms is not None
    lowering, renderer = Lowering(compiled.plan), Renderer(compiled.platforms, bag)
    found = {}
    for device in compiled.plan.switches():
        switch = lowering.lower_switch(device)
        switch.cls = reshape(switch.cls)
        (file,) = renderer.render_switch(switch)
        found[Path(file.path).parts[-4]] = file.data.decode()
    return found


def settings(text: str) -> dict[str, Any]:
    """Return what a file sets."""
    found: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)[0]["set"]
    return found
