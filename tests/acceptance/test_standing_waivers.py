"""Waivers, and values that snippets override, are in every report as long as they apply; tables count them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.run import copy_inventory, run

LEAF = "leaf-u001-r0"
OVERRIDE = "DEVICE_METADATA > localhost > bgp_router_id"
EXCEPTIONS = f"""\
exceptions:
  - device: {LEAF}
    raw:
      sonic:
        - {{file: zone.json, overrides: ["{OVERRIDE}"], owner: netops, expires: @DAY@}}
    reason: a vendor case
"""
WAIVERS = '- {code: FG-TOP-020, path: "*", owner: cabling, expires: @DAY@, reason: measured}\n'
STANDS, OVER = "2099-12-31", "2020-01-01"


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickstart with a waived cable and an override; its rendered tree lies beside it."""
    folder = tmp_path_factory.mktemp("standing") / "inventory"
    copy_inventory("quickstart", folder, {"mmf, length_m: 3": "aec, length_m: 8"})
    write(folder, STANDS)
    return folder


@pytest.fixture(scope="module")
def tree(inventory: Path) -> Path:
    shows_both(run("render", str(inventory), "-o", str(inventory.parent / "out")).exits(0).stderr)
    return inventory.parent / "out"


def write(folder: Path, day: str) -> None:
    text = (folder / "fabric.yaml").read_text(encoding="utf-8").partition("exceptions:")[0]
    (folder / "fabric.yaml").write_text(text + EXCEPTIONS.replace("@DAY@", day), encoding="utf-8")
    (folder / "waivers.yaml").write_text(WAIVERS.replace("@DAY@", day), encoding="utf-8")
    router_id = {"DEVICE_METADATA": {"localhost": {"bgp_router_id": "10.9.9.9"}}}
    (folder / "zone.json").write_text(json.dumps(router_id), encoding="utf-8")


def shows_both(text: str) -> None:
    assert "FG-TOP-020" in text
    assert "by cabling until 2099-12-31: measured" in text
    assert "FG-EXC-021" in text
    assert "by netops until 2099-12-31" in text


@pytest.mark.parametrize(
    "words",
    [
        "show @IN@ summary",
        "show @IN@ devices --format csv",
        "analyze @IN@ capacity --format json",
        "lab export containerlab @IN@ -o @OUT@",
    ],
)
def test_other_commands_on_an_inventory_count_what_is_waived(words: str, inventory: Path, tmp_path: Path) -> None:
    order = words.replace("@IN@", str(inventory)).replace("@OUT@", str(tmp_path / "lab")).split()
    done = run(*order).exits(0)
    counted = [line for line in done.stderr.splitlines() if "waived" in line]
    assert counted == ["2 diagnostics waived (FG-EXC-021, FG-TOP-020); fabricgen validate shows them"]
    if "json" in words:
        json.loads(done.stdout)


def test_validate_shows_what_is_waived(inventory: Path) -> None:
    shows_both(run("validate", str(inventory)).exits(0).stderr)


@pytest.mark.sampled(2, of="form,side")
@pytest.mark.parametrize("side", ["inventory", "out"])
@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif", "junit"])
def test_diff_shows_what_is_waived(form: str, side: str, inventory: Path, tree: Path) -> None:
    done = run("diff", str(inventory.parent / side), str(tree), "--format", form, cwd=inventory.parent).exits(0)
    printed = done.stderr if form == "text" else done.stdout
    if form == "json":
        waived = {item["code"]: item["waived"]["owner"] for item in json.loads(printed)["diagnostics"]}
        assert waived == {"FG-TOP-020": "cabling", "FG-EXC-021": "netops"}
    else:
        shows_both(printed)


@pytest.mark.nightly
def test_explain_shows_what_is_waived(inventory: Path, tree: Path) -> None:
    file = next((tree / "switches" / LEAF).rglob("config_db.json"))
    shows_both(run("explain", f"{file}:3", cwd=inventory.parent).stderr)
    shows_both(run("explain", f"{file}:3", "--inventory", str(inventory), cwd=tree).stderr)


def test_diff_ends_with_a_waiver(tree: Path, inventory: Path, tmp_path: Path) -> None:
    late = copy_inventory("quickstart", tmp_path / "late", {"mmf, length_m: 3": "aec, length_m: 8"})
    write(late, OVER)
    assert "FG-WVR-002" in run("diff", str(late), str(tree)).exits(1).stderr
    run("diff", str(inventory), str(late)).exits(0, 3)  # what was deployed is judged by no date
