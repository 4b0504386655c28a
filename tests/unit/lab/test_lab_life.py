"""Faults while a lab comes up are reported with their device, and nothing is left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from fabricgen.cli import lab as cli
from fabricgen.diagnostics import Bag
from fabricgen.lab import stages as life
from fabricgen.lab.lifecycle import state
from fabricgen.lab.lifecycle.boot import BootError, daemons_of, started_daemons
from fabricgen.lab.lifecycle.kernel import CommandError, run_daemon
from fabricgen.lab.model import planned as drafting
from fabricgen.lab.model.blueprint import to_text
from fabricgen.lab.model.planned import Drafter
from fabricgen.lab.verify import all_checks as judgement
from fabricgen.lab.verify import observe
from fabricgen.lab.verify.findings import LabResult
from tests.acceptance.run import INVENTORIES
from tests.unit.lab.fabrics import compiled, lab_of, plan_of
from tests.waiting import PATIENCE_S


@pytest.fixture
def erased(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine on which every lab can be claimed; the names of those that were taken away again."""
    names: list[str] = []
    monkeypatch.setattr(life, "check_machine", lambda *_: True)
    monkeypatch.setattr(life, "check_memory", lambda *_: True)
    monkeypatch.setattr(life, "find_dead", lambda *_: [])
    monkeypatch.setattr(state, "claim", lambda _: True)
    monkeypatch.setattr(state, "erase", lambda lab: names.append(lab) or [])
    return names


def bring_up() -> list[tuple[str, str]]:
    """Bring a lab up; what is said."""
    bag = Bag()
    life.bring_up(lab_of("quickstart"), bag, lambda *_: None, patience_s=0.01)
    return [(found.code, found.message) for found in bag]


def test_a_daemon_that_keeps_what_it_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    """Daemons of release 10 do: whoever reads a pipe to its end waits as long as they live."""
    started = tmp_path / "pid"
    command = ["sh", "-c", f"echo hello; sleep {2 * PATIENCE_S} & echo $! > {started}"]
    try:
        run_daemon(command, tmp_path / "log", timeout_s=PATIENCE_S)
    finally:
        os.kill(int(started.read_text()), signal.SIGKILL)
    with pytest.raises(CommandError, match="no such daemon"):
        run_daemon(["sh", "-c", "echo no such daemon; exit 1"], tmp_path / "log")


def test_a_management_daemon_runs_where_there_is_one(tmp_path: Path) -> None:
    """Nothing is given to a daemon that only one release knows, as the option of bfdd for its control socket."""
    programs = tmp_path / "usr/lib/frr"
    programs.mkdir(parents=True)
    other = replace(lab_of("quickstart"), root=str(tmp_path))
    assert started_daemons(other, other.node("spine-01")) == ("zebra", "bfdd", "bgpd")
    (programs / "mgmtd").touch()
    assert started_daemons(other, other.node("spine-01")) == ("mgmtd", "zebra", "bfdd", "bgpd")
    assert started_daemons(other, other.hosts[0]) == ()
    assert daemons_of(other.node("leaf-u001-r0")) == ("zebra", "staticd", "bfdd", "bgpd")


