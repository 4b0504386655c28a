"""No secret of a device or an intent, of any form and at any position, is in any output; all else is in them."""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import Compiled, place_diagnostics
from fabricgen.api.diff import DiffOptions, diff
from fabricgen.cli.app import _explain_failure
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics
from fabricgen.diagnostics import Bag
from fabricgen.diff import report
from fabricgen.diff.junit import write_junit
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.markdown import write_markdown
from fabricgen.diff.summary import DiffSummary
from fabricgen.platforms.reading.reader import ReadFault
from fabricgen.platforms.reading.redaction import OwnText
from tests.property.secret_positions import AT
from tests.sampling import FRESH, sampled

GOLDEN = Path(__file__).resolve().parents[1] / "golden/expected"
LEAF, HOST = "switches/leaf-p1-u01-r0", "hosts/gpu-p1-u01-h1"
Plant = Callable[[str, str, str], str]
SEEDS = (pytest.param(7, id="seeded", marks=pytest.mark.nightly), pytest.param(FRESH, id="fresh"))
POSITIONS = 6
"""Positions of a kind of file at which readers are made to fail; with FABRICGEN_JUDGE_ALL all."""


def in_lines(text: str, position: str, token: str) -> str:
    return f"{text}{position.format(t=token)}\n"


def in_command_line(text: str, position: str, token: str) -> str:
    """A command at the top, or in a section, which is entered once."""
    section, _, line = position.format(t=token).rpartition(" > ")
    if not section:
        return f"{line}\n{text}"
    opening = re.search(rf"^{re.escape(section)}(?: \d+)?\n", text, re.MULTILINE)
    if opening:
        return f"{text[: opening.end()]}   {line}\n{text[opening.end() :]}"
    return f"{section}\n   {line}\n!\n{text}"


def put(tree: Any, position: str, token: str, value: object) -> None:
    *path, last = position.format(t=token).split(" > ")
    for step in path:
        tree = tree.setdefault(step, {})
    tree[last] = value


def in_json(text: str, position: str, token: str) -> str:
    tree = json.loads(text)
    value = "RO" if position.endswith("TYPE") else [token] if "frob" in position and len(token) % 2 else token
    put(tree, position, token, value)
    return json.dumps(tree, indent=4)


def in_flags(text: str, position: str, token: str) -> str:
    tree = json.loads(text)
    put(tree, position, token, token)
    return json.dumps(tree, indent=1)


def in_yaml(text: str, position: str, token: str) -> str:
    from ruamel.yaml import YAML

    yaml, stream = YAML(typ="safe"), io.StringIO()
    tree = yaml.load(text)
    put(next(item["set"] for item in tree if "set" in item) if isinstance(tree, list) else tree, position, token, token)
    yaml.default_flow_style = False
    yaml.dump(tree, stream)
    return stream.getvalue()


