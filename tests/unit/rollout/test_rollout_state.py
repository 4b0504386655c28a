"""A bundle held against what is deployed: before it, in the middle of it, after it, and once somebody tampered."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rollout_site import (
    CONFIG_DB,
    FRR,
    HOST,
    LEAF,
    QUICKSTART,
    SPINE,
    edit_intent,
    moved,
    plan,
    rest_of,
    resume,
    rolled_out,
    stopped,
    verify,
)

from tests.acceptance.run import render_here

pytestmark = pytest.mark.sampled(6, of="")


def take(intended: Path, deployed: Path, *names: str) -> None:
    for name in names:
        shutil.copytree(intended / "switches" / name, deployed / "switches" / name, dirs_exist_ok=True)


def rewrite(file: Path) -> None:
    """Write a file as a device would: other layout, other order, a default spelled out, a table of its own."""
    data = json.loads(file.read_text())
    for row in data["PORT"].values():
        row.setdefault("dhcp_rate_limit", "300")
    file.write_text(json.dumps(dict(reversed(data.items())), indent=2))


def test_what_was_planned_on_verifies(bundle: Path, deployed: Path) -> None:
    found, codes = verify(bundle, deployed)
    assert (found.moved, found.devices, codes) == ((), 14, set())


def test_tree_that_a_rollout_is_planned_on_is_known_again_on_devices(inventory: Path, tmp_path: Path) -> None:
    """Devices show a file in a layout of their own, also one that the rollout leaves alone; terminals add CR."""
    tree, collected = tmp_path / "tree", tmp_path / "collected"
    assert render_here(QUICKSTART, tree) == []
    file = inventory / "fabric.yaml"
    file.write_text(f"{QUICKSTART.joinpath('fabric.yaml').read_text()}routing: {{ecmp: {{max_paths: 32}}}}\n")
    assert plan(inventory, tree, tmp_path / "bundle")[0] is not None
    shutil.copytree(tree / "switches", collected / "switches")
    shutil.copytree(tree / "hosts", collected / "hosts")
    for switch in (collected / "switches").iterdir():
        rewrite(switch / CONFIG_DB)
        (switch / FRR).write_bytes((switch / FRR).read_bytes().replace(b"\n", b"\r\n"))
    assert moved(tmp_path / "bundle", collected) == []


def test_layout_and_defaults_are_no_change(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    for name in (LEAF, SPINE):
        rewrite(deployed / "switches" / name / CONFIG_DB)
    assert plan(inventory, deployed, tmp_path / "bundle")[1] == set()
    file = deployed / "switches" / LEAF / CONFIG_DB
    file.write_text(json.dumps(json.loads(file.read_text()), sort_keys=True))
    assert moved(tmp_path / "bundle", deployed) == []


def test_files_that_were_collected_as_they_were_rendered_may_take_another_layout(bundle: Path, deployed: Path) -> None:
    """A file that diff calls equal is as planned, whether or not the rollout changes it."""
    routing, netplan = deployed / "switches" / LEAF / FRR, deployed / "hosts" / HOST / "etc/netplan/60-fabricgen.yaml"
    routing.write_bytes(routing.read_bytes().replace(b"\n", b"\r\n"))
    netplan.write_text(f"# looked at by hand\n{netplan.read_text()}")
    assert moved(bundle, deployed) == []
    netplan.write_text(netplan.read_text().replace("mtu: 9100", "mtu: 1500"))
    assert moved(bundle, deployed) == [(HOST, "changed")]


@pytest.mark.parametrize(
    ("path", "name"), [(f"switches/{SPINE}/{CONFIG_DB}", SPINE), (f"switches/{LEAF}/{FRR}", LEAF), ("hosts", HOST)]
)
def test_changed_device_is_named(path: str, name: str, bundle: Path, deployed: Path) -> None:
    file = deployed / path
    if file.is_dir():
        file = next(each for each in sorted((file / name).rglob("*.yaml")) if each.is_file())
    file.write_text(file.read_text().replace("2", "3", 1))
    assert moved(bundle, deployed) == [(name, "changed")]
    assert resume(bundle, deployed)[0] is None


def test_missing_device_and_missing_file_are_named(bundle: Path, deployed: Path) -> None:
    shutil.rmtree(deployed / "switches" / SPINE)
    (deployed / "switches" / LEAF / FRR).unlink()
    found, _ = verify(bundle, deployed)
    assert [(each.device, each.state, each.files) for each in found.moved] == [
        (LEAF, "changed", (FRR,)),
        (SPINE, "not collected", ()),
    ]
    told = stopped(bundle, deployed)
    assert any(text.startswith("FG-ROL-058") and SPINE in text for text in told)
    assert any(text.startswith("FG-ROL-057") and LEAF in text for text in told)


def test_devices_that_were_not_collected_again_are_one_line(bundle: Path, deployed: Path) -> None:
    shutil.rmtree(deployed / "hosts")
    (deployed / "hosts").mkdir()
    told = stopped(bundle, deployed)
    (line,) = (text for text in told if text.startswith("FG-ROL-058"))
    assert HOST in line
    assert line.endswith(" were not collected")


def test_rest_of_a_rollout_is_a_bundle_of_its_own(bundle: Path, deployed: Path, intended: Path, tmp_path: Path) -> None:
    take(intended, deployed, LEAF, SPINE)
    # What the device has written back is the intended meaning in another form.
    rewrite(deployed / "switches" / SPINE / CONFIG_DB)
    found = rest_of(bundle, deployed, tmp_path / "rest")
    left = {device.name for device in found.rest.devices}
    assert left == {device.name for device in found.whole.devices} - {LEAF, SPINE}
    assert verify(tmp_path / "rest", deployed)[0] is not None
    data = json.loads((tmp_path / "rest" / "plan.json").read_text())
    assert data["resumes"] == hashlib.sha256((bundle / "plan.json").read_bytes()).hexdigest()
    for device in found.rest.devices:
        for each in (bundle / f"devices/{device.name}.json", *(bundle / "patches" / device.patch).rglob("*")):
            if each.is_file():
                assert (tmp_path / "rest" / each.relative_to(bundle)).read_bytes() == each.read_bytes()
    assert moved(tmp_path / "rest", deployed) == []
    assert rest_of(tmp_path / "rest", intended).rest.waves == ()


def test_nothing_remains_of_a_rollout_that_is_done(bundle: Path, intended: Path, tmp_path: Path) -> None:
    assert rest_of(bundle, intended, tmp_path / "rest").rest.waves == ()
    assert not (tmp_path / "rest").exists()


def test_device_in_neither_state_stops_it_by_name(bundle: Path, deployed: Path, intended: Path, tmp_path: Path) -> None:
    file = deployed / "switches" / LEAF / CONFIG_DB
    data = json.loads((intended / "switches" / LEAF / CONFIG_DB).read_text())
    data["PORT"]["Ethernet0"]["mtu"] = "1500"
    file.write_text(json.dumps(data))
    told = stopped(bundle, deployed, tmp_path / "rest")
    assert len(told) == 1
    assert told[0].startswith(f"FG-ROL-057 {LEAF}: {CONFIG_DB}")


def test_devices_that_were_collected_as_each_other_are_no_change(bundle: Path, deployed: Path, tmp_path: Path) -> None:
    """Nothing is carried out on a device because its answers came from another one."""
    one, other = deployed / "switches" / LEAF, deployed / "switches" / SPINE
    one.rename(tmp_path / "one")
    other.rename(one)
    (tmp_path / "one").rename(other)
    assert verify(bundle, deployed) == (None, {"FG-DIF-022"})
    assert {line.split()[0] for line in stopped(bundle, deployed)} == {"FG-DIF-022"}


def test_device_that_is_half_done_stops_it_by_name(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    edit_intent(inventory, more="routing: {ecmp: {max_paths: 32}}\n")
    assert render_here(inventory, tmp_path / "new") == []
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    device = next(each for each in planned.rollout.devices if each.name == LEAF)
    assert [each.path for each in device.files] == [CONFIG_DB, FRR]
    shutil.copy(tmp_path / "new/switches" / LEAF / FRR, deployed / "switches" / LEAF / FRR)
    assert stopped(tmp_path / "bundle", deployed) == [
        f"FG-ROL-057 {LEAF}: half done: {FRR} as after the change, {CONFIG_DB} not"
    ]


def drain(deployed: Path, name: str) -> None:
    file = deployed / "switches" / name / FRR
    text = file.read_text()
    assert "\n bgp router-id" in text
    file.write_text(text.replace("\n bgp router-id", "\n bgp graceful-shutdown\n bgp router-id", 1))


def test_device_that_was_drained_and_not_changed_yet_goes_on(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    # As it was collected, the file is not what was rendered, so that its meaning is kept.
    file = deployed / "switches" / LEAF / FRR
    file.write_text(f"! collected\n{file.read_text()}")
    assert plan(inventory, deployed, tmp_path / "bundle")[1] == set()
    drain(deployed, LEAF)
    assert LEAF in {device.name for device in rest_of(tmp_path / "bundle", deployed).rest.devices}


def test_device_that_is_changed_and_still_drained_stops_it(
    inventory: Path, deployed: Path, intended: Path, tmp_path: Path
) -> None:
    file = deployed / "switches" / LEAF / FRR
    file.write_text(f"! collected\n{file.read_text()}")
    assert plan(inventory, deployed, tmp_path / "bundle")[1] == set()
    shutil.copy(intended / "switches" / LEAF / CONFIG_DB, deployed / "switches" / LEAF / CONFIG_DB)
    drain(deployed, LEAF)
    (told,) = stopped(tmp_path / "bundle", deployed)
    assert told.startswith(f"FG-ROL-057 {LEAF}: its change is done, and it is still drained")


def test_device_whose_change_is_its_drain_is_done(deployed: Path, tmp_path: Path) -> None:
    drained = f"\nexceptions: [{{device: {SPINE}, state: drained, reason: optics}}]\n"
    fabric = edit_intent(Path(shutil.copytree(QUICKSTART, tmp_path / "fabric")), more=drained)
    assert render_here(fabric, tmp_path / "intended") == []
    planned = rolled_out(fabric, deployed, tmp_path / "bundle")
    assert [device.name for device in planned.rollout.devices] == [SPINE]
    take(tmp_path / "intended", deployed, SPINE)
    assert moved(tmp_path / "bundle", deployed) == [(SPINE, "done")]
    assert rest_of(tmp_path / "bundle", deployed).rest.devices == ()


def edit(file: Path, change: Callable[[Any], object]) -> None:
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))


def seal(bundle: Path) -> None:
    """Let the digests of a bundle be those of what lies there, as somebody who forges it would."""
    files = sorted(str(path.relative_to(bundle)) for path in bundle.rglob("*") if path.is_file())
    sums = {path: hashlib.sha256((bundle / path).read_bytes()).hexdigest() for path in files if path != "SHA256SUMS"}
    lines = [f"{digest}  {path}\n" for path, digest in sums.items()]
    (bundle / "SHA256SUMS").write_text("".join(lines))


def replace_by_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/passwd")


def put(path: Path, text: str) -> None:
    """Write a file below a folder that may be new."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