def test_daemons_are_looked_at_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that the other checks cause in a daemon is a finding, too."""
    blueprint = lab_of("quickstart")
    for name in vars(judgement).copy():
        if name.startswith(("check_", "read_all")):
            monkeypatch.setattr(judgement, name, lambda *_: LabResult("fine", 1, "things"))
    dead = iter([[], [("spine-01", "bgpd", "assertion failed")]])
    monkeypatch.setattr(judgement, "check_daemons", observe.check_daemons)
    monkeypatch.setattr(observe, "find_dead", lambda *_: next(dead))
    monkeypatch.setattr(judgement, "fit", lambda intended, _: (intended, LabResult("intended", 1, "things")))
    results = judgement.judge(blueprint, blueprint, lambda *_: None)
    assert results[0].passed
    (failed,) = (found for found in results if not found.passed)
    assert (failed.name, failed.findings[0].device) == ("daemons after", "spine-01")


@pytest.mark.parametrize("verb", [cli.down, cli.status, cli.check, cli.drill, cli.shell])
def test_everybody_but_root_is_told_so(
    verb: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    words = {"device": "spine-01"} if verb is cli.shell else {}
    with pytest.raises(typer.Exit):
        verb(None, name="test", **words)
    assert "FG-LAB-001" in capsys.readouterr().err


def failing(error: BaseException) -> object:
    def boot(*_: object) -> None:
        raise error

    return boot


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BootError("spine-01", "bgpd does not start", "the end of its log"), "FG-LAB-010"),
        (BootError("spine-01", "the file is refused", "line 7: the end of its log"), "FG-LAB-010"),
        (CommandError("ip: spine-01: the end of its log"), "FG-LAB-013"),
        (OSError(28, "spine-01: the end of its log: No space left on device"), "FG-SRC-043"),
    ],
)
def test_a_boot_that_fails(error: Exception, code: str, erased: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "boot", failing(error))
    said = bring_up()
    assert [name for name, _ in said] == [code]
    assert "spine-01" in said[0][1]
    assert "the end of its log" in said[0][1]
    assert erased == ["test"]


def test_an_interrupted_boot(erased: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "boot", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        bring_up()
    assert erased == ["test"]


def test_a_daemon_that_dies(erased: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "boot", lambda *_: None)
    monkeypatch.setattr(life, "wait_converged", lambda *_: [])
    monkeypatch.setattr(life, "find_dead", lambda *_: [("leaf-u001-r0", "zebra", "assertion failed")])
    ((code, message),) = bring_up()
    assert code == "FG-LAB-010"
    assert "leaf-u001-r0: zebra" in message
    assert "assertion failed" in message
    assert erased == ["test"]


def test_a_fabric_that_does_not_converge_runs_all_the_same(erased: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "boot", lambda *_: None)
    monkeypatch.setattr(life, "routes_differ", lambda _, __, nodes: list(nodes)[:1])
    assert [code for code, _ in bring_up()][-1:] == ["FG-LAB-012"]
    assert erased == []


def test_what_is_not_proven_is_told(erased: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "boot", lambda *_: None)
    monkeypatch.setattr(life, "wait_converged", lambda *_: [])
    bag = Bag()
    assert life.bring_up(replace(lab_of("quickstart"), notes=("the ASIC",)), bag, lambda *_: None)
    assert [(found.code, found.message) for found in bag] == [("FG-LAB-023", "the ASIC")]


def strangers() -> dict[str, object]:
    """The platforms of a fabric whose switches write no routing configuration of the suite."""
    specs = dict(compiled("quickstart").platforms or {})
    for name, spec in specs.items():
        if spec.kind == "switch":
            specs[name] = spec._replace(outputs=spec.outputs[:1])
    return dict(specs)


def test_another_platform_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration is that of the same device model, and said not to be the switch's own."""
    own = compiled("quickstart").platforms or {}
    plain = next(spec for spec in own.values() if spec.kind == "switch")._replace(name="plain")
    monkeypatch.setattr(drafting, "_find_equivalent", lambda *_: {"plain": plain})
    bag = Bag()
    blueprint = Drafter(plan_of("quickstart"), strangers(), bag).draft("test")
    assert [found.code for found in bag] == ["FG-LAB-024"]
    assert all(node.equivalent for node in blueprint.switches)
    assert blueprint.node("spine-01").config == lab_of("quickstart").node("spine-01").config


def test_no_platform_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "_find_equivalent", lambda *_: {})
    bag = Bag()
    Drafter(plan_of("quickstart"), strangers(), bag).draft("test")
    assert {found.code for found in bag} == {"FG-LAB-025"}


def test_a_name_linux_cannot_have_is_told() -> None:
    bag = Bag()
    plan = plan_of("quickstart")
    tier = plan.tiers[1]._replace(name_pattern="s" * 61 + "{index}")
    Drafter(plan._replace(tiers=(plan.tiers[0], tier)), compiled("quickstart").platforms or {}, bag).draft("test")
    assert {found.code for found in bag} == {"FG-LAB-008"}


def test_a_long_fabric_has_a_short_lab() -> None:
    assert len(cli.short_name("f" * 63)) == drafting.LAB_NAME_MAX


@pytest.fixture
def _written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lab that was booted."""
    monkeypatch.setattr(state, "ROOT", tmp_path)
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "blueprint.json").write_text(to_text(lab_of("quickstart")))


@pytest.mark.usefixtures("_written")
def test_a_shell_on_a_device_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        cli.shell(Path(), "spine-99", name="test")
    assert "FG-LAB-040" in capsys.readouterr().err


@pytest.mark.usefixtures("_written")
def test_a_lab_is_tested_by_one_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    with state.alone("test") as mine:
        assert mine
        with pytest.raises(typer.Exit):
            cli.check(INVENTORIES / "quickstart", name="test")
    assert "FG-OUT-003" in capsys.readouterr().err


@pytest.mark.usefixtures("_written")
def test_what_breaks_a_test_is_no_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fabricgen.lab.verify.all_checks.judge", failing(CommandError("ip: no such namespace")))
    with pytest.raises(typer.Exit):
        cli.check(INVENTORIES / "quickstart", name="test")
    assert "FG-LAB-013" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../elsewhere", "a.b", "", "-x", "x" * 21, "a b"])
def test_a_lab_has_a_name_that_stays_in_its_folder(name: str) -> None:
    bag = Bag()
    assert not life.check_name(name, bag)
    assert [found.code for found in bag] == ["FG-LAB-008"]
    assert life.check_name("rail-1k_2", Bag())
