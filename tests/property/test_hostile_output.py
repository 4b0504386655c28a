"""Hostile texts in deployed trees, intents, waivers, overlays, names and revisions: every verb and format stays clean.

What is printed and what reports hold is judged by bytes: line feeds and nothing else that has no glyph, colours of ours
where they are forced, no workflow command of anybody else's; and each format is read by a parser of its own.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from tests.acceptance.run import INVENTORIES, render_here
from tests.command_line import run_here
from tests.sampling import EVERYTHING, FRESH
from tests.unit.diagnostics.test_visible import is_seen

EXPECTED = Path(__file__).parents[1] / "golden/expected"
PLATFORMS = ("conformance", "conformance-eos", "conformance-cumulus_nvue", "conformance-fboss", "conformance-frr")
ATTACKS = (
    "\x1b[31m", "\x1b]8;;http://x\x1b\\", "\x1b]52;c;eA==\x07", "\x9b2J", "\x9d0;x\x9c", "\r", "\x08\x08",
    "\x07", "\x7f", "\u202e", "\u2066", "\u2069", "\u200b", "\U000e0041", "\u2028", "\u2029", "\x85", "\ufeff",
    "\u3164", "\xa0", "\ufe0f", "|", "\\|", "`", "``", "<img src=x>", "</details>", "[a](http://x)", "@all",
    "::error::x", "##[error]x", "##vso[a]b", "\n::add-mask::x", "%0A", "]]>", "&amp;", "'", "\"", "[red]",
    "[/]", "[link=http://x]y", ":smile:", "{0}", "\\", "é", "日",
)  # fmt: skip
OUR_HTML = re.compile(
    r"</?details>(?:<summary>(?:waivers|not compared|every change|all [0-9,]+ devices of the wave [a-z ]+)</summary>)?"
)
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


class Planted:
    """Draws hostile texts and counts them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.count = 0

    def text(self, without: str = "") -> str:
        """Words with attacks in them; ``without`` lists characters that cannot stand there."""
        self.count += 1
        parts = self.chance.choices(ATTACKS, k=self.chance.randint(1, 3))
        return "".join(sign for sign in f"x{self.count}" + "y".join(parts) if sign not in without)


def is_clean(text: str, *, colored: bool = False) -> bool:
    """Return whether nothing of a text is hidden, but for colours."""
    return is_seen(_COLOR.sub("", text) if colored else text)


def run(*words: str) -> tuple[str, str, int]:
    """Return what a command prints to stdout and stderr, as text of the bytes, and its exit code."""
    code, out, err = run_here(*words)
    colored = bool(os.environ.get("FORCE_COLOR"))
    for text in (out, err):
        assert is_clean(text, colored=colored), (words, FRESH, ascii(text)[:2000])
        assert not re.search(r"##\w*\[", text), (words, FRESH)
        commands = [line for line in text.split("\n") if re.match(r"\s*::", line)]
        assert not commands or "github" in words, (words, FRESH, commands[:3])
    assert code in (0, 1, 2, 3), (words, FRESH, err[-2000:])
    return out, err, code


def parse(form: str, out: str) -> None:
    """Read an output by a parser of its format; nothing planted has a meaning there."""
    if form in ("json", "sarif"):
        data = json.loads(out)
        assert form == "json" or all("](" not in item["message"]["text"] for item in data["runs"][0]["results"])
    elif form == "junit":
        assert {item.tag for item in ElementTree.fromstring(out).iter()} <= {
            "testsuites", "testsuite", "testcase", "error", "failure", "skipped", "system-out",
        }  # fmt: skip
    elif form == "markdown":
        for token in MarkdownIt("gfm-like", {"linkify": False}).parse(out):
            assert token.type != "html_block" or OUR_HTML.fullmatch(token.content.strip()), token.content
            kinds = [(child.type, child.content) for child in token.children or []]
            bad = [kind for kind in kinds if kind[0] not in ("text", "code_inline", "softbreak", "html_inline")]
            assert not bad, (FRESH, bad)
            assert all(text == "<br>" for kind, text in kinds if kind == "html_inline")
    elif form == "github":
        assert all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in out.splitlines()), FRESH


def poison(file: Path, planted: Planted) -> None:
    """Plant texts into a deployed file: keys and values of JSON, lines and ends of lines of any other text."""
    if file.suffix == ".json" or (file.suffix == ".conf" and file.read_text().startswith("{")):
        data = json.loads(file.read_text())
        for table in list(data.values())[:40]:
            if isinstance(table, dict):
                key = planted.text()
                table[key] = {planted.text(): planted.text()} if planted.chance.random() < 0.7 else planted.text()
                for row in list(table.values())[:3]:
                    if isinstance(row, dict):
                        row.update({name: planted.text() for name in list(row)[:1]})
        data[planted.text()] = {planted.text(): {}}
        file.write_text(
            json.dumps(data, ensure_ascii=planted.chance.random() < 0.5).encode("utf-8", "replace").decode()
        )
        return
    lines = file.read_text().split("\n")
    for _ in range(60):
        at = planted.chance.randrange(len(lines))
        word = planted.text("\n\r\ud800")
        lines[at] = planted.chance.choice([f"{lines[at]}{word}", f"{lines[at]}\n{word}", f"description {word}"])
    file.write_text("\n".join(lines))


