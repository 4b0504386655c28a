"""Every layout of a folder with the files of every platform, hosts included."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.api import place_diagnostics
from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.summary import DiffSummary

EXPECTED = Path(__file__).parents[2] / "golden/expected"
TREES = sorted(path.name for path in EXPECTED.iterdir() if (path / "config/switches").is_dir())
Move = Callable[[str, str, str], str]
LAYOUTS: dict[str, Move] = {
    "as ours": lambda kind, name, path: f"{kind}/{name}/{path}",
    "paths of the device": lambda kind, name, path: f"{name}/{path}",
    "in groups": lambda kind, name, path: f"site/{kind}-of-it/{name}/{path}",
}


def compare(intended: Path, deployed: Path) -> tuple[DiffSummary, dict[str, str]]:
    """Return what differs, and the hints of what could not be compared by code."""
    bag = Bag()
    summary = diff(str(intended), str(deployed), DiffOptions(deployed.parent, causes=False), bag)
    assert summary is not None, [item.message for item in bag]
    return summary, {item.code: item.hint for item in place_diagnostics(bag, None)}


def lay_out(tree: Path, target: Path, move: Move) -> int:
    """Copy a tree into another layout; the number of its devices."""
    devices = set()
    for file in sorted(tree.rglob("*")):
        if file.is_file() and file.relative_to(tree).parts[0] in ("switches", "hosts"):
            kind, name, *rest = file.relative_to(tree).parts
            devices.add((kind, name))
            other = target / move(kind, name, "/".join(rest))
            other.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, other)
    return len(devices)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", TREES)
def test_every_platform_in_every_layout(name: str, layout: str, tmp_path: Path) -> None:
    tree, deployed = EXPECTED / name / "config", tmp_path / "deployed"
    devices = lay_out(tree, deployed, LAYOUTS[layout])
    summary, codes = compare(tree, deployed)
    assert codes == {}
    assert summary.totals.is_clean(unmanaged=True)
    assert (summary.totals.compared, sum(summary.totals.absent.values())) == (devices, 0)
    # The comparison is no empty one: what is taken away from a device is missed.
    file = next(path for path in sorted(deployed.rglob("*")) if path.is_file() and path.stat().st_size > 400)
    file.write_text("")
    summary, codes = compare(tree, deployed)
    assert summary.totals.changes or codes


def test_the_trees_are_of_every_platform() -> None:
    paths = {path.as_posix() for name in TREES for path in (EXPECTED / name).rglob("*")}
    for end in (
        "etc/sonic/config_db.json", "mnt/flash/startup-config", "etc/nvue.d/startup.yaml", "etc/coop/agent.conf",
        "etc/frr/frr.conf", "etc/netplan/60-fabricgen.yaml",
    ):  # fmt: skip
        assert any(path.endswith(end) for path in paths), end


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("conformance-fboss", {"etc/coop/agent.conf": "etc/coop/cli/agent.conf"}),
        ("conformance-fboss", {"etc/coop/agent.conf": "etc/coop/agent/current"}),
        ("conformance-eos", {"mnt/flash/startup-config": "mnt/flash/running-config"}),
        ("conformance-cumulus_nvue", {"etc/nvue.d/startup.yaml": "etc/nvue.d/applied/startup.yaml"}),
        ("conformance-fboss", {"etc/coop/agent.conf": "agent.conf", "etc/coop/bgpcpp.conf": "bgpcpp.conf"}),
        ("conformance-eos", {"mnt/flash/startup-config": "startup-config"}),
        ("conformance-cumulus_nvue", {"etc/nvue.d/startup.yaml": "startup.yaml"}),
    ],
)
def test_a_file_under_another_name_is_known(name: str, files: dict[str, str], tmp_path: Path) -> None:
    tree = EXPECTED / name / "config"
    lay_out(tree, tmp_path / "deployed", lambda kind, name, path: f"{name}/{files.get(path, path)}")
    summary, codes = compare(tree, tmp_path / "deployed")
    assert codes == {}
    assert summary.totals.is_clean(unmanaged=True)
    assert not summary.totals.absent


def test_an_unknown_layout_names_those_that_are_known(tmp_path: Path) -> None:
    tree = EXPECTED / "conformance-eos/config"
    lay_out(tree, tmp_path / "deployed", lambda kind, name, path: f"of/{path}.d/x-{name}")
    summary, codes = compare(tree, tmp_path / "deployed")
    assert list(codes) == ["FG-DIF-027"]
    assert all(word in codes["FG-DIF-027"] for word in ("switches/<name>", "<name>/etc", "<name>/mnt", "<name>.cfg"))
    assert (summary.totals.failed, summary.totals.compared) == (3, 0)
