"""A secret in the place or the shape of a reference to one is in no diagnostic, whatever the format."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from fabricgen.cli.output import hide_secrets
from fabricgen.diagnostics import Diagnostic, Place, Severity
from tests.acceptance.run import diagnose
from tests.property.test_redaction import printed
from tests.sampling import FRESH, sampled

QUICKSTART = Path(__file__).resolve().parents[2] / "inventories/quickstart/fabric.yaml"
SHAPES = (
    *("{t}", "[{t}]", "[[{t}]]", "{{secret: {t}}}", "{{secret: [{t}]}}", "{{{t}: x}}", "{{secret: {{{t}: 1}}}}"),
    *("{{value: {t}}}", "{{secret: env:A, extra: {t}}}", "\n          - {t}", "\n          secret: {t}"),
    *("\n          {t}: x", "|\n          {t}", '"{t}"', "&a {t}", "!!str {t}", '"{t}', "[{t}", "{{secret: {t}"),
)
POSITIONS = (
    *("  snmp: {{community: {v}}}\n", "  snmp:\n      community: {v}\n      location: 5\n"),
    *("  snmp: {{location: 7, community: {v}}}\n", "  snmp: {v}\n", "  snmp: {{password: {v}}}\n"),
    *("  snmp: {{comunity: {v}}}\n", "  tacacs: {{servers: [10.0.0.1], key: {v}}}\n", "  tacacs: {v}\n"),
    *("  users: [{{name: ops, password_hash: {v}}}]\n", "  users: {v}\n", "  users: [{v}]\n"),
    *("  users:\n    - name: ops\n      password_hash: {v}\n", "  users: [{{name: ops, pasword_hash: {v}}}]\n"),
    *("  users: [{{name: ops, passwd: {v}}}]\n", "  users: [{{name: ops, token: {v}}}]\n"),
)
SECRETS = ("tOk7Zq9xW2", "918273645501")
ALL = tuple(product(POSITIONS, SHAPES, SECRETS))
SAMPLE = 24


@pytest.mark.parametrize("seed", [str(FRESH)], ids=["fresh"])
def test_no_diagnostic_tells_a_secret_in_the_wrong_shape(seed: str, tmp_path: Path) -> None:
    """Positions, shapes and kinds of secret by lot; all of them where everything is asked for."""
    base = re.sub(r"\noperations: \{.*?\n(?=\S|$)", "\n", QUICKSTART.read_text(), flags=re.DOTALL)
    assert "\noperations:" not in base
    found = []
    for position, shape, secret in sampled(ALL, SAMPLE, seed):
        written = position.format(v=shape.format(t=secret))
        (tmp_path / "fabric.yaml").write_text(f"{base}\noperations:\n{written}")
        compiled, bag = diagnose(tmp_path)
        assert bag.has_errors, written
        for told in printed(bag, compiled):
            assert told
            if secret in told:
                found.append((written, told[:2000]))
    assert not found, (seed, len(found), found[:3])


@pytest.mark.parametrize(("code", "is_shown"), [("FG-PLT-021", True), ("FG-INT-001", False)])
def test_line_of_a_section_is_quoted_whole_where_its_secrets_are_in_their_places(code: str, *, is_shown: bool) -> None:
    lines = ["operations:", '  tacacs: {servers: [192.168.0.12], key: {secret: "env:TACACS_KEY"}}']
    found = Diagnostic(code, Severity.ERROR, "", ("operations", "tacacs"), place=Place("fabric.yaml", 2, 3))
    assert (hide_secrets(lines, [found]) == lines) is is_shown
