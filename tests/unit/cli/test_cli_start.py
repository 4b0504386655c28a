"""Modules that a command loads: none for other verbs, formats or tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fabricgen.cli.verb import VERBS

REPOSITORY = Path(__file__).parents[3]
CODE = """
import sys
from pathlib import Path
from fabricgen.cli.app import main
names = Path(sys.argv.pop(1))
code = main()
names.write_text(" ".join(sys.modules))
sys.exit(code)
"""
ALWAYS = {
    "asyncio", "concurrent.futures", "html", "http", "multiprocessing", "ssl", "unittest", "urllib.request", "xml",
    "hier_config", "jinja2", "markdown_it", "pygments", "rich", "yaml",
    "fabricgen.collect", "fabricgen.diff", "fabricgen.lab", "fabricgen.render",
    "fabricgen.api.diff", "fabricgen.api.explain", "fabricgen.api.init", "fabricgen.snippets.changed",
    "fabricgen.api.render",
    "fabricgen.diagnostics.writers.junit", "fabricgen.platforms.reading.redaction",
    "fabricgen.device.origins", "fabricgen.plan.model.origin_keys",
}  # fmt: skip
"""Neither a validation nor a plain question needs any of these."""
WRITERS = {f"fabricgen.diagnostics.writers.{name}" for name in ("github", "json_", "junit", "sarif")}
OTHER_VERBS = {f"fabricgen.cli.{name}" for name in VERBS if name not in ("validate", "completion")}
STAGES = {f"fabricgen.{name}" for name in ("api", "compiler", "intent", "platforms", "source")}
STAGES |= {"netaddr", "pydantic", "ruamel"}


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (("validate", "inventories/rail-1k"), ALWAYS | WRITERS | OTHER_VERBS | {"fabricgen.device.model"}),
        (("show", "inventories/quickstart", "summary", "--format", "json"), ALWAYS | WRITERS),
        (("--version",), ALWAYS | WRITERS | STAGES),
    ],
)
def test_a_command_loads_nothing_that_it_does_not_use(
    tmp_path: Path, arguments: tuple[str, ...], needless: set[str]
) -> None:
    loaded = load(tmp_path, *arguments)
    assert "fabricgen.cli.gate" in loaded
    assert not needless & loaded


def test_a_format_brings_its_own_writer_only(tmp_path: Path) -> None:
    loaded = load(tmp_path, "validate", "inventories/quickstart", "--format", "junit")
    assert {"fabricgen.diagnostics.writers.junit", "xml"} <= loaded
    assert not (WRITERS - {"fabricgen.diagnostics.writers.junit"}) & loaded


def load(folder: Path, *arguments: str) -> set[str]:
    """Run a command in an interpreter of its own; the names of all modules that it has loaded in the end."""
    names = folder / "modules"
    command = (sys.executable, "-c", CODE, str(names), *arguments)
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(names.read_text().split())
