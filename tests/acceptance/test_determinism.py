"""Same intent, same bytes (law 6)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from tests.acceptance.run import REPOSITORY, copy_inventory, read_tree, render, run
from tests.sampling import shuffled


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The tree of rail-1k, rendered plainly."""
    out = tmp_path_factory.mktemp("reference") / "out"
    render(REPOSITORY / "inventories/rail-1k", out, env={"PYTHONHASHSEED": "0"})
    return read_tree(out)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "env"),
    [
        (("--jobs", "2"), {}),
        ((), {"PYTHONHASHSEED": "4711"}),
        (("--verify",), {"TZ": "Pacific/Chatham", "LC_ALL": "C", "PYTHONHASHSEED": "1"}),
    ],
)
def test_neither_processes_nor_seeds_nor_clocks_matter(
    words: tuple[str, ...], env: dict[str, str], reference: dict[str, bytes], tmp_path: Path
) -> None:
    render(REPOSITORY / "inventories/rail-1k", tmp_path / "out", *words, env=env)
    assert read_tree(tmp_path / "out") == reference


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_keys_does_not_matter(seed: int, reference: dict[str, bytes], tmp_path: Path) -> None:
    inventory = copy_inventory("rail-1k", tmp_path / "shuffled")
    data = yaml.safe_load((inventory / "fabric.yaml").read_text())
    text = yaml.safe_dump(shuffled(data, random.Random(seed)), sort_keys=False)
    assert text != yaml.safe_dump(data, sort_keys=False)
    (inventory / "fabric.yaml").write_text(text)
    render(inventory, tmp_path / "out")
    assert read_tree(tmp_path / "out") == reference


def test_neither_the_folder_nor_a_second_run_matter(reference: dict[str, bytes], tmp_path: Path) -> None:
    copy_inventory("rail-1k", tmp_path / "elsewhere")
    for _ in range(2):
        done = run("render", "elsewhere", "-o", "out", cwd=tmp_path).exits(0)
    assert "0 written" in done.stderr
    assert read_tree(tmp_path / "out") == reference
