"""No secret that a user wrote into a snippet is in any output, and words that are wrong are told."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.api import Compiled, compile_inventory
from fabricgen.api.explain import explain_file
from fabricgen.cli.output import DiagnosticFormat
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.secrets import show_line_of_file
from tests.command_line import run_here
from tests.property.secret_positions import AT
from tests.property.test_redaction import SEEDS, draw, draw_alike, printed, put
from tests.unit.diff import frr_daemons
from tests.unit.snippets.snippet_fabric import write_fabric

KINDS = {
    "frr": ("frr", "frr.conf", "etc/frr/frr.conf", AT["frr"]),
    "sonic frr": ("sonic", "frr.conf", "etc/sonic/frr/frr.conf", AT["frr"]),
    "eos": ("eos", "startup-config.conf", "mnt/flash/startup-config", AT["eos"]),
    "sonic": ("sonic", "config_db.json", "etc/sonic/config_db.json", AT["sonic"]),
    "agent": ("fboss", "agent.json", "etc/coop/agent.conf", AT["agent"] + AT["agent_sections"]),
    "bgp++": ("fboss", "bgpcpp.json", "etc/coop/bgpcpp.conf", AT["bgp"] + AT["bgp_sections"]),
}


def write_snippet(file: str, positions: dict[str, str]) -> str:
    if not file.endswith(".json"):
        return "".join(position.format(t=token).replace(" > ", "\n   ") + "\n" for position, token in positions.items())
    tree: dict[str, object] = {}
    for position, token in positions.items():
        put(tree, position, token, token)
    return json.dumps(tree, indent=1)


def outputs(compiled: Compiled, bag: Bag, path: str) -> Iterator[str]:
    """Everything that is said of the first spine's file."""
    yield from printed(bag, compiled)
    for explanation in explain_file(compiled, path, Bag()):
        yield explanation.text(path, compiled.folder)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_output_tells_what_a_snippet_hides(kind: str, seed: int, tmp_path: Path) -> None:
    """Every fault of a snippet is shown; every line of its file is explained."""
    platform, file, path, everything = KINDS[kind]
    rng = random.Random(f"{seed}{kind}")
    positions = {
        position: draw_alike(rng) if file.endswith(".json") and "{t}" in position else draw(rng)
        for position in everything
    }
    bag = Bag()
    folder = write_fabric(tmp_path, platform, file, write_snippet(file, positions))
    found = list(outputs(compile_inventory(folder, (), bag), bag, f"switches/spine-01/{path}"))
    assert len(found) > len(DiagnosticFormat) + len(positions) / 2, "lines are explained"
    if "frr" in kind:
        frr_daemons.require()
        assert sum("snippets" in str(item.place) for item in bag) > 1
    leaks = [
        (text[max(0, text.index(token) - 300) :][:600], token)
        for text in found
        for token in positions.values()
        if token in text
    ]
    print(f"{kind}, seed {seed}: {len(positions)} tokens, {len(found)} outputs, {len(leaks)} leaks")  # noqa: T201
    assert not leaks, (seed, leaks[:3])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_snippet_over_which_nothing_is_laid_is_not_quoted(seed: int, tmp_path: Path) -> None:
    """Of a platform whose files are YAML; FG-EXC-901."""
    rng, bag = random.Random(seed), Bag()
    positions = {position: draw(rng) for position in AT["nvue"]}
    folder = write_fabric(tmp_path, "cumulus_nvue", "startup.yaml", write_snippet("x.json", positions))
    compiled = compile_inventory(folder, (), bag)
    assert "FG-EXC-901" in {item.code for item in bag}
    found = [token for told in printed(bag, compiled) for token in positions.values() if token in told]
    print(f"nvue, seed {seed}: {len(positions)} tokens, {len(found)} leaks")  # noqa: T201 - figures
    assert not found


