"""The conformance fabric under EOS, with keys changed: startup-configs by host name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabricgen.api.compile import compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, IntentPath, Severity
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document

CONFORMANCE = Path(__file__).parents[2] / "fabrics" / "conformance"
SEED_WARNING = "FG-RTE-904"


def startup_configs(
    changes: dict[IntentPath, Any] | None = None,
    *,
    without: tuple[IntentPath, ...] = (),
    shapes: tuple[str, ...] = (),
) -> dict[str, str]:
    """Every switch's configuration, after some keys have other values or are left out, or in another shape.

    ``shapes`` names overlays that make another fabric of it; exceptions and expectations are not about one with bonds.
    """
    bag = Bag()
    overlays = [CONFORMANCE / "overlays/eos.yaml", *(CONFORMANCE / f"shapes/{shape}.yaml" for shape in shapes)]
    document = load_document(CONFORMANCE / "fabric.yaml", bag, overlays=overlays)
    assert document is not None
    for path in (*without, *(((key,) for key in ("expect", "exceptions")) if "bonded" in shapes else ())):
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
        (file,) = renderer.render_switch(lowering.lower_switch(device))
        found[Path(file.path).parts[-4]] = file.data.decode()
    return found
