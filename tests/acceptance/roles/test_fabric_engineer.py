"""A fabric engineer: from "512 GPUs" to the configuration of every switch and host, without a single remark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.printed_tables import read_screen
from tests.acceptance.roles.session import WIDTHS, Session

GPUS, RAILS, PORTS = 512, 8, 64
HOSTS = GPUS // RAILS
LEAFS = 2 * GPUS // PORTS
"""A leaf at 1:1 has half of its ports for GPUs."""
SPINES = GPUS // PORTS


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """From nothing to a tree, in three commands that print no diagnostic."""
    session = Session(tmp_path_factory.mktemp("engineer"))
    said = [
        session.run(f"fabricgen init my-fabric --gpus {GPUS} --server dgx_h100_8"),
        session.run("fabricgen validate my-fabric"),
        session.run("fabricgen render my-fabric -o out"),
    ]
    assert said[0].startswith("my-fabric/fabric.yaml\n")
    assert said[1] == f"my-fabric: valid, {GPUS} GPUs, {HOSTS} hosts, {LEAFS + SPINES} switches\n"
    assert " written, 0 unchanged, 0 deleted\n" in said[2]
    for words in ("FG-", "info", "warning", "error"):
        assert not any(words in text for text in said), said
    return session


@pytest.mark.nightly
def test_every_switch_and_host_of_the_tree_is_configured(session: Session) -> None:
    tree = session.folder / "out"
    switches = {path.name: path for path in (tree / "switches").iterdir()}
    assert sum(name.startswith("leaf-") for name in switches) == LEAFS
    assert sum(name.startswith("spine-") for name in switches) == SPINES
    assert len(switches) == LEAFS + SPINES
    assert len(list((tree / "hosts").iterdir())) == HOSTS
    ends = [end for name, path in switches.items() for end in ends_of(name, path)]
    assert len(set(ends)) == len(ends) == (LEAFS + SPINES) * PORTS, "every port of every switch is in use"
    hosts = {path.name for path in (tree / "hosts").iterdir()}
    joined = [(far, near) for near, far in ends if far[0] in hosts]
    assert {far for far, _ in joined} == {(host, f"rail{rail}") for host in hosts for rail in range(RAILS)}
    between = {end for end in ends if end[1][0] in switches}
    assert between == {(far, near) for near, far in between}, "both ends of a cable name each other"


def ends_of(name: str, path: Path) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Ports of a switch, and the port that its configuration names at the other end."""
    assert f"\nhostname {name}\n" in (path / "etc/sonic/frr/frr.conf").read_text()
    data = json.loads((path / "etc/sonic/config_db.json").read_text())
    assert data["DEVICE_METADATA"]["localhost"]["hostname"] == name
    neighbors = data["DEVICE_NEIGHBOR"]
    assert neighbors.keys() == {port for port, row in data["PORT"].items() if row["admin_status"] == "up"}
    return [((name, port), (row["name"], row["port"])) for port, row in neighbors.items()]


@pytest.mark.nightly
@pytest.mark.sampled(1, of="width")
@pytest.mark.parametrize("width", WIDTHS)
def test_the_screens_are_of_that_fabric(session: Session, width: int) -> None:
    here = session.on(width)
    (summary,) = read_screen(here.run("fabricgen show my-fabric"))
    shown = {row["key"]: row["value"] for row in summary.rows}
    assert {
        **shown,
        "gpus": str(GPUS),
        "hosts": str(HOSTS),
        "by_tier leaf": str(LEAFS),
        "oversubscription leaf": "1:1",
    } == shown
    rows = here.run_list("fabricgen show my-fabric devices")
    assert {row["name"] for row in rows} == {path.name for path in (session.folder / "out").glob("*s/*-*")}
