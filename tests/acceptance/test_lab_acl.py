"""The control-plane ACL of the switch's own system lets BFD in where it is in use, and only there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from fabricgen.platforms.sonic.emulation import packet_filter
from tests.acceptance.laboratory import Lab, running, small_inventory
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.run import run, succeed
from tests.waiting import wait

LEAF, SPINE, HOST = "leaf-u001-r0", "spine-01", "gpu-u001-h01"
CONFIG_DB = "etc/sonic/config_db.json"


def without_acl(tree: Path, device: str) -> str:
    """The packet filter of a switch whose ACL somebody has removed, instead of the one it has."""
    data = json.loads((tree / "switches" / device / CONFIG_DB).read_text())
    del data["ACL_TABLE"], data["ACL_RULE"]
    return "flush ruleset\n" + packet_filter({CONFIG_DB: json.dumps(data).encode()})


def install(lab: Lab, device: str, rules: str) -> None:
    """Give a switch another packet filter."""
    command = ["ip", "netns", "exec", f"fglab.{lab.name}.{device}", "nft", "-f", "-"]
    subprocess.run(command, input=rules, text=True, check=True)


def bfd(lab: Lab, device: str) -> list[str]:
    """States of a switch's BFD sessions."""
    return [str(peer["status"]) for peer in lab.show(device, "bfd peers")]


def sessions(lab: Lab, device: str) -> list[str]:
    return [each["reason"] for each in lab.judge().found["sessions"] if each["device"] == device]


def answers(lab: Lab, device: str, address: str, port: int) -> bool:
    """Return whether a switch refuses a connection, which it does where nothing listens; a drop says nothing at all."""
    script = (
        "import socket, sys\n"
        "s = socket.socket(); s.settimeout(1)\n"
        "try: s.connect((sys.argv[1], int(sys.argv[2])))\n"
        "except ConnectionRefusedError: print('refused')\n"
        "except OSError: print('silent')\n"
    )
    return "refused" in lab.on(device, "python3", "-c", script, address, str(port))


def test_bfd_comes_up_with_the_acl_and_not_without_it(tmp_path: Path) -> None:
    inventory, tree = small_inventory(tmp_path / "acl"), tmp_path / "tree"
    succeed("render", inventory, "-o", tree)
    with running(inventory, "acl") as lab:
        lab.judge().exits(0)
        assert set(bfd(lab, LEAF)) == {"up"}
        assert not answers(lab, HOST, "172.16.0.0", 22), "SSH from a host is dropped"
        assert not answers(lab, LEAF, "10.0.0.0", 22), "SSH from a neighbour is dropped"
        wait(lambda: answers(lab, LEAF, "10.0.0.0", 2000))  # all else from a neighbour is not

        for device in (LEAF, SPINE):
            install(lab, device, without_acl(tree, device))
        wait(lambda: "down" in bfd(lab, LEAF))
        lab.judge().exits(1)
        # The session goes down with BFD, and comes up again without it.
        wait(lambda: any("BFD is down, planned is up" in reason for reason in sessions(lab, LEAF)))


@pytest.mark.nightly
def test_an_intent_without_acl_plans_no_bfd(tmp_path: Path) -> None:
    """The sessions come up without it, and a spine that falls silent is noticed when the hold time is over."""
    inventory = small_inventory(tmp_path / "bare")
    fabric = inventory / "fabric.yaml"
    text = fabric.read_text(encoding="utf-8")
    assert text.count("\noperations: {") == 1
    fabric.write_text(text.replace("\noperations: {", "\noperations: {access: {acl: false}, "), encoding="utf-8")
    shown = json.loads(run("show", str(inventory), "qos", "--format", "json").stdout)
    assert "BFD" not in {row["layer"] for row in shown["timers"]}
    assert {row["milliseconds"] for row in shown["timers"] if row["timer"] == "silent neighbour noticed"} == {9000}
    with running(inventory, "bare") as lab:
        lab.judge().exits(0)
        done = lab.ask("drill", "--only", "silent-drop", "--format", "json").exits(0)
        (drop,) = json.loads(done.stdout)
        assert "noticed by the hold timer" in drop["note"]
