"""Every key of the language has an example, and each example is a document that holds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.diagnostics import Bag, Severity
from fabricgen.intent.workload import load_placement, load_workload, placement_schema, workload_schema
from tests.acceptance.run import diagnose
from tools.docs.key_pages import EXAMPLES, PLACEMENT_EXAMPLE, WORKLOAD_EXAMPLE, list_keys

QUICKSTART = Path(__file__).resolve().parents[2] / "inventories" / "quickstart"
FILES = {
    "assets.csv": "hostname,serial\nspine-01,SN0001\n",
    "board.yaml": (Path(__file__).parents[1] / "fabrics/conformance/board.yaml").read_text(encoding="utf-8"),
    "workloads/llama3-70b.yaml": "name: small\nparallelism: {tensor: 8, data: 8}\nstep: {seconds: 1}\n"
    "messages: [{name: sums, collective: all_reduce, over: data, payload_bytes: 1}]\n",
    "snippets/spine-01.json": '{"FEATURE": {"telemetry": {"state": "enabled"}}}\n',
    "snippets/alpha.json": '{"BUFFER_PROFILE": {"pg_lossless_400000_40m_profile": {"dynamic_th": "1"}}}\n',
    "snippets/timezone.json": '{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo"}}}\n',
}
"""Files that the examples name beside themselves."""
PLATFORMS: tuple[tuple[str, ...], ...] = ((), ("eos",), ("fboss",))
"""Overlays of the inventory; what one platform does not take has its example on another one."""
NOT_RENDERED, LACKED = 900, "FG-PLT-021"
"""Codes from this number on say that something is understood and not implemented; the one that a platform lacks it."""


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inventory the examples are laid over, without what it expects."""
    folder = tmp_path_factory.mktemp("examples") / "quickstart"
    shutil.copytree(QUICKSTART, folder)
    intent = folder / "fabric.yaml"
    lines = intent.read_text(encoding="utf-8").splitlines(keepends=True)
    intent.write_text("".join(line for line in lines if not line.startswith("expect")), encoding="utf-8")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "overlays").mkdir(exist_ok=True)
    return folder


def test_every_key_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(path for path, _, _ in list_keys())


@pytest.mark.sampled(60, of="key")
@pytest.mark.parametrize("key", sorted(EXAMPLES))
def test_example_holds(key: str, inventory: Path) -> None:
    text = EXAMPLES[key]
    assert key.rpartition(".")[2].removesuffix("[]") in text, "the example does not show the key"
    (inventory / "overlays" / "example.yaml").write_text(f"{text}\n", encoding="utf-8")
    faults = []
    for platform in PLATFORMS:
        faults.append(_errors(inventory, (*platform, "example")))
        if not faults[-1]:
            return
    pytest.fail(f"no platform takes it: {faults}")


def _errors(inventory: Path, overlays: tuple[str, ...]) -> list[str]:
    _, bag = diagnose(inventory, *overlays)
    errors = [d for d in bag if d.severity is Severity.ERROR and d.waived is None and d.code != LACKED]
    return [d.message for d in errors if int(d.code.rpartition("-")[2]) < NOT_RENDERED]


@pytest.mark.parametrize(
    ("load", "schema", "example"),
    [(load_workload, workload_schema, WORKLOAD_EXAMPLE), (load_placement, placement_schema, PLACEMENT_EXAMPLE)],
    ids=["workload", "placement"],
)
def test_the_example_of_another_file_holds_and_shows_every_key(
    load: Callable[[Path, Bag], object], schema: Callable[[], dict[str, Any]], example: str, tmp_path: Path
) -> None:
    (tmp_path / "example.yaml").write_text(example, encoding="utf-8")
    bag = Bag()
    assert load(tmp_path / "example.yaml", bag)
    assert list(bag) == []
    models = [schema(), *schema()["$defs"].values()]
    assert [key for model in models for key in model["properties"] if f"{key}:" not in example] == []