TAMPERED: dict[str, tuple[Callable[[Path], object], str]] = {
    "edited step": (lambda path: next(path.rglob("apply/*.json")).write_text("[]"), "FG-ROL-055"),
    "edited runbook": (lambda path: (path / "runbook.md").write_text("# all is well\n"), "FG-ROL-055"),
    "edited plan": (lambda path: edit(path / "plan.json", lambda data: data.update(floor=0.0)), "FG-ROL-055"),
    "removed file": (lambda path: next(path.rglob("undo/*")).unlink(), "FG-ROL-055"),
    "added file": (lambda path: next(path.rglob("apply")).joinpath("9-more.json").write_text("[]"), "FG-ROL-055"),
    "added playbook": (lambda path: (path / "ansible/wave-99.yml").write_text("[]\n"), "FG-ROL-055"),
    "added variables": (lambda path: put(path / "ansible/group_vars/all.yml", "rollout_judge: 'true'\n"), "FG-ROL-055"),
    "link in place": (lambda path: replace_by_link(next(path.rglob("apply/*.json"))), "FG-ROL-055"),
    "no digests": (lambda path: (path / "SHA256SUMS").unlink(), "FG-ROL-054"),
    "digests of nothing": (lambda path: (path / "SHA256SUMS").write_text(""), "FG-ROL-054"),
    "digests that are none": (lambda path: (path / "SHA256SUMS").write_text("\x1b[2J plan.json\n"), "FG-ROL-054"),
}


