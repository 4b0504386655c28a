"""The generated files are what the code says, and the pages leave nothing out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fabricgen.api.schemas import FILES
from fabricgen.intent.fabric import intent_schema

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"


def write(folder: Path, *words: str) -> Path:
    """Write pages in an interpreter in which no test has declared codes of its own."""
    subprocess.run([sys.executable, "-m", "tools.docs", str(folder), *words], cwd=REPOSITORY, check=True)
    return folder


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files but those whose figures come from compiling and running inventories."""
    return write(tmp_path_factory.mktemp("generated"), "--quick")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files."""
    return write(tmp_path_factory.mktemp("measured"))


def test_every_page_of_a_key_is_what_the_code_says(generated: Path) -> None:
    wanted = {page.name: page.read_text(encoding="utf-8") for page in (generated / "docs/reference").iterdir()}
    assert {page.name: page.read_text(encoding="utf-8") for page in (DOCS / "reference").iterdir()} == wanted
    assert sorted(wanted) == sorted(f"{key}.md" for key in [*intent_schema()["properties"], "placement"])


@pytest.mark.parametrize(
    "name",
    [
        *(
            f"docs/{page}.md"
            for page in ("reference", "codes", "capabilities", "known-faults", "architecture", "physics")
        ),
        "docs/images/quickstart.svg",
        *(f"inventories/{kind}.schema.json" for kind in FILES),
    ],
)
def test_the_file_is_what_the_code_says(generated: Path, name: str) -> None:
    expected = (generated / name).read_text(encoding="utf-8")
    assert (REPOSITORY / name).read_text(encoding="utf-8") == expected, "stale; run: make docs"


@pytest.mark.nightly
def test_pages_of_inventories_have_the_figures_that_come_out(measured: Path) -> None:
    pages = [REPOSITORY / "README.md", *REPOSITORY.glob("inventories/*/README.md")]
    stale = [str(page) for page in pages if page.read_text() != (measured / page.relative_to(REPOSITORY)).read_text()]
    assert stale == [], "run: make docs"


def test_every_key_of_the_schema_has_an_entry() -> None:
    schema = intent_schema()
    keys = [key for model in [schema, *schema["$defs"].values()] for key in model["properties"]]
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").iterdir())
    headings = re.findall(r"^##? `(.*)`$", pages, re.MULTILINE)
    assert sorted(heading.rpartition(".")[2] for heading in headings) == sorted(keys)
