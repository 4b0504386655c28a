"""Each class of fault in three shapes of fabric on three platforms: code, severity, both places and the hint."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic, Severity

DATA = Path(__file__).resolve().parents[2] / "fabricgen/catalog/data/switches"
PLATFORMS = {"sonic": "arista_7060x6_64pe", "eos": "arista_7060x6_64pe", "cumulus_nvue": "nvidia_sn5600"}
HEAD = """\
# A fabric; no section of it begins on the first line.
fabric: places
hosts:
  gpu:
    server: dgx_h100_8
    nic: connectx7_400g
    per_unit: 4
units:
  count: 2
  max: 4
"""
TIERS = """\
tiers:
  leaf:
    model: @MODEL@
    platform: @PLATFORM@
  spine:
    model: own
    platform: @PLATFORM@
    per: fabric
    count: 2
"""
LINKS = """\
links:
  host-leaf:
    speed: 400G
    cable: {media: mmf, length_m: 30}
  leaf-spine:
    speed: 400G
    cable: {media: smf, length_m: 30}
"""
TAIL = """\
addressing:
  loopbacks: 10.255.0.0/16
operations: {tacacs: {servers: [192.168.0.14], key: {secret: "env:TACACS_KEY"}}}
expect:
  gpus: @GPUS@
"""
PODS = "pods:\n  count: 2\n  max: 2\n"
CORE = "  core:\n    model: @MODEL@\n    platform: @PLATFORM@\n    per: fabric\n    count: 4\n"
CORE_LINKS = "  spine-core:\n    speed: 400G\n    cable: {media: smf, length_m: 30}\n"
SHAPES = {
    "two tiers": (HEAD + TIERS + LINKS + TAIL).replace("@GPUS@", "64"),
    "three tiers": (HEAD + PODS + TIERS.replace("per: fabric", "per: pod") + CORE + LINKS + CORE_LINKS + TAIL).replace(
        "@GPUS@", "128"
    ),
    "whole hosts": (HEAD + "attachment: {group: host}\n" + TIERS + LINKS + TAIL).replace("@GPUS@", "64"),
}


@dataclass(frozen=True)
class Class:
    """A class of faults: what is changed, and what must be reported where.

    ``at`` is a part of the line of the diagnostic, ``beside`` parts of lines it must name beside it.
    """

    code: str
    severity: Severity
    old: str
    new: str
    at: str
    beside: tuple[str, ...]
    hint: str
    file: str = "fabric.yaml"


ERROR, WARNING = Severity.ERROR, Severity.WARNING
CLASSES = {
    "an expectation": Class("FG-EXP-001", ERROR, "  gpus: ", "  gpus: 2", "  gpus: ",
        ("per_unit: 4", "  count: 2", "server:"), "set expect\\.gpus to (64|128) if the plan is right"),
    "a sum that a pool cannot hold": Class("FG-ADR-001", ERROR, "10.255.0.0/16", "10.255.0.0/30", "10.255.0.0/30",
        ("  max: 4", "server:"), "set addressing.loopbacks.ipv4 to 10.255.0.0/2[0-9]"),
    "a sum that ports cannot hold": Class("FG-TOP-009", ERROR, "    per_unit: 4", "    per_unit: 400",
        "    model: @MODEL@", ("per_unit: 400", "server:"), "per_unit"),
    "a section that is not written": Class("FG-PLT-066", WARNING, "expect:", "expect:", "    platform: ", (),
        "operations.(ntp|syslog)"),
    "an unknown model": Class("FG-CAT-001", ERROR, "    server: dgx_h100_8", "    server: dgx_h100_9", "dgx_h100_9", (),
        "did you mean dgx_h100_8"),
    "a file of the catalog": Class("FG-INT-001", ERROR, "\nasic:", "\ncolour: blue\nasic:", "colour:",
        ("    model: own",), "use one of|did you mean", "catalog/switches/own.yaml"),
    "a key that is missing in the catalog": Class("FG-INT-002", ERROR, "\nsource:", "\n# source:", "",
        ("    model: own",), "source", "catalog/switches/own.yaml"),
}  # fmt: skip


def plant(
    shape: str, platform: str, fault: Class | None, folder: Path
) -> tuple[dict[str, list[str]], list[Diagnostic]]:
    """The fabric with a fault: its lines by file, and what is reported about it."""
    model = PLATFORMS[platform]
    own = re.sub(r"(?m)^id: .*$", "id: own", (DATA / f"{model}.yaml").read_text("utf-8"))
    texts = {"fabric.yaml": SHAPES[shape], "catalog/switches/own.yaml": own}
    if fault is not None:
        assert texts[fault.file].count(fault.old) >= 1
        texts[fault.file] = texts[fault.file].replace(fault.old, fault.new, 1)
        if fault.code == "FG-PLT-066":
            texts["fabric.yaml"] = re.sub(r"(?m)^operations: .*\n", "", texts["fabric.yaml"])
    texts["fabric.yaml"] = texts["fabric.yaml"].replace("@MODEL@", model).replace("@PLATFORM@", platform)
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    bag = Bag()
    compiled = compile_inventory(folder, (), bag)
    assert compiled is not None
    return {name: text.split("\n") for name, text in texts.items()}, place_diagnostics(
        bag, compiled.document, compiled.read_as
    )


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_fabrics_have_no_error(shape: str, platform: str, tmp_path: Path) -> None:
    _, found = plant(shape, platform, None, tmp_path)
    assert [item for item in found if item.severity is ERROR] == []


@pytest.mark.sampled(25, of="name,shape,platform")
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_reported_with_both_places_and_a_hint(name: str, shape: str, platform: str, tmp_path: Path) -> None:
    fault = CLASSES[name]
    lines, found = plant(shape, platform, fault, tmp_path)
    told = [item for item in found if item.code == fault.code]
    assert told, [(item.code, item.message) for item in found]
    for item in told:
        assert item.severity is fault.severity
        assert item.place is not None
        assert item.place.file == str(tmp_path / fault.file)
        assert item.place.line > 1
        assert re.search(fault.hint, item.hint), item.hint
    model = PLATFORMS[platform]
    at = fault.at.replace("@MODEL@", model)
    own = lines[fault.file]
    assert any(item.place and at in own[item.place.line - 1] for item in told), [item.place for item in told]
    notes = {note.place.line for item in told for note in item.related if note.place}
    named = {lines["fabric.yaml"][line - 1] for line in notes}
    assert [part for part in fault.beside if not any(part in line for line in named)] == []
