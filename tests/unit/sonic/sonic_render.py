"""Rendering the platform's parts without the engine, and finding its judges."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fabricgen.device.model import Switch
from fabricgen.platforms.sonic.view import class_view, device_view

FOLDER = Path(__file__).parents[3] / "templates" / "switch" / "sonic"
MANIFEST: dict[str, Any] = yaml.safe_load((FOLDER / "platform.yaml").read_text())
CONFIG_DB, FRR_CONF = (output["path"] for output in MANIFEST["outputs"])
RESOLVED = {"@fabricgen-secret:env:SNMP_COMMUNITY@": "fabric-ro", "@fabricgen-secret:file:secrets/tacacs.key@": "key1"}

ENVIRONMENT = Environment(
    loader=FileSystemLoader(FOLDER),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
ENVIRONMENT.globals.clear()
ENVIRONMENT.filters["json"] = json.dumps
ENVIRONMENT.filters["cli"] = str


def render(device: Switch) -> dict[str, str]:
    """Every output of the platform for one switch, by path."""
    cls = class_view(device.cls)
    view = device_view(device, cls)
    files = {}
    for output in MANIFEST["outputs"]:
        parts = []
        for part in output["parts"]:
            context = {"cls": cls} if part["scope"] == "class" else {"cls": cls, "device": view}
            text = ENVIRONMENT.get_template(part["template"]).render(context)
            parts.append(text.strip() if output["format"] == "json" else text)
        present = [part for part in parts if part]
        json_text = "{\n" + ",\n".join(present) + "\n}\n"
        files[output["path"]] = json_text if output["format"] == "json" else "".join(present)
    return files


def config_db(device: Switch) -> dict[str, Any]:
    """The switch's config_db.json as data; a key given twice is an error."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"given twice: {sorted(key for key in keys if keys.count(key) > 1)}"
        return dict(pairs)

    data: dict[str, Any] = json.loads(render(device)[CONFIG_DB], object_pairs_hook=unique)
    return data


def frr_lines(device: Switch) -> list[str]:
    """The lines of the switch's frr.conf, without indentation."""
    return [line.strip() for line in render(device)[FRR_CONF].splitlines()]


def judge(name: str) -> Path | None:
    """A judge by name, from the folders that FABRICGEN_JUDGES lists."""
    folders = [Path(folder) for folder in os.environ.get("FABRICGEN_JUDGES", "").split(os.pathsep) if folder]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def config_db_findings(device: Switch, tmp_path: Path) -> list[str] | None:
    """What the judge of config_db.json finds, secrets resolved, warnings included; None if it is not there."""
    tool = judge("check_config_db.py")
    if tool is None:
        return None
    text = render(device)[CONFIG_DB]
    for token, secret in RESOLVED.items():
        text = text.replace(token, secret)
    file = tmp_path / "config_db.json"
    file.write_text(text)
    run = subprocess.run([sys.executable, str(tool), "-W", str(file)], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout.splitlines()


def frr_findings(device: Switch, tmp_path: Path) -> list[str] | None:
    """What FRR's own parsers find; None if judge, FRR or root rights are not there."""
    tool = judge("check_frr.sh")
    if tool is None or os.geteuid() != 0 or shutil.which("vtysh") is None:
        return None
    file = tmp_path / "frr.conf"
    file.write_text(render(device)[FRR_CONF])
    run = subprocess.run(["sh", str(tool), str(file)], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout.splitlines()
