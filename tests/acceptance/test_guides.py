"""Fabrics that a guide published whole are rendered as the guide configures them, figure by figure.

``guides`` has one file per inventory: what the guide says, with its source, and what of it the overlay does not bring
about. The rendered text is read by the judges' reader, which knows nothing of the product.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.acceptance.guide_facts import read_fact
from tests.acceptance.run import INVENTORIES, render
from tests.judges.crossread import Fabric, read_tree

GUIDES: dict[str, dict[str, Any]] = {
    path.stem: yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    for path in sorted((Path(__file__).parent / "guides").glob("*.yaml"))
}
ROWS = [(name, k, r) for name, guide in GUIDES.items() for k in ("reproduced", "not_reproduced") for r in guide[k]]
FACTS = [pytest.param(name, row, id=f"{name}: {row['what']}") for name, kind, row in ROWS if kind == "reproduced"]
OTHERS = [
    pytest.param(name, row, id=f"{name}: {row['what']}")
    for name, kind, row in ROWS
    if kind == "not_reproduced" and "fact" in row
]

Reading = Callable[[str], tuple[Fabric, Path]]


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """Inventories under the overlay of their guide, each rendered and read once."""

    @cache
    def of(name: str) -> tuple[Fabric, Path]:
        out = tmp_path_factory.mktemp(name) / "out"
        render(INVENTORIES / name, out, "--overlay", GUIDES[name]["overlay"])
        fabric = read_tree(out)
        assert [problem for device in fabric.devices.values() for problem in device.problems] == []
        return fabric, out

    return of


def renamed(said: Any, names: dict[str, str]) -> Any:
    """Return what a guide says, with the rendered fabric's names of ports in the place of its own."""
    if isinstance(said, dict):
        return {renamed(key, names): renamed(value, names) for key, value in said.items()}
    if isinstance(said, list):
        return [renamed(each, names) for each in said]
    if not isinstance(said, str):
        return said
    return re.sub(r"(?<![\w/])\w+(?![\w/])", lambda word: names.get(word[0], word[0]), said)


def leafs(said: Any) -> list[Any]:
    """Return every single value of what a guide says, in order."""
    if isinstance(said, dict):
        return [leaf for each in said.values() for leaf in leafs(each)]
    return [said]


@pytest.mark.parametrize(("name", "row"), FACTS)
def test_the_fabric_is_configured_as_the_guide_says(name: str, row: dict[str, Any], reading: Reading) -> None:
    said = renamed(row["is"], GUIDES[name]["names"])
    assert read_fact(row["fact"], *reading(name), said) == said


def wrong(said: Any) -> Any:
    """Return what a guide says with its first value changed to another of its kind."""
    if isinstance(said, dict):
        first, *_ = said
        return {**said, first: wrong(said[first])}
    if isinstance(said, list):
        return [wrong(said[0]), *said[1:]]
    if isinstance(said, bool):
        return not said
    if isinstance(said, int):
        return said + 1
    digit = re.search(r"\d(?=\D*$)", said)
    return said[: digit.start()] + str((int(digit[0]) + 1) % 10) + said[digit.end() :] if digit else f"{said} not"


@pytest.mark.parametrize(("name", "row"), FACTS)
def test_another_figure_would_be_noticed(name: str, row: dict[str, Any], reading: Reading) -> None:
    said = renamed(wrong(row["is"]), GUIDES[name]["names"])
    assert said != renamed(row["is"], GUIDES[name]["names"])
    assert read_fact(row["fact"], *reading(name), said) != said


@pytest.mark.parametrize(("name", "row"), OTHERS)
def test_what_is_listed_as_different_is_different(name: str, row: dict[str, Any], reading: Reading) -> None:
    said = renamed(row["is"], GUIDES[name]["names"])
    found = leafs(read_fact(row["fact"], *reading(name), said))
    assert [value for value, other in zip(leafs(said), found, strict=True) if value == other] == []


@pytest.mark.parametrize("name", GUIDES)
def test_the_page_of_the_inventory_names_every_difference(name: str) -> None:
    page = yaml.safe_load((INVENTORIES / name / "published.yaml").read_text(encoding="utf-8"))
    assert [row["what"] for row in page["differs"]] == [row["what"] for row in GUIDES[name]["not_reproduced"]]


@pytest.mark.parametrize("name", GUIDES)
def test_every_fact_has_a_source(name: str) -> None:
    guide = GUIDES[name]
    rows = [*guide["reproduced"], *guide["not_reproduced"]]
    assert {re.split(r"[:;]", row["source"])[0] for row in rows} <= guide["sources"].keys()
