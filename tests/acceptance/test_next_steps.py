"""Next steps after `render`, per platform, from its manifest."""

from __future__ import annotations

from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import discover_platforms, template_root
from fabricgen.platforms.manifest.load import load_manifest
from fabricgen.render.next_steps import list_next_steps
from tests.acceptance.run import INVENTORIES
from tests.command_line import run_here
from tests.unit.lab.fabrics import compiled

QUICKSTART = INVENTORIES / "quickstart"


def test_render_ends_with_the_steps_of_each_platform(tmp_path: Path) -> None:
    out = tmp_path / "out"
    steps = [x for x in run_here("render", QUICKSTART, "-o", out).stderr.splitlines() if x.startswith("next: ")]
    assert "--with-secrets" in steps[0]
    headings = [step for step in steps[1:] if not step.startswith("next:   ")]
    assert headings == ["next: sonic: 6 switches, docs/deploy/sonic.md", "next: ubuntu: 8 hosts, docs/deploy/ubuntu.md"]
    text = "\n".join(steps)
    assert f"{out}/switches/NAME" in text
    assert f"{out}/hosts/NAME" in text
    assert "sudo config reload -y" in text
    assert "{" not in text
    # Nothing has changed, so nothing is to be done.
    assert "next:" not in run_here("render", QUICKSTART, "-o", out).stderr
    (out / "switches/spine-01/etc/sonic/frr/frr.conf").unlink()
    for words in (("--check",), ("--force", "--format", "json"), ("--force", "--format", "junit")):
        done = run_here("render", QUICKSTART, "-o", out, *words)
        assert "next:" not in done.stdout + done.stderr


def test_secrets_that_stand_in_the_files_are_no_step() -> None:
    made = compiled("quickstart")
    steps = list(list_next_steps(made.plan, made.platforms, Path("out"), with_secrets=True))
    assert not any("secret" in step for step in steps)
    assert steps


def test_steps_count_the_devices_that_were_rendered(tmp_path: Path) -> None:
    done = run_here("render", QUICKSTART, "-o", tmp_path / "out", "--only", "leaf-u001-*")
    headings = [line for line in done.stderr.splitlines() if "docs/deploy" in line]
    assert [line.removeprefix("next: ").split(",")[0] for line in headings] == ["sonic: 2 switches"]


def test_every_platform_of_ours_with_an_operating_system_has_steps() -> None:
    for kind in ("switch", "host"):
        bag = Bag()
        for folder in discover_platforms(kind, [template_root()], bag).values():
            spec = load_manifest(folder, bag)
            assert len(spec.next_steps) >= 2, folder.name
            assert any("{folder}" in step for step in spec.next_steps)
            assert all(len(step) <= 130 for step in spec.next_steps)
        assert not bag.has_errors
