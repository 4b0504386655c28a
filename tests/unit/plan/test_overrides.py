"""Overrides of snippets: who answers for them, and until when."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.reading.semantics import load_semantics
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.render.provenance import trace_file
from fabricgen.tables.tables import list_exceptions
from tests.acceptance.run import plan_of

QUICKSTART = Path(__file__).parents[3] / "inventories/quickstart"
LEAF = "leaf-u001-r0"
OWNED = {"owner": "netops", "expires": "2027-03-31"}


def told(
    folder: Path, platform: str, *snippets: tuple[str, str, dict[str, Any]], today: date | None = None
) -> list[Diagnostic]:
    """Return what the quickstart says with snippets: device, text, and what the exception says of it."""
    shutil.copytree(QUICKSTART, folder, dirs_exist_ok=True)
    base, exceptions = (QUICKSTART / "fabric.yaml").read_text(encoding="utf-8"), []
    for number, (device, text, said) in enumerate(snippets):
        file = f"part{number}.json" if text.startswith("{") else "frr.conf"
        (folder / file).write_text(text, encoding="utf-8")
        raw = {platform: [{"file": file, **said}]}
        exceptions.append({"device": device, "raw": raw, "reason": "a trial"})
    written = f"exceptions: {json.dumps(exceptions)}\n"
    (folder / "fabric.yaml").write_text(base + written, encoding="utf-8")
    bag = Bag()
    compile_inventory(folder, [] if platform == "sonic" else [platform], bag, today=today)
    return list(bag)


def of(found: list[Diagnostic], code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in found if diagnostic.code == code]


def override(*paths: str, owned: bool = True) -> dict[str, Any]:
    return {"overrides": list(paths), **(OWNED if owned else {})}


TIME_ZONE = ('{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo"}}}', "DEVICE_METADATA > localhost > timezone")
ROUTER_ID = tuple(text.replace("timezone", "bgp_router_id").replace("Asia/Tokyo", "10.9.9.9") for text in TIME_ZONE)


def test_what_other_devices_rely_on_needs_an_owner(tmp_path: Path) -> None:
    text, path = ROUTER_ID
    (found,) = of(told(tmp_path, "sonic", (LEAF, text, override(path, owned=False))), "FG-EXC-060")
    at: IntentPath = ("exceptions", f"[{LEAF} raw]", "raw", "sonic", "[part0.json]", "overrides", f"[{path}]")
    assert found.path == at
    assert "owner" in found.hint
    assert "expires" in found.hint


def test_a_matter_of_one_device_needs_none_and_is_no_waiver(tmp_path: Path) -> None:
    text, path = TIME_ZONE
    found = told(tmp_path, "sonic", (LEAF, text, override(path, owned=False)))
    assert {diagnostic.code for diagnostic in found if diagnostic.code.startswith("FG-EXC")} == {"FG-EXC-930"}


def test_a_whole_table_is_no_matter_of_one_device_if_part_of_what_changes_is_none(tmp_path: Path) -> None:
    text = '{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo", "bgp_router_id": "10.9.9.9"}}}'
    found = told(tmp_path, "sonic", (LEAF, text, override("DEVICE_METADATA > localhost", owned=False)))
    assert len(of(found, "FG-EXC-060")) == 1


def test_an_override_that_stands_is_told_like_a_waiver_and_stops_nothing(tmp_path: Path) -> None:
    text, path = ROUTER_ID
    found = told(tmp_path, "sonic", (LEAF, text, override(path)), today=date(2027, 1, 1))
    (standing,) = of(found, "FG-EXC-021")
    assert str(standing.waived) == "by netops until 2027-03-31: a trial"
    assert not [d for d in found if d.code in ("FG-EXC-060", "FG-WVR-002", "FG-WVR-011")]


@pytest.mark.parametrize(
    ("today", "code", "words"),
    [
        (date(2027, 3, 16), "", ""),
        (date(2027, 3, 17), "FG-WVR-011", "in 14 days"),
        (date(2027, 3, 31), "FG-WVR-011", "today"),
        (date(2027, 4, 1), "FG-WVR-002", "expired on 2027-03-31"),
    ],
)
def test_its_last_day_is_announced_and_then_over(today: date, code: str, words: str, tmp_path: Path) -> None:
    text, path = ROUTER_ID
    found = told(tmp_path, "sonic", (LEAF, text, override(path)), today=today)
    dated = [diagnostic for diagnostic in found if diagnostic.code.startswith("FG-WVR")]
    assert [diagnostic.code for diagnostic in dated] == ([code] if code else [])
    assert all(words in diagnostic.message and diagnostic.path[-1] == "expires" for diagnostic in dated)
    (standing,) = of(found, "FG-EXC-021")
    assert (standing.waived is None) == (code == "FG-WVR-002")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"overrides": ["A > B"], "owner": "netops"}, "has owner without expires"),
        ({"owner": "netops", "expires": "2027-03-31"}, "has owner without overrides"),
        ({"overrides": ["A > B"], "owner": "netops", "expires": "2027-02-30"}, "is not a day of the calendar"),
    ],
)
def test_half_of_an_owner_is_refused(said: dict[str, Any], words: str, tmp_path: Path) -> None:
    found = told(tmp_path, "sonic", (LEAF, TIME_ZONE[0], said))
    assert any(words in diagnostic.message for diagnostic in found)


def test_show_exceptions_names_what_is_overridden_for_whom_and_until_when(tmp_path: Path) -> None:
    text, path = ROUTER_ID
    told(tmp_path, "sonic", (LEAF, text, override(path)))
    (row,) = list_exceptions(plan_of(tmp_path))
    assert row["what"] == f"part0.json overrides {path} (netops, until 2027-03-31)"


@pytest.mark.sampled(2, of="overlays")
@pytest.mark.parametrize(
    "overlays", [(), ("eos",), ("fboss",), ("frr",)], ids=lambda names: names[0] if names else "sonic"
)
def test_no_local_matter_comes_from_what_devices_share(overlays: tuple[str, ...]) -> None:
    """Provenance judges the tables of the platforms."""
    made = compile_inventory(QUICKSTART, overlays, Bag())
    switch = Lowering(made.plan).lower_switch(next(made.plan.switches()))
    spec, renderer = made.platforms[switch.cls.platform], Renderer(made.platforms, Bag())
    wrong = []
    for file in renderer.render_switch(switch):
        output = next(o for o in spec.outputs if tree_folder(switch) + o.path == file.path)
        file_format = spec.platform.format_of(output.path)
        semantics = load_semantics(template_root(), output.semantics, Bag(), file_format)
        if semantics is None or not any(rule.local for rule in semantics.rules):
            continue
        text, lines = file.data.decode(), trace_file(renderer, switch, file.path)
        for steps in leafs(file_format.read(text)):
            meaning = semantics.root
            for step in steps:
                meaning = meaning.child(step)
            at = file_format.locate(text, steps)
            roots = {path[0] for path in lines[at - 1].text_paths(switch)} if at else set()
            # Words for people name neighbours by address and switches by AS number.
            described = steps[-1].endswith(("description", "motd"))
            if meaning.is_local and not described and roots & {"lossless", "addressing", "routing", "attachment"}:
                wrong.append(steps)
    assert wrong == []


def leafs(tree: dict[str, Any], steps: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, value in tree.items():
        found += leafs(value, (*steps, key)) if isinstance(value, dict) else [(*steps, key)]
    return found