def poison_tree(tree: Path, deployed: Path, planted: Planted) -> None:
    """A copy of a tree with poisoned files, and files and devices of hostile names beside them."""
    shutil.copytree(tree, deployed, ignore=shutil.ignore_patterns("manifest"))
    files = [path for path in sorted(deployed.rglob("*")) if path.is_file()]
    for file in planted.chance.sample(files, min(len(files), 12)):
        poison(file, planted)
    for at, file in enumerate(planted.chance.sample(files, min(len(files), 8))):
        name = planted.text("/")[:60]
        (file.parent / name).write_text(planted.text())
        other = deployed / "switches" / planted.text("/")[:60]
        if at < 3:
            shutil.copytree(next(iter(sorted((deployed / "switches").iterdir()))), other, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "out"
    assert render_here(INVENTORIES / "quickstart", folder) == []
    return folder


def seeds() -> Iterator[Planted]:
    """A fresh seed, and a fixed one where everything is asked for."""
    if EVERYTHING:
        yield Planted(11)
    yield Planted(FRESH)


@pytest.mark.sampled(1, of="name")
@pytest.mark.parametrize("name", [*PLATFORMS, "quickstart"])
def test_deployed_trees(name: str, rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    tree = rendered if name == "quickstart" else EXPECTED / name / "config"
    for round_, planted in enumerate(seeds()):
        deployed = tmp_path / f"d{round_}{planted.text('/')[:40]}"
        poison_tree(tree, deployed, planted)
        for form in ("text", "json", "markdown", "sarif", "junit"):
            words = ["diff", str(tree), str(deployed), "--format", form, "--details", "--unmanaged"]
            out, _, code = run(*words[: 5 + 2 * (form in ("text", "json"))])
            assert code in (1, 3)
            parse(form, out)
        with monkeypatch.context() as forced:
            forced.setenv("FORCE_COLOR", "1")
            run("diff", str(tree), str(deployed))
        patches = tmp_path / f"p{round_}"
        run("diff", str(tree), str(deployed), "--patch", str(patches))
        for steps in patches.rglob("steps"):
            assert is_clean(steps.read_bytes().decode()), (FRESH, steps.read_text()[:2000])
        count += planted.count
    sys.stdout.write(f"{count} texts planted, seed {FRESH}\n")
    assert count > 50


def test_intents_waivers_overlays_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    for round_, planted in enumerate(seeds()):
        for at in range(5):
            folder = tmp_path / f"{round_}-{at}{planted.text('/')[:50]}"
            shutil.copytree(INVENTORIES / "quickstart", folder)
            poison_inventory(folder, planted)
            form = ("text", "json", "sarif", "junit", "github")[at % 5]
            overlays = ["--overlay", str(folder / "over.yaml")] if at % 2 else []
            out, _, _ = run("validate", str(folder), "--format", form, *overlays)
            parse(form, out)
            run("render", str(folder), "-o", str(folder / planted.text("/")[:50]), *overlays)
            run("show", str(folder), "devices", *overlays)
            run("explain", planted.text())
            run("explain", f"{folder}/{planted.text('/')}:1")
            run("diff", str(folder), planted.text("\ud800"))
            run("init", str(folder / planted.text("/")[:50]), "--blueprint", planted.text())
            run(planted.text(), planted.text())
            run("show", str(folder), planted.text())
        count += planted.count
    sys.stdout.write(f"{count} texts planted, seed {FRESH}\n")
    assert count > 75


def poison_inventory(folder: Path, planted: Planted) -> None:
    """Plant texts as keys and values of an intent, an overlay, waivers and the asset list."""
    intent, plant = folder / "fabric.yaml", planted.text
    lines = intent.read_text().split("\n")
    quoted = json.dumps(plant(), ensure_ascii=planted.chance.random() < 0.5)
    extra = planted.chance.choice([
        f"{quoted}: 1", f"operations_{plant(chr(10))}: 1",
        f"exceptions: [{{device: {quoted}, state: drained, reason: {quoted}}}]",
        f"tiers: {quoted}", f"- {plant()}", f"units: [{quoted}, {{{quoted}: {quoted}}}]", f"# {plant(chr(10))}",
    ])  # fmt: skip
    lines.insert(planted.chance.randrange(len(lines)), extra)
    text = "\n".join(lines).replace("quickstart", plant() if planted.chance.random() < 0.2 else "quickstart", 1)
    intent.write_text(text.encode("utf-8", "replace").decode())
    entry = {key: plant() for key in ("code", "owner", "expires", "reason", plant())}
    (folder / "waivers.yaml").write_text(json.dumps([entry, plant()], ensure_ascii=planted.chance.random() < 0.5))
    (folder / "over.yaml").write_text(json.dumps({plant(): plant(), "operations": {"snmp": {"location": plant()}}}))


def test_git_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = Planted(FRESH)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    for _ in range(10):
        form = planted.chance.choice(("text", "markdown", "json", "junit", "sarif"))
        side = f"{planted.text(chr(10))}:{planted.text()}"
        out, _, code = run("diff", side, "HEAD:x", "--format", form)
        assert code == 1
        if form != "markdown":
            parse(form, out or "{}") if form == "json" else None


def test_the_judge_sees_what_it_looks_for() -> None:
    for attack in ATTACKS[:21]:
        assert not is_clean(f"a{attack}b"), ascii(attack)
    assert is_clean("\x1b[1;31ma\x1b[0m", colored=True)
    assert not is_clean("\x1b[2J", colored=True)
    assert isinstance(sys.stdout, io.TextIOBase)
