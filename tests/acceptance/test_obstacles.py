"""All that can lie in the place of a file: every kind of it, for every kind of input, with every verb that reads it.

Each run is a child of this process that has ten CPU seconds. It must end with the exit code of an error, without a
traceback, with a sentence that names the file and, where a key of the intent names the file, that key's line; and
without a word of what lies outside the folder. ``make test`` puts each obstacle in the way of some inputs.
"""

from __future__ import annotations

import ctypes
import math
import os
import random
import resource
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fabricgen.cli.app import main
from tests.acceptance.run import run
from tests.command_line import run_forked
from tests.sampling import EVERYTHING, FRESH

REPOSITORY = Path(__file__).resolve().parents[2]
CPU_SECONDS, WALL_SECONDS = 10, 60
"""Limit of what a child costs; and of the wait for one that costs nothing, as one that waits for a FIFO does."""
SAMPLE = 4
SECRET = "TOP-SECRET-OF-THE-MACHINE"
CAPABILITIES_VERSION_3, READ_ANYTHING = 0x20080522, (1 << 1) | (1 << 2)
"""Source: linux/capability.h; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(path.parent, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


def _make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 << 30)


def _link_out(path: Path) -> None:
    site = next(folder for folder in path.parents if (folder / "inv").is_dir())
    secret = site.parent / "outside"
    secret.write_text(f"{SECRET}: 1\n")
    path.symlink_to(secret if len(path.name) % 2 else os.path.relpath(secret, path.parent))


def _lock(path: Path) -> None:
    path.write_text(f"{SECRET}: 1\n")
    path.chmod(0)


OBSTACLES: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo, "socket": _bind, "device": lambda path: path.symlink_to("/dev/zero"), "folder": Path.mkdir,
    "dangling": lambda path: path.symlink_to("nowhere"), "loop": lambda path: path.symlink_to(path.name),
    "link out": _link_out, "unreadable": _lock, "5 GB": _make_sparse, "vanished": lambda path: None,
}  # fmt: skip

NOT_REGULAR = ("fifo", "socket", "device")


@dataclass(frozen=True)
class Input:
    """A file that is read.

    ``path``: where it lies: ``inv`` is the inventory, ``out`` a rendered tree of it. ``harmless``: obstacles that leave
    the verbs nothing to refuse.
    """

    path: str
    edit: tuple[str, str] = ("", "")
    verbs: tuple[str, ...] = ("validate", "render", "diff", "show", "explain", "analyze", "lab up")
    harmless: tuple[str, ...] = ()


LEAF = "switches/leaf-u001-r0/etc/sonic/config_db.json"
VERBS = {
    "validate": "validate inv", "render": "render inv -o new", "again": "render inv -o out",
    "check": "render inv -o out --check", "secrets": "render inv -o private --with-secrets", "diff": "diff inv out",
    "diff folder": "diff inv deployed", "diff file": "diff inv one.json", "show": "show inv summary",
    "explain": f"explain out/{LEAF}:3 --inventory inv", "analyze": "analyze inv capacity", "lab up": "lab up inv",
    "init": "init inv/new", "verify": "rollout verify bundle out", "resume": "rollout resume bundle out",
}  # fmt: skip
NEAR = "{model: dell_z9864f, platform: sonic}\n"
SNIPPET = "exceptions: [{device: spine-01, raw: {sonic: snippets/vendor_case.json}, reason: a vendor case}]\n"
INPUTS = {
    "intent": Input("inv/fabric.yaml"),
    "overlay": Input("inv/overlays/ask.yaml", verbs=("validate", "render", "diff", "show", "analyze", "lab up")),
    "assets": Input("inv/lists/assets.csv", ("expect:", "assets: lists/assets.csv\nexpect:")),
    "workload": Input("inv/lists/load.yaml", ("expect:", "workload: lists/load.yaml\nexpect:")),
    "board data": Input("inv/boards/own.json", (NEAR, NEAR.replace("}", ", board_data: boards/own.json}"))),
    "snippet": Input("inv/snippets/vendor_case.json", ("expect:", f"{SNIPPET}expect:")),
    "catalog": Input("inv/catalog/switches/own_box.yaml", (NEAR, NEAR.replace("dell_z9864f", "own_box"))),
    "catalog folder": Input("inv/catalog", harmless=("folder",)),
    "records": Input("inv/catalog/switches", harmless=("folder",)),
    "overlays": Input(
        "inv/overlays", verbs=("validate", "render", "diff", "show", "analyze", "lab up"), harmless=("folder",)
    ),
    "waivers": Input("inv/waivers.yaml"),
    "secret": Input("inv/keys/tacacs", ("env:TACACS_KEY", "file:keys/tacacs"), ("secrets",)),
    "header": Input("out/manifest/header.json", verbs=("again", "check", "explain"), harmless=("vanished",)),
    "shard": Input("out/manifest/spine.txt", verbs=("again", "check", "explain")),
    "lock": Input("out/manifest/.lock", verbs=("again",), harmless=("vanished", "unreadable", "5 GB")),
    "rendered": Input(f"out/{LEAF}", verbs=("again", "diff"), harmless=("vanished",)),
    "collected": Input("deployed/leaf-u001-r0/config_db.json", verbs=("diff folder",), harmless=("vanished", "folder")),
    "file": Input("one.json", verbs=("diff file",)),
    "digests": Input("bundle/SHA256SUMS", verbs=("verify", "resume")),
    "plan": Input("bundle/plan.json", verbs=("verify", "resume")),
    "runbook": Input("bundle/runbook.md", verbs=("verify", "resume")),
    "new folder": Input("inv/new", verbs=("init",), harmless=("vanished", "folder")),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An inventory, its rendered tree, and one device as somebody collected it."""
    site = tmp_path_factory.mktemp("obstacles") / "site"
    shutil.copytree(REPOSITORY / "inventories/quickstart", site / "inv")
    run("render", "inv", "-o", "out", cwd=site).exits(0)
    changed = shutil.copytree(site / "inv", site / "changed") / "fabric.yaml"
    changed.write_text(changed.read_text().replace("ntp: [192.168.0.10]", "ntp: [192.168.0.11]"))
    run("rollout", "changed", "out", "-o", "bundle", cwd=site).exits(3)
    (site / "deployed/leaf-u001-r0").mkdir(parents=True)
    shutil.copy(site / "out" / LEAF, site / "deployed/leaf-u001-r0/config_db.json")
    return site


