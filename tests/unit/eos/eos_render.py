"""The conformance fabric under EOS, with keys changed: startup-configs by host name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabricgen.compiler.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, IntentPath, Severity
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.render.engine import Renderer
from fabricgen.render.provenance import LineOrigin, trace_file
from fabricgen.source import load_document

CONFORMANCE = Path(__file__).parents[2] / "fabrics" / "conformance"
SEED_WARNING = "FG-RTE-904"


def startup_configs(
    changes: dict[IntentPath, Any] | None = None,
    *,
    without: tuple[IntentPath, ...] = (),
    shapes: tuple[str, ...] = (),
) -> dict[str, str]:
    """Every switch's configuration, after some keys have other values or are left out, or in another shape."""
    plan, renderer = _compile(changes or {}, without, shapes)
    lowering = Lowering(plan)
    found = {}
    for device in plan.switches():
        (file,) = renderer.render_switch(lowering.lower_switch(device))
        found[Path(file.path).parts[-4]] = file.data.decode()
    return found


def traced_lines(changes: dict[IntentPath, Any], name: str) -> dict[str, LineOrigin]:
    """The lines of one switch's configuration and what they were made from, after some keys have other values."""
    plan, renderer = _compile(changes, (("expect",),), ())
    lowering = Lowering(plan)
    (switch,) = [lowering.lower_switch(device) for device in plan.switches() if plan.device_name(device) == name]
    (file,) = renderer.render_switch(switch)
    return {line.text.strip(): line for line in trace_file(renderer, switch, file.path)}


def _compile(
    changes: dict[IntentPath, Any], without: tuple[IntentPath, ...], shapes: tuple[str, ...]
) -> tuple[FabricPlan, Renderer]:
    """The plan of the fabric, and a renderer for it.

    ``shapes`` names overlays that make another fabric of it; exceptions and expectations are not about one with bonds.
    """
    bag = Bag()
    overlays = [CONFORMANCE / "overlays/eos.yaml", *(CONFORMANCE / f"shapes/{shape}.yaml" for shape in shapes)]
    document = load_document(CONFORMANCE / "fabric.yaml", bag, overlays=overlays)
    assert document is not None
    for path in (*without, *(((key,) for key in ("expect", "exceptions")) if "bonded" in shapes else ())):
        document = document.without(path)
    for path, value in changes.items():
        document = document.replaced(path, value)
    compiled = compile_document(document, CONFORMANCE, bag)
    errors = {found.code for found in bag if found.severity is Severity.ERROR} - {"FG-PLT-065"}  # services left out
    assert not errors, [diagnostic.message for diagnostic in bag]
    assert compiled.plan is not None
    assert compiled.platforms is not None
    return compiled.plan, Renderer(compiled.platforms, bag)
