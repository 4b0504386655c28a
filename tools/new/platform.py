"""A new switch platform: a manifest that answers every capability with nothing, one template, and the notes."""

from __future__ import annotations

from pathlib import Path

from fabricgen.platforms.manifest.answers import written_value
from fabricgen.platforms.manifest.capabilities import fields_of
from tools.new.files import FILL_IN, FILLED_IN, Files, check_name

_MANIFEST = """\
# {fill}: the software and the files it reads. Reasons and sources: NOTES.md.
platform: {name}
kind: switch
target: "{fill}: the release that the templates are for"

capabilities:
{capabilities}
outputs:
  - path: etc/{name}.conf
    format: text
    mode: "0600"
    parts:
      - {{template: {name}.conf.j2, scope: device}}
"""
_TEMPLATE = """\
{{#- One switch. Reads: device.name. -#}}
{{# {fill}: the configuration #}}
hostname {{{{ device.name }}}}
"""
_NOTES = """\
# {name}

{fill}: target, sources, how it was verified.

## Decisions

| knob | what and why | source | verified |
|---|---|---|---|
| {fill} | {fill} | {fill} | {fill} |

## Dual-ToR

{fill}: what renders of bonds and shared subnets, or why nothing does.

## Capabilities

| knob | what and why | source | verified |
|---|---|---|---|
{rows}"""
_OVERLAY = """\
# The conformance fabric on {name}.
tiers:
  leaf: {{platform: {name}}}
  spine: {{platform: {name}}}
  core: {{platform: {name}}}
"""


def new_platform(root: Path, name: str) -> tuple[Files, list[str]]:
    """Return the files of a new switch platform, and the tests to run.

    Args:
        root: The repository.
        name: The platform's name, as an intent writes it.

    Raises:
        RefusedError: The name is none.
    """
    del root
    folder = f"templates/switch/{check_name(name)}"
    fields = fields_of("switch")
    answers = "".join(f"  {key}: {written_value(field, field.nothing)}\n" for key, field in fields.items())
    rows = "".join(f"| `{key}` | {FILL_IN} | {FILL_IN} | {FILL_IN} |\n" for key in fields)
    files = {
        f"{folder}/platform.yaml": _MANIFEST.format(name=name, capabilities=answers, fill=FILL_IN),
        f"{folder}/{name}.conf.j2": _TEMPLATE.format(fill=FILL_IN),
        f"{folder}/NOTES.md": _NOTES.format(name=name, rows=rows, fill=FILL_IN),
        f"tests/fabrics/conformance/overlays/{name}.yaml": _OVERLAY.format(name=name),
    }
    return files, [FILLED_IN, "tests/unit/platforms/test_platform_shipped.py", "-k", f"{name} or filled"]
