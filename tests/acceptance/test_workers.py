"""Rendering in several processes: none of them loads what only the front of the pipeline needs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.render.work import Settings, list_jobs, run_jobs
from tests.acceptance.run import INVENTORIES, REPOSITORY, run
from tests.acceptance.spies import ModuleSpy

QUICKSTART = INVENTORIES / "quickstart"


@pytest.mark.nightly
def test_processes_that_render_a_fabric_stay_light() -> None:
    compiled = compile_inventory(QUICKSTART, (), Bag())
    settings = Settings(compiled.plan, compiled.platforms, "*-u001-*")
    results = run_jobs(settings, ModuleSpy(), list_jobs(compiled.plan), 2)
    records = [record for result in results for record in result.records]
    assert {record.path.split("/")[0] for record in records if record.size} == {"hosts", "switches"}
    for record in records:
        process, *loaded = record.digest.split()
        assert process != str(os.getpid())
        assert {"fabricgen", "jinja2"} <= set(loaded)
        assert not {"pydantic", "pydantic_core", "netaddr", "ruamel"} & set(loaded)


def test_the_command_starts_such_processes(tmp_path: Path) -> None:
    """Every process of the command writes down what it had loaded when it ended."""
    (tmp_path / "loaded").mkdir()
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, os, pathlib, sys\n"
        f"folder = pathlib.Path({str(tmp_path / 'loaded')!r})\n"
        "atexit.register(lambda: (folder / str(os.getpid())).write_text(' '.join(sys.modules)))\n"
    )
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(REPOSITORY)])}
    run("render", str(QUICKSTART), "-o", "out", "--jobs", "2", cwd=tmp_path, env=env).exits(0)
    ended = [{name.partition(".")[0] for name in file.read_text().split()} for file in (tmp_path / "loaded").iterdir()]
    workers = [loaded for loaded in ended if "jinja2" in loaded and "pydantic" not in loaded]
    assert len(workers) == 2
    assert not any({"netaddr", "ruamel"} & loaded for loaded in workers)
    assert any({"pydantic", "ruamel"} <= loaded for loaded in ended), "the command itself was not seen"
