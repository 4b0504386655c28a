"""The inventories that ship: they validate, and the schema that editors get describes them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from fabricgen.api.schemas import FILES
from fabricgen.diagnostics import Severity
from tests.acceptance.run import diagnose
from tests.command_line import run_here
from tests.meta.declarations import REPOSITORY

INVENTORIES = REPOSITORY / "inventories"
KIND_OF = {"overlays": "overlay", "workloads": "workload", "placements": "placement"}
"""Kind of the files of a folder; others are named after their kind."""
SHIPPED = sorted(path.parent for path in INVENTORIES.glob("*/fabric.yaml"))
FABRICS = [*SHIPPED, *sorted(path.parent for path in (REPOSITORY / "tests" / "fabrics").glob("*/fabric.yaml"))]


@cache
def _schema(kind: str = "intent") -> Draft202012Validator:
    return Draft202012Validator(json.loads((INVENTORIES / f"{kind}.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("folder", FABRICS, ids=lambda folder: folder.name)
def test_inventory_has_no_errors(folder: Path) -> None:
    """And one that ships warns of nothing that nobody explains."""
    compiled, bag = diagnose(folder)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    assert compiled.plan.name == folder.name
    unexplained = [(d.code, d.message) for d in bag if d.severity is Severity.WARNING and d.waived is None]
    assert unexplained == [] or folder not in SHIPPED


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_overlay_of_an_inventory_has_no_errors(folder: Path) -> None:
    for overlay in sorted((folder / "overlays").glob("*.yaml")):
        _, bag = diagnose(folder, overlay.stem)
        assert [d.message for d in bag if d.severity is Severity.ERROR] == [], overlay.name


@pytest.mark.parametrize("kind", FILES)
def test_the_shipped_schemas_are_schemas_and_what_the_command_prints(kind: str) -> None:
    text = (INVENTORIES / f"{kind}.schema.json").read_text(encoding="utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    assert run_here("schema", kind).stdout == text


def test_every_file_names_its_schema_which_accepts_it() -> None:
    seen = set()
    for path in [path for folder in FABRICS for path in folder.rglob("*.yaml")]:
        kind = KIND_OF.get(path.parent.name, path.stem)
        if kind not in FILES and kind != "fabric":
            continue
        kind = "intent" if kind == "fabric" else kind
        text = path.read_text(encoding="utf-8")
        if path.is_relative_to(INVENTORIES):
            named = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
            assert (path.parent / named).resolve() == INVENTORIES / f"{kind}.schema.json", path
        # Dates of waivers are texts to editors.
        written = yaml.load(text, yaml.BaseLoader) if kind == "waivers" else yaml.safe_load(text)
        assert [f"{path}: {error.message}" for error in _schema(kind).iter_errors(written)] == []
        seen.add(kind)
    assert seen == set(FILES)


def test_schemas_propose_names_and_take_others() -> None:
    models = json.loads((INVENTORIES / "intent.schema.json").read_text(encoding="utf-8"))["$defs"]
    tier = models["TierIntent"]["properties"]
    for key, name in (("model", "arista_7060x6_64pe"), ("platform", "sonic"), ("release", "202505")):
        assert name in tier[key]["anyOf"][0]["enum"]
        assert tier[key]["description"]
    for kind in ("intent", "overlay"):
        written = yaml.safe_load((INVENTORIES / "quickstart/fabric.yaml").read_text(encoding="utf-8"))
        written["tiers"]["leaf"]["model"] = "a_box_of_ours"
        assert not list(_schema(kind).iter_errors(written))
        for key, value in (("operatoins", {}), ("tiers", {"leaf": {"model": 7}})):
            assert list(_schema(kind).iter_errors({**written, key: value})), key
    assert list(_schema("waivers").iter_errors([{"code": "FG-BUF-980", "owner": "me"}]))
    assert list(_schema("overlay").iter_errors({"tiers": {"leaf": {"modle": "x"}}}))


def test_a_catalog_of_ones_own_is_proposed_too() -> None:
    own = INVENTORIES / "hpn7-pod/catalog"
    found = json.loads(run_here("schema", "--catalog", own).stdout)
    names = found["$defs"]["HostGroupIntent"]["properties"]["server"]["anyOf"][0]["enum"]
    assert {"alibaba_hpn_host", "dgx_h100_8"} <= set(names)


def test_inventories_with_a_sample_board_say_that_no_agent_starts_with_it() -> None:
    texts = [path.read_text(encoding="utf-8") for path in INVENTORIES.rglob("*.yaml")]
    named = [text for text in texts if "boards/sample_" in text]
    assert named
    assert not [text for text in named if "# No agent starts with the sample boards" not in text[:500]]