def chosen(obstacle: str) -> list[tuple[str, str]]:
    """(input, verb): some by lot, each input once at most; with FABRICGEN_JUDGE_ALL everything."""
    table = [(name, verb) for name, it in INPUTS.items() for verb in it.verbs if obstacle not in it.harmless]
    if EVERYTHING:
        return table
    source = random.Random(f"{FRESH} {obstacle}")
    first = {name: source.choice([verb for other, verb in table if other == name]) for name, _ in table}
    return source.sample(sorted(first.items()), SAMPLE)


@pytest.mark.sampled(2, of="obstacle")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_every_obstacle_ends_in_a_sentence(obstacle: str, site: Path, tmp_path: Path) -> None:
    runs = chosen(obstacle)
    faults = []
    for number, (name, verb) in enumerate(runs):
        folder = tmp_path / str(number)
        shutil.copytree(site, folder, symlinks=True)
        faults += [f"{name}, {verb}: {fault}" for fault in faults_of(INPUTS[name], obstacle, verb, folder)]
        shutil.rmtree(folder)
    print(f"{obstacle}: {len(runs)} runs")  # noqa: T201 - the count
    assert runs
    assert not faults, "\n".join(faults)


def faults_of(it: Input, obstacle: str, verb: str, folder: Path) -> Iterator[str]:
    """Yield what is wrong with how a verb takes an obstacle."""
    intent, path = folder / "inv/fabric.yaml", folder / it.path
    text = intent.read_text()
    assert it.edit[0] in text
    intent.write_text(text.replace(*it.edit, 1) if it.edit[0] else text)
    line = next((n for n, row in enumerate(intent.read_text().splitlines(), 1) if path.stem in row), 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    OBSTACLES[obstacle](path)
    words = VERBS[verb].split() + (["--overlay", "ask"] if "inv/overlays" in it.path else [])
    code, said = run_child(words, folder, path if obstacle == "vanished" else None)
    if code != 1:
        yield f"exit code {code}: {said[-600:]}"
        return
    if "Traceback" in said or SECRET in said:
        yield f"says {said}"
    if obstacle in NOT_REGULAR and verb.startswith("diff ") and ("FG-DIF-014" not in said or "again" in said):
        yield f"does not say what it is: {said}"
    if "/".join(Path(it.path).parts[-2:]) not in said:
        yield f"does not name the file: {said}"
    if it.edit[0] and verb != "secrets" and f"inv/fabric.yaml:{line}:" not in said:
        yield f"does not name line {line} of the intent: {said}"


def run_child(words: list[str], folder: Path, vanished: Path | None) -> tuple[int, str]:
    """Exit code and output of a verb, negative if it takes too long; root gives up its right to read everything."""

    def limited() -> int:
        used = math.ceil(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        resource.setrlimit(resource.RLIMIT_CPU, (used + CPU_SECONDS, used + CPU_SECONDS))
        sys.stdout, sys.stderr = (os.fdopen(number, "w") for number in (1, 2))
        _give_up_rights()
        if vanished is not None:
            real = os.path.lexists
            os.path.lexists = lambda path: Path(path).absolute() == vanished or real(path)
        return main()

    asked = {"words": words, "cwd": str(folder), "env": {**os.environ}, "terminal": "", "patience_s": WALL_SECONDS}
    done = run_forked(limited, asked)
    return done.returncode, done.stdout + done.stderr


def _give_up_rights() -> None:
    """Let root meet files that it may not read."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, data) == 0
    data[0] &= ~READ_ANYTHING
    assert libc.capset(header, data) == 0
