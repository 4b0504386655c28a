"""The device tells which system wrote a text; where it is not known, the signs of the text do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_diff_layouts import EXPECTED, TREES, compare

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKinds, load_kinds, recognise
from fabricgen.platforms.reading.file_format import count_signs

OURS = ("startup-config", "startup.yaml", "config_db.json", "agent.conf", "bgpcpp.conf", "frr.conf")
SAMPLE = """{"DEVICE_METADATA": {"localhost": {"hostname": "leaf-u001-r0", "platform": "x86_64-dell"}},
 "BGP_GLOBALS": {"default": {"router_id": "10.0.0.1"}}, "BGP_NEIGHBOR": {"10.0.0.2": {"peer_type": "external"}}}
"""
"""Keys that SONiC's sample of CONFIG_DB has in common with bgpcpp.conf and agent.conf."""
PUBLIC = "hostname s1\n!\nrouter bgp 65001\n   neighbor 10.0.0.1 remote-as 65002\n!\ninterface Ethernet1\n"
"""A file of EOS that has no line that EOS alone has."""


@pytest.fixture(scope="module")
def kinds() -> FileKinds:
    """Kinds of files of every platform."""
    return load_kinds(None, Bag())


def switch_files() -> Iterator[tuple[str, str, Path]]:
    """Rendered configurations of switches: tree, device and file."""
    for name in TREES:
        for folder in sorted((EXPECTED / name / "config/switches").iterdir()):
            yield from ((name, folder.name, file) for file in sorted(folder.rglob("*")) if file.name in OURS)


def test_a_rendered_file_is_recognised_whoever_it_is_of(kinds: FileKinds) -> None:
    seen = set()
    for _, _, file in switch_files():
        text = file.read_text(encoding="utf-8")
        assert recognise(text, kinds.all()) == {file.name: text}, file
        seen.add(file.name)
    assert seen == set(OURS)


@pytest.mark.parametrize("name", TREES)
def test_flat_files_of_every_platform_are_no_difference(name: str, tmp_path: Path) -> None:
    for tree, device, file in switch_files():
        if tree == name:
            target = tmp_path / "flat" / file.name / f"{device}.cfg"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    summary, codes = compare(EXPECTED / name / "config", tmp_path / "flat")
    assert codes == {}
    assert summary.totals.is_clean(unmanaged=True)
    assert summary.totals.compared


def test_the_platform_of_the_device_decides(kinds: FileKinds) -> None:
    def of(*paths: str) -> dict[str, str]:
        return recognise(PUBLIC, kinds.of_device("switches", paths).values())

    assert set(of("mnt/flash/startup-config")) == {"startup-config"}
    assert set(of("etc/frr/frr.conf")) == {"frr.conf"}
    assert of("etc/nvue.d/startup.yaml") == {}


def test_a_sample_of_sonic_is_no_file_of_fboss(kinds: FileKinds) -> None:
    assert set(recognise(SAMPLE, kinds.all())) == {"config_db.json"}
    fboss = kinds.of_device("switches", ("etc/coop/agent.conf", "etc/coop/bgpcpp.conf")).values()
    assert recognise(SAMPLE, fboss) == {}


def tree_with(path: str) -> tuple[Path, Path]:
    """A rendered tree with a file of a path, and the folder of a device that has it."""
    file = next(file for name in TREES for file in sorted((EXPECTED / name / "config").rglob(f"*/{path}")))
    device = file.parents[len(Path(path).parts) - 1]
    return device.parents[1], device


def told(intended: Path, deployed: Path, only: str) -> tuple[list[str], bool]:
    """Return what is told of a comparison, and whether there is no difference."""
    bag = Bag()
    options = DiffOptions(deployed.parent, only=(only,), causes=False)
    summary = diff(str(intended), str(deployed), options, bag)
    clean = summary is not None and summary.totals.is_clean(unmanaged=True)
    return [f"{item.code} {item.message}" for item in bag], clean


def test_a_file_that_is_not_recognised_is_one_message_with_what_was_sought(tmp_path: Path) -> None:
    tree, device = tree_with("mnt/flash/startup-config")
    (tmp_path / f"{device.name}.txt").write_text("Dear reader,\n\nhave a look at this.\n")
    (message,), _ = told(tree, tmp_path, device.name)
    assert message.startswith("FG-DIF-023")
    assert "no sign of startup-config ('! device:', '! Command: show'" in message


@pytest.mark.parametrize("verb", ["nv set", "set"])
@pytest.mark.parametrize("layout", ["{name}.sh", "{name}/etc/nvue.d/startup.yaml"])
def test_commands_of_nvue_are_refused(verb: str, layout: str, tmp_path: Path) -> None:
    tree, device = tree_with("etc/nvue.d/startup.yaml")
    file = tmp_path / layout.format(name=device.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{verb} system hostname {device.name}\n{verb} interface swp1-64 link breakout 2x\n")
    (message,), _ = told(tree, tmp_path, device.name)
    assert message.startswith(("FG-DIF-021", "FG-DIF-023"))


@pytest.mark.parametrize("name", ["60-fabricgen.yaml", "saved.txt"])
def test_a_lone_file_of_a_host_is_read_as_in_its_folder(name: str, tmp_path: Path) -> None:
    path = "etc/netplan/60-fabricgen.yaml"
    tree, device = tree_with(f"{path}")
    text = (device / path).read_text(encoding="utf-8")
    lone = tmp_path / name
    lone.write_text(text)
    assert told(tree, lone, device.name) == ([], True)
    lone.write_text(text.replace("mtu: ", "mtu: 1", 1))
    messages, clean = told(tree, lone, device.name)
    assert (messages, clean) == ([], False)


def test_a_sign_is_the_beginning_of_a_line_or_the_name_of_a_member() -> None:
    assert count_signs("router bgp 1\n router bgp 2\n a router\nrouter-id\n", ("router",)) == 1
    assert count_signs('{"sw": {}, "x": "sw"}', ('"sw"', '"x"', '"y"')) == 2
    assert count_signs("anything", ()) == 0


@pytest.mark.parametrize("path", ["mnt/flash/startup-config", "etc/nvue.d/startup.yaml", "etc/frr/frr.conf"])
def test_two_files_are_compared_by_what_they_are(path: str, tmp_path: Path) -> None:
    _, device = tree_with(path)
    text = (device / path).read_text(encoding="utf-8")
    lone, other = tmp_path / "one.txt", tmp_path / "two.txt"
    lone.write_text(text)
    assert told(lone, lone, device.name) == ([], True)
    other.write_text(text.replace("description", "alias", 1))
    assert told(lone, other, device.name) == ([], False)
