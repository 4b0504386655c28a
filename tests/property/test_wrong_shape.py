"""A secret written in clear in an intent is quoted by no diagnostic, whatever shape it has and wherever it stands."""

from __future__ import annotations

import contextlib
import io
import itertools
import random
import re
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics
from fabricgen.diagnostics import Bag
from tests.acceptance.run import INVENTORIES
from tests.sampling import FRESH

SEEDS = {"seeded": 7, "fresh": FRESH}
SHAPES = (
    *("{t}", "[{t}]", "[[{t}]]", "{{secret: {t}}}", "{{secret: [{t}]}}", "{{{t}: x}}", "{{secret: {{{t}: 1}}}}"),
    *("{{value: {t}}}", "{{secret: env:A, extra: {t}}}", "\n          - {t}", "\n          secret: {t}"),
    *("\n          {t}: x", "|\n          {t}", '"{t}"', "&a {t}", "!!str {t}", '"{t}', "[{t}", "{{secret: {t}"),
)
POSITIONS = (
    *("  snmp: {{community: {v}}}\n", "  snmp:\n      community: {v}\n      location: 5\n", "  snmp: {v}\n"),
    *("  snmp: {{location: 7, community: {v}}}\n", "  snmp: {{password: {v}}}\n", "  snmp: {{comunity: {v}}}\n"),
    *("  tacacs: {{servers: [10.0.0.1], key: {v}}}\n", "  tacacs: {v}\n", "  users: {v}\n", "  users: [{v}]\n"),
    *("  users: [{{name: a, password_hash: {v}}}]\n", "  users:\n    - name: a\n      password_hash: {v}\n"),
    *("  users: [{{name: a, pasword_hash: {v}}}]\n", "  users: [{{name: a, passwd: {v}}}]\n"),
    "  users: [{{name: a, token: {v}}}]\n",
)
SAMPLE = 40


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_no_diagnostic_quotes_a_secret_of_the_intent(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    base = re.sub(r"\noperations: \{[^\n]*", "", (INVENTORIES / "quickstart/fabric.yaml").read_text(encoding="utf-8"))
    assert "operations" not in base
    pairs, checked = list(itertools.product(POSITIONS, SHAPES)), 0
    for number, (position, shape) in enumerate(rng.sample(pairs, SAMPLE)):
        token = rng.choice([f"tOk{rng.randrange(10**9)}Zq", str(10**11 + rng.randrange(10**11))])
        folder = tmp_path / str(number)
        folder.mkdir()
        text = f"{base}\noperations:\n{position.format(v=shape.format(t=token))}"
        (folder / "fabric.yaml").write_text(text, encoding="utf-8")
        bag = Bag()
        compiled = compile_inventory(folder, (), bag)
        assert bag.has_errors, (seed, text)
        for form in DiagnosticFormat:
            told = io.StringIO()
            with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
                print_diagnostics(bag, compiled, form)
            checked += 1
            assert token not in told.getvalue(), (seed, position, shape, form)
    print(f"seed {seed}: {checked} outputs")  # noqa: T201 - figures