def test_what_is_collected_beside_the_playbooks_is_no_part_of_a_bundle(bundle: Path, deployed: Path) -> None:
    put(bundle / "ansible/now-leaf-u001-r0/collection.json", "{}\n")
    assert verify(bundle, deployed)[1] == set()


@pytest.mark.parametrize("how", TAMPERED)
def test_bundle_that_was_tampered_with_is_refused(how: str, bundle: Path, deployed: Path, tmp_path: Path) -> None:
    tamper, code = TAMPERED[how]
    tamper(bundle)
    assert verify(bundle, deployed) == (None, {code})
    told = stopped(bundle, deployed, tmp_path / "rest")
    assert [text[:10] for text in told] == [code]


def first_device(data: dict[str, Any]) -> dict[str, Any]:
    return data["waves"][0]["devices"][0]


def first_step(data: dict[str, Any], number: int) -> dict[str, Any]:
    return data["procedures"][0]["steps"][number]


HOSTILE: dict[str, Callable[[dict[str, Any]], object]] = {
    "path out": lambda data: first_device(data).update(patch="../../../etc"),
    "absolute path": lambda data: first_step(data, 1).update(file="/etc/passwd"),
    "file that is not there": lambda data: first_step(data, 1).update(file="apply/none"),
    "unknown procedure": lambda data: first_device(data).update(procedure="none"),
    "second line of a value": lambda data: first_device(data).update(values={"bgp": "1\nreboot"}),
    "escape in a name": lambda data: first_device(data).update(name="leaf\x1b[2J"),
    "second line": lambda data: first_step(data, 0).update(command="true\nreboot"),
    "another format": lambda data: data.update(format="fabricgen-rollout/99"),
    "unknown key": lambda data: data.update(run="rm -rf /"),
    "no waves": lambda data: data.pop("waves"),
    "text for a number": lambda data: data.update(floor="six"),
    "wave of no phase": lambda data: data["waves"][0].update(phase=7),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_hostile_plan_is_refused_though_its_digests_are_right(how: str, bundle: Path, deployed: Path) -> None:
    edit(bundle / "plan.json", HOSTILE[how])
    seal(bundle)
    assert verify(bundle, deployed) == (None, {"FG-ROL-056"})


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "nul", '{"format": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "\xff", '"' + "9" * 5000, "9" * 5000],
)
@pytest.mark.parametrize("name", ["plan.json", "deployed.json"])
def test_truncated_data_is_refused(name: str, text: str, bundle: Path, deployed: Path) -> None:
    (bundle / name).write_bytes(text.encode("latin-1"))
    seal(bundle)
    assert verify(bundle, deployed) == (None, {"FG-ROL-056"})


def test_schema_describes_the_plan(bundle: Path) -> None:
    import jsonschema

    from fabricgen.api.schemas import write_schema

    schema = write_schema("rollout")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert list(validator.iter_errors(json.loads((bundle / "plan.json").read_text()))) == []
    for how in ("path out", "another format", "unknown key", "no waves", "text for a number"):
        broken = json.loads((bundle / "plan.json").read_text())
        HOSTILE[how](broken)
        assert list(validator.iter_errors(broken)), how
