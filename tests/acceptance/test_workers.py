"""Rendering in several processes: none of them loads what only the front of the pipeline needs."""

from __future__ import annotations

import os
from pathlib import Path

from tests.acceptance.run import INVENTORIES, REPOSITORY, run


def test_the_command_starts_such_processes(tmp_path: Path) -> None:
    """Every process of the command writes down what it had loaded when it ended."""
    (tmp_path / "loaded").mkdir()
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, os, pathlib, sys\n"
        f"folder = pathlib.Path({str(tmp_path / 'loaded')!r})\n"
        "atexit.register(lambda: (folder / str(os.getpid())).write_text(' '.join(sys.modules)))\n"
    )
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(REPOSITORY)])}
    run("render", INVENTORIES / "quickstart", "-o", "out", "--jobs", "2", cwd=tmp_path, env=env).exits(0)
    ended = [{name.partition(".")[0] for name in file.read_text().split()} for file in (tmp_path / "loaded").iterdir()]
    workers = [loaded for loaded in ended if "jinja2" in loaded and "pydantic" not in loaded]
    assert len(workers) == 2
    assert not any({"pydantic_core", "netaddr", "ruamel"} & loaded for loaded in workers)
    assert any({"pydantic", "ruamel"} <= loaded for loaded in ended), "the command itself was not seen"