KINDS: dict[str, tuple[str, str, list[str], Plant]] = {
    "sonic": ("conformance", f"{LEAF}/etc/sonic/config_db.json", AT["sonic"], in_json),
    "sonic patch": ("conformance", f"{LEAF}/etc/sonic/config_db.json", AT["sonic_taken"], in_json),
    "sonic frr": ("conformance", f"{LEAF}/etc/sonic/frr/frr.conf", AT["frr"], in_command_line),
    "frr": ("conformance-frr", f"{LEAF}/etc/frr/frr.conf", AT["frr"], in_command_line),
    **{
        f"eos {part}": ("conformance-eos", f"{LEAF}/mnt/flash/startup-config", AT["eos"][part::3], in_command_line)
        for part in range(3)
    },
    "nvue": ("conformance-cumulus_nvue", f"{LEAF}/etc/nvue.d/startup.yaml", AT["nvue"], in_yaml),
    "agent": ("conformance-fboss", f"{LEAF}/etc/coop/agent.conf", AT["agent"], in_flags),
    "bgp++": ("conformance-fboss", f"{LEAF}/etc/coop/bgpcpp.conf", AT["bgp"], in_flags),
    "netplan": ("conformance", f"{HOST}/etc/netplan/60-fabricgen.yaml", AT["netplan"], in_yaml),
    "sysctl": ("conformance", f"{HOST}/etc/sysctl.d/90-fabricgen.conf", AT["sysctl"], in_lines),
    "nccl": ("conformance", f"{HOST}/etc/nccl.conf", AT["nccl"], in_lines),
    "environment": ("conformance", f"{HOST}/etc/environment.d/60-fabricgen-rdma.conf", AT["environment"], in_lines),
    "script": ("conformance", f"{HOST}/usr/local/sbin/fabricgen-roce", AT["script"], in_lines),
    "firmware": ("conformance", f"{HOST}/usr/local/sbin/fabricgen-mlxconfig", AT["script"], in_lines),
    "unit": ("conformance", f"{HOST}/etc/systemd/system/fabricgen-roce@.service", AT["unit"], in_lines),
    "udev": ("conformance", f"{HOST}/etc/udev/rules.d/60-rdma-persistent-naming.rules", AT["rules"], in_lines),
}
FREE = {
    kind: AT[f"{name}_free"]
    for name, kinds in {
        "sonic": ("sonic",), "frr": ("sonic frr", "frr"), "eos": ("eos 0",), "nvue": ("nvue",), "netplan": ("netplan",),
        "flags": ("agent", "bgp++"), "settings": ("sysctl", "nccl", "environment"),
        "script": ("script", "firmware", "unit"), "rules": ("udev",),
    }.items()
    for kind in kinds
}  # fmt: skip
"""Positions at which nothing but its look tells a secret."""