@pytest.mark.parametrize("seed", SEEDS)
def test_no_path_under_overrides_tells_a_secret(seed: int, tmp_path: Path) -> None:
    """In the message, at its path, and in the lines of the intent that are quoted; what is known stays readable."""
    rng, bag = random.Random(seed), Bag()
    community, other = draw(rng), draw_alike(rng)
    folder = write_fabric(tmp_path, "sonic", "config_db.json", '{"PORT": {"Ethernet0": {"mtu": "1500"}}}')
    intent = folder / "fabric.yaml"
    paths = f"['SNMP_COMMUNITY > {community}', 'UNKNOWN > {other} > x', 'PORT > Ethernet8 > mtu', 'PORTT > Ethernet8']"
    named = "raw: {sonic: snippets/1/config_db.json}"
    assert named in intent.read_text()
    own = f"raw: {{sonic: [{{file: snippets/1/config_db.json, overrides: {paths}}}]}}"
    intent.write_text(intent.read_text().replace(named, own))
    compiled = compile_inventory(folder, (), bag)
    told = list(outputs(compiled, bag, "switches/spine-01/etc/sonic/config_db.json"))
    assert not [text for text in told if community in text or other in text]
    shown = next(text for text in told if "FG-EXC-022" in text)
    for words in (
        "SNMP_COMMUNITY > (not shown)",
        "UNKNOWN > (not shown)",
        "change PORT > Ethernet8 > mtu",
        "PORTT > Ethernet8",
    ):
        assert words in shown
    assert shown.count("FG-EXC-022") == 4


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("router bgpp 65001", "router bgpp 65001"),
        ("neighbor 10.0.0.1 remote-as 65001", "neighbor 10.0.0.1 remote-as 65001"),
        ("neighbor 10.0.0.1 pasword 7 abc", "neighbor 10.0.0.1 pasword 7 (not shown)"),
        ("  neighbor x password 7 abc", "  neighbor x password 7 (not shown)"),
        ("qos profle RDMA", "qos profle RDMA"),
        ("paswrd 12345", "paswrd (not shown)"),
        ("interface Ethernt1/1", "interface Ethernt1/1"),
        ("snmp-server community public ro", "snmp-server community (not shown) ro"),
        ("mtu 99999", "mtu 99999"),
    ],
)
def test_a_line_is_quoted_but_for_its_secrets(line: str, shown: str) -> None:
    assert show_line_of_file(line) == shown
    placed = show_line_of_file(line, len(line))
    assert [at for at, sign in enumerate(placed) if sign != line[at]] == [
        at for at in range(len(line)) if placed[at] in "… " and line[at] not in "… "
    ], "what is shown keeps its column"


def run(*words: object) -> tuple[int, str]:
    done = run_here(*map(str, words))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("seed", SEEDS)
def test_no_command_tells_what_a_snippet_hides(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that FRR takes: validate, render with every check, explain of the rendered lines, and an internal error."""
    frr_daemons.require()
    token = draw(random.Random(seed))
    text = f"password {token}\nrouter bgp 4200000000\n neighbor LAB peer-group\n neighbor LAB password {token}\n"
    monkeypatch.chdir(tmp_path)
    home, tree = write_fabric(tmp_path / "home", "frr", "frr.conf", text), tmp_path / "out"
    (home / "waivers.yaml").write_text("- {code: FG-EXC-167, owner: a, expires: 2099-12-31, reason: a vendor case}\n")
    code, told = run("render", home, "-o", tree, "--verify")
    assert (code, token in told) == (0, False), told
    file = tree / "switches/spine-01/etc/frr/frr.conf"
    lines = [number for number, line in enumerate(file.read_text().split("\n"), 1) if token in line]
    assert len(lines) == 2
    for number in lines:
        code, told = run("explain", f"{file}:{number}", "--inventory", home)
        assert (code, token in told) == (0, False), told
        assert "snippets/1/frr.conf" in told
    (home / "snippets/1/frr.conf").write_text(f"{text} neighborr LAB password {token}\n")
    for words in (
        ("validate", home),
        ("render", home, "-o", tree, "--check"),
        ("render", home, "-o", tree, "--verify"),
    ):
        for form in DiagnosticFormat:
            code, told = run(*words, "--format", form.value)
            assert (code, token in told) == (1, False), told
            assert "neighborr" in told

    def fail(*_: object) -> None:
        raise ValueError(token)

    monkeypatch.setattr("fabricgen.snippets.changed._check_snippet", fail)
    code, told = run("validate", home)
    assert (code, token in told) == (70, False), told
    assert "ValueError" in told
