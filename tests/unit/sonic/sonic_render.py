"""Rendering the platform, and finding its judges."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.render.engine import Renderer
from tests.plain_rendering import render_plain

FOLDER = template_root() / "switch" / "sonic"
FAULTS = Bag()
SPECS = load_platforms({"sonic": ("tiers", "leaf", "platform")}, "switch", FAULTS, [template_root()])
SPEC = SPECS["sonic"]
UNCHECKED = "GNMI_CLIENT_CERT: warning: not a table"
"""The judge has no fields of this table; test_sonic_gnmi.py judges it."""
RENDERER = Renderer(SPECS, FAULTS)
CONFIG_DB, FRR_CONF = (output.path for output in SPEC.outputs)
RESOLVED = {"@fabricgen-secret:env:SNMP_COMMUNITY@": "fabric-ro", "@fabricgen-secret:file:secrets/tacacs.key@": "key1"}


def render(device: Switch) -> dict[str, str]:
    """Every output of the platform for one switch, by path; classes of the same key do not mix."""
    tree = f"switches/{device.hostname}/"
    return {file.path.removeprefix(tree): file.data.decode() for file in render_plain(RENDERER, device)}


def frr_conf(device: Switch) -> str:
    """The switch's frr.conf."""
    return render(device)[FRR_CONF]


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


def config_db_findings(device: Switch, tmp_path: Path) -> list[str]:
    """Return what the judge of config_db.json finds, secrets resolved, warnings included; skips without the judge."""
    tool = judge("check_config_db.py")
    if tool is None:
        pytest.skip("check_config_db.py is not in the folder that FABRICGEN_JUDGES names")
    text = render(device)[CONFIG_DB]
    for token, secret in RESOLVED.items():
        text = text.replace(token, secret)
    file = tmp_path / "config_db.json"
    file.write_text(text)
    run = subprocess.run([sys.executable, str(tool), "-W", str(file)], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return [line for line in run.stdout.splitlines() if UNCHECKED not in line]


def frr_findings(device: Switch, tmp_path: Path) -> list[str]:
    """Return what FRR's own parsers find; skips without FRR or root rights. The judge asks more parsers."""
    if os.geteuid() != 0 or shutil.which("vtysh") is None:
        pytest.skip("FRR or root rights are missing")
    file = tmp_path / "frr.conf"
    file.write_text(render(device)[FRR_CONF])
    tool = judge("check_frr.sh")
    command = ["sh", str(tool), str(file)] if tool else ["vtysh", "-C", "-f", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [line for line in run.stdout.splitlines() if line.strip()]
    assert bool(run.returncode) == bool(found), run.stderr
    return found