def draw(rng: random.Random) -> str:
    """A token: letters and digits, a number, or with signs that stand in passwords."""
    word = "".join(rng.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789", k=12))
    return rng.choice([f"z{word}", f"9{rng.randrange(10**11):011}", f"q{word}.{word[:4]}-x"])


def draw_alike(rng: random.Random) -> str:
    """A token that looks like a secret wherever it stands."""
    return "".join(rng.choice("abcdefghjkm") + rng.choice("ABCDEFGH") + rng.choice("23456789") for _ in range(4))


def draw_all(kind: str, rng: random.Random) -> dict[str, str]:
    placed = {position: draw(rng) for position in KINDS[kind][2]}
    return placed | {position: draw_alike(rng) for position in FREE.get(kind, ())}


def outputs(summary: DiffSummary, bag: Bag) -> Iterator[str]:
    placed = place_diagnostics(bag, None)
    for details in (False, True):
        yield report.write_text(summary, details=details, unmanaged=True)
        yield json.dumps(report.to_data(summary, placed, details=details, unmanaged=True), ensure_ascii=False)
        yield write_markdown(summary, placed, details=details, unmanaged=True)
        yield write_junit(summary, placed, details=details)
    everything = Bag()
    everything.extend([*placed, *report.to_diagnostics(summary, details=True)])
    yield from printed(everything, None, devices=True)


def printed(bag: Bag, compiled: Compiled | None, *, devices: bool = False) -> Iterator[str]:
    for form in DiagnosticFormat:
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            print_diagnostics(bag, compiled, form, devices=devices)
        yield told.getvalue()


def make_side(folder: Path, kind: str, plants: dict[str, str]) -> Path:
    """One device's folder of the goldens, with tokens in one of its files."""
    fabric, path, _, plant = KINDS[kind]
    device = "/".join(path.split("/")[:2])
    shutil.copytree(GOLDEN / fabric / "config" / device, folder / device)
    file = folder / path
    text = file.read_text(encoding="utf-8")
    for position, token in plants.items():
        text = plant(text, position, token)
    file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.sampled(1, of="kind")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_output_of_a_comparison_tells_a_secret(kind: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(f"{seed}{kind}")
    tokens = [draw_all(kind, rng) for _ in range(2)]
    sides = {"deployed": ({}, tokens[0]), "intended": (tokens[1], {}), "both": (tokens[1], tokens[0])}
    checked, found = 0, []
    for name, (wanted, have) in sides.items():
        folder = tmp_path / name
        bag, options = Bag(), DiffOptions(folder, details=True, causes=False, patches=folder / "p")
        sides_made = [make_side(folder / which, kind, plants) for which, plants in (("i", wanted), ("d", have))]
        summary = diff(*map(str, sides_made), options, bag)
        assert {fault.code for fault in bag} <= {"FG-DIF-075", "FG-DIF-076"}, [fault.message for fault in bag]
        assert summary.totals.changes or summary.totals.unmanaged, "what differs is told, though not how"
        written = {path: path.read_text() for path in (folder / "p").rglob("*") if path.is_file()}
        assert written or kind == "sonic"
        shown = {*wanted.values(), *have.values()}
        texts = (*outputs(summary, bag), *written.values())
        found += [(name, text) for text in texts for token in shown if token in text]
        checked += len(texts) * len(shown)
    print(f"{kind}, seed {seed}: {2 * len(tokens[0])} tokens, {checked} looked for, {len(found)} found")  # noqa: T201 - figures
    assert not found, (seed, [(where, text[:3000]) for where, text in found[:3]])


TEXTS = tuple(kind for kind, (*_, plant) in KINDS.items() if plant not in (in_json, in_flags))
_SHORT = "qzxjQZXJ"


def draw_short(rng: random.Random, text: str) -> str:
    """A secret of three characters, as a PIN or a key id is, that a file does not have."""
    return next(token for _ in range(10**6) if (token := "".join(rng.choices(_SHORT, k=3))) not in text)


@pytest.mark.sampled(5, of="kind")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", TEXTS)
def test_no_patch_of_a_text_writes_a_short_secret_again(kind: str, seed: int, tmp_path: Path) -> None:
    """Short ones are looked for by their places, since their characters stand in other words as well."""
    fabric, path, positions, _ = KINDS[kind]
    rng, text = random.Random(f"{seed}{kind}"), (GOLDEN / fabric / "config" / path).read_text(encoding="utf-8")
    tokens = {position: draw_short(rng, text) for position in positions}
    sides = [make_side(tmp_path / which, kind, plants) for which, plants in (("i", {}), ("d", tokens))]
    patches = tmp_path / "p"
    bag = Bag()
    assert diff(*map(str, sides), DiffOptions(tmp_path, details=True, causes=False, patches=patches), bag) is not None
    written = [file.read_text() for file in patches.rglob("*") if file.is_file()]
    assert written
    words = {word for text in written for word in re.findall(r"[A-Za-z0-9]+", text)}
    found = {position for position, token in tokens.items() if token in words}
    print(f"{kind}, seed {seed}: {len(tokens)} short tokens, {len(written)} files, {len(found)} found")  # noqa: T201
    assert not found


def test_what_is_no_secret_is_written_as_it_is(tmp_path: Path) -> None:
    """Numbers, names and free text of the device's own lines, on screens and in the undo files."""
    for kind, line in (
        ("eos 0", "ip virtual-router mac-address mlag-peer"),
        ("eos 0", "frobnicate 9214"),
        ("frr", "router bgp 65001 > neighbor 192.0.2.3 frob 10"),
        ("script", "    --dscp2prio set,26,3"),
        ("nccl", "NCCL_DEBUG = INFO"),
        ("netplan", "network > ethernets > e9 > mtu"),
    ):
        folder = tmp_path / f"{kind} {line}".replace("/", " ").replace(">", " ")
        token = "Rack 12" if kind == "netplan" else ""
        sides = [make_side(folder / which, kind, plants) for which, plants in (("i", {}), ("d", {line: token}))]
        patches, bag = folder / "p", Bag()
        summary = diff(
            *map(str, sides), DiffOptions(tmp_path, details=True, unmanaged=True, causes=False, patches=patches), bag
        )
        written = "\n".join(file.read_text() for file in patches.rglob("*") if file.is_file())
        assert (token or line.rpartition(" > ")[2].strip()) in written, kind
        assert "@fabricgen-secret:deployed" not in written, kind
        assert "(not shown)" not in report.write_text(summary, details=True), kind


def test_values_are_hidden_where_logs_are_public(tmp_path: Path) -> None:
    """With ``--values hide`` no word of a device is shown that fabricgen did not render."""
    line = "router bgp > neighbor 192.0.2.12 description Rack 12"
    sides = [make_side(tmp_path / which, "eos 0", plants) for which, plants in (("i", {}), ("d", {line: ""}))]
    options = DiffOptions(tmp_path, details=True, causes=False)
    shown, hidden = (diff(*map(str, sides), replace(options, hides_values=hides), Bag()) for hides in (False, True))
    assert "Rack 12" in report.write_text(shown, details=True)
    told = report.write_text(hidden, details=True) + json.dumps(
        report.to_data(hidden, [], details=True, unmanaged=True)
    )
    assert not [word for word in ("Rack", "192.0.2.12") if word in told]


def refusal(read: Callable[[str], object], text: str) -> str:
    """Return why a reader rejects a text; empty if it does not."""
    try:
        read(text)
    except ReadFault as fault:
        return str(fault)
    return ""


@pytest.mark.nightly
@pytest.mark.parametrize("seed", SEEDS)
def test_no_fault_of_a_file_quotes_it(seed: int) -> None:
    """Every position twice, cut off, and with a key twice: whatever a reader refuses, it quotes no token."""
    rng, kinds, refused = random.Random(seed), load_kinds(None, Bag()), 0
    for name, (fabric, path, positions, plant) in KINDS.items():
        folder, _, rest = path.split("/", 2)
        kind = kinds.of_device(folder, [rest])[rest]
        text = (GOLDEN / fabric / "config" / path).read_text(encoding="utf-8")
        for position in sampled(positions, POSITIONS, f"{seed} {name}"):
            one, other = draw(rng), draw(rng)
            once = plant(text, position, one)
            bare = position.format(t=one).rpartition(" > ")[2]
            spoilt = [
                plant(once, position, other),
                once[: once.rindex(one) + len(one)],
                f"{bare}\n{once}",
                f"{once}\n{bare}",
            ]
            for broken in (*spoilt, once.replace(f'"{one}"', f'"{one}": 1, "{one}"'), once.replace("sw", one, 1)):
                told = refusal(kind.read, broken)
                refused += bool(told)
                assert not [token for token in (one, other) if token in told], (seed, name, position)
    print(f"seed {seed}: {refused} faults")  # noqa: T201 - figures
    assert refused > 8 * POSITIONS


def test_an_internal_error_tells_where_and_not_what(capsys: pytest.CaptureFixture[str]) -> None:
    token = draw(random.Random(3))
    error, cause = ValueError(f"not {token}"), KeyError(token)
    with pytest.raises(ValueError, match=token) as caught:
        raise error from cause
    assert _explain_failure(caught.value) == 70
    told = capsys.readouterr().err
    assert token not in told
    assert "test_redaction.py" in told
    assert "KeyError" in told
    assert "ValueError" in told


def test_what_is_rendered_is_shown() -> None:
    """A rendered file holds references, and all of it may be shown."""
    kinds, checked = load_kinds(None, Bag()), 0
    for folder in sorted(GOLDEN.glob("conformance*/config/*/*")):
        paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
        for path, kind in kinds.of_device(folder.parent.name, paths).items():
            text = (folder / path).read_text(encoding="utf-8")
            tree = kind.read(text)
            redaction = kind.redaction.knowing(OwnText(text))
            assert redaction.value((), tree) == tree, (folder.name, path)
            assert redaction.file(text, path, lambda word, _: word.upper()) == text, (folder.name, path)
            checked += 1
    assert checked > 50


def test_files_around_frr_are_shown_but_for_planted_lines() -> None:
    """Daemons, services, units and ports of a plain Linux switch: rendered lines are shown, planted ones are not."""
    base = GOLDEN / "conformance-frr/config" / LEAF
    paths = [path.relative_to(base).as_posix() for path in sorted(base.rglob("*")) if path.is_file()]
    kinds, rng, checked = load_kinds(None, Bag()).of_device("switches", paths), random.Random(5), 0
    for path in paths:
        if path.endswith(("/frr.conf", ".yaml")) or "/sysctl.d/" in path:
            continue
        lines = (base / path).read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if kinds[path].redaction.line(line) != line] == []
        for position in (*AT["script"], *AT["unit"], *AT["rules"], *AT["services"]):
            token = draw(rng)
            assert token not in kinds[path].redaction.line(position.format(t=token)), (path, position)
        checked += 1
    assert checked >= 7
