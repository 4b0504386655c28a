"""Reading an intent: one mistake is told once, where it stands, in words; what a repair does is not told."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag, Diagnostic, Nearest
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.load import load_intent
from fabricgen.intent.settings import read_value
from fabricgen.source import load_document

GOOD = """\
fabric: small
hosts: {server: dgx_h100_8, nic: connectx7_400g, per_unit: 4}
units: 2
tiers:
  leaf: {model: dell_z9864f, platform: sonic}
  spine: {model: dell_z9864f, platform: sonic, per: fabric, count: 2}
links:
  host-leaf: {speed: 400G, cable: {media: dac, length_m: 3}}
  leaf-spine: {speed: 400G, cable: {media: smf, length_m: 30}}
"""


def read(tmp_path: Path, text: str) -> tuple[FabricIntent | None, list[Diagnostic]]:
    """The intent of a document, and everything that is said of it."""
    path = tmp_path / "fabric.yaml"
    path.write_text(text)
    bag = Bag()
    document = load_document(path, bag)
    return load_intent(document, bag).record, list(bag)


def told(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    """Code and message of everything that is said of a document."""
    return [(diagnostic.code, diagnostic.message) for diagnostic in read(tmp_path, text)[1]]


@pytest.mark.parametrize(
    "line",
    [
        "exceptions: [{device: spine-01, raw: {sonic: ../x.json}, reason: r}]",
        "exceptions: [{device: spine-01, raw: {sonic: [{file: /etc/x}]}, reason: r}]",
        "exceptions: [{link: [leaf-u001-r0, spine-01], n: 2, ports: {leaf-u001-r0: 47-1}, reason: r}]",
        "exceptions: [{link: [leaf u001, spine-01], state: absent, reason: r}]",
        "operations: {users: [{name: Root, ssh_key: ssh-ed25519 AAAA}]}",
        "addressing: {families: [v6]}",
    ],
)
def test_a_mistake_is_told_once(line: str, tmp_path: Path) -> None:
    assert told(tmp_path, GOOD) == []
    assert len(told(tmp_path, f"{GOOD}{line}\n")) == 1


def test_mistakes_beside_each_other_are_all_told(tmp_path: Path) -> None:
    said = told(tmp_path, f"{GOOD}operations: {{timezone: 5 past, users: [{{name: Root, ssh_key: abc}}], ntp: 7}}\n")
    assert sorted(code for code, _ in said) == ["FG-INT-003", "FG-INT-003", "FG-INT-003", "FG-INT-003"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("units: 2", "units: ~", "units is empty; it must be a mapping"),
        ("units: 2", "units: 2.5", "units: 2.5 is neither a whole number"),
        ("tiers:", "operations: ~\ntiers:", "operations is empty; it must be a mapping"),
        ("tiers:", "operations: [ntp]\ntiers:", "operations is the list ['ntp']; it must be a mapping"),
        ("tiers:", "addressing: {loopbacks: [a]}\ntiers:", "loopbacks: ['a'] is neither an address pool"),
        ("per: fabric", "per: true", "tiers.spine.per is true; allowed are pod, zone, fabric"),
        ("length_m: 30", "length_m: thirty", "length_m is the text 'thirty'; it must be a number"),
        ("fabric: small", "fabric: My Fabric", "fabric: 'My Fabric' is not a name: up to 63 lower-case letters"),
        ("tiers:", "collectives: {telemetry_path: logs}\ntiers:", "'logs' is not a folder from the root"),
        ("leaf-spine:", "leafspine:", "'leafspine' is not a link: two tiers with a hyphen between them"),
    ],
)
def test_a_value_is_shown_as_it_is_written(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in GOOD
    assert words in "\n".join(message for _, message in told(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize("path", ["../other.yaml", "a/../../b.yaml", "/etc/hosts", "a.yaml\\n"])
def test_files_beside_the_intent_stay_in_its_folder(path: str, tmp_path: Path) -> None:
    ((code, message),) = told(tmp_path, f'{GOOD}workload: "{path}"\n')
    assert code == "FG-INT-003"
    assert "below the inventory's folder" in message


@pytest.mark.parametrize("key", ["file:/etc/shadow", "file:../x", "sops:/etc/x#k", "sops:a/../../x#k", "sops:a.yaml"])
def test_secrets_stay_in_the_folder_and_are_not_shown(key: str, tmp_path: Path) -> None:
    ((code, message),) = told(tmp_path, f'{GOOD}operations: {{snmp: {{community: {{secret: "{key}"}}}}}}\n')
    assert code == "FG-INT-003"
    assert "files lie below the inventory's folder" in message
    assert key not in message


@pytest.mark.parametrize(
    ("leaf", "value", "words", "hint"),
    [
        ("operations.gnmi.port", 9339, "the intent has no operations.gnmi", "add operations.gnmi to the intent"),
        (
            "lossless.watchdog.detection_ms",
            10**6,
            "lossless.watchdog.detection_ms is 1000000; at most ",
            "use at most ",
        ),
        ("operations.timezone", "5 past", "operations.timezone: '5 past' is not the name of a time zone", ""),
        ("operations.ntpp", [], "operations.ntpp cannot be set for one switch", "did you mean operations.ntp?"),
        ("routing.hosts", "bgp", "routing.hosts cannot be set for one switch", "set one of lossless.watchdog."),
    ],
)
def test_a_setting_of_an_exception_is_refused_in_the_words_of_its_leaf(
    leaf: str, value: object, words: str, hint: str, tmp_path: Path
) -> None:
    intent, _ = read(tmp_path, GOOD)
    found = read_value(intent, tuple(leaf.split(".")), value, Nearest())
    assert found.text.startswith(words)
    assert found.hint.startswith(hint)


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("routing: {ecmp: {max_paths: 2000}}", "max_paths is 2000; at most 1024 is allowed", "use at most 1024"),
        ("routing: {ecmp: {max_paths: atuo}}", "'atuo' is not auto, or a whole number", "write auto"),
        ("routing: {ecmp: {max_paths: [1]}}", "[1] is not auto, or a whole number", "write auto, or a whole number"),
        ("addressing: {management: {pool: 10.9.0.0/16, gateway: frist}}", "'frist' is not first, last, or", "first"),
        ("addressing: {fabric_links: unumbered}", "'unumbered' is not unnumbered, or an address pool", "unnumbered"),
        ("addressing: {fabric_links: 10.0.0.1/8}", "has host bits set; the pool is 10.0.0.0/8", "write 10.0.0.0/8"),
        ("lossless: {ecn: Computed}", "'Computed' is not computed, or the name of", "write computed"),
        (
            "exceptions: [{device: a, reason: x, set: {mtu: {c: 1}}}]",
            "set.mtu is not a text, a number",
            "write a text,",
        ),
    ],
)
def test_a_value_that_may_also_be_a_word_has_one_fault(line: str, message: str, hint: str, tmp_path: Path) -> None:
    _, (fault,) = read(tmp_path, f"{GOOD}{line}\n")
    assert message in fault.message
    assert hint in fault.hint
