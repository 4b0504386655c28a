"""Manifests: what a good one becomes, and where each fault of a bad one is shown."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.platforms.manifest.capabilities import SwitchCapabilities, fields_of
from fabricgen.platforms.manifest.load import load_platforms, written_value
from fabricgen.platforms.manifest.spec import Output, PlatformSpec, TemplatePart

GOOD = """\
platform: toy
kind: switch
target: "202511"
ports: "swp{cage}s{subport}"
capabilities: {bfd: true, CAPABILITIES}
hash_algorithms: [CRC, XOR]
outputs:
  - path: etc/toy/config.json
    format: json
    mode: "0640"
    parts:
      - {template: class.j2, scope: class}
      - {template: sub/device.j2, scope: device}
"""

CAPABILITIES = ", ".join(
    f"{name}: {written_value(field, field.nothing)}" for name, field in fields_of("switch").items() if name != "bfd"
)
GOOD = GOOD.replace("CAPABILITIES", CAPABILITIES)


def write_platform(root: Path, manifest: str, kind: str = "switch", name: str = "toy") -> Path:
    """A platform folder with the templates that ``GOOD`` names."""
    folder = root / kind / name
    (folder / "sub").mkdir(parents=True)
    (folder / "platform.yaml").write_text(manifest)
    (folder / "class.j2").write_text("")
    (folder / "sub/device.j2").write_text("")
    return folder


def load(root: Path) -> tuple[PlatformSpec | None, list[Diagnostic]]:
    bag = Bag()
    return load_platforms({"toy": ()}, "switch", bag, [root]).get("toy"), list(bag)


def test_a_good_manifest_becomes_a_spec(tmp_path: Path) -> None:
    write_platform(tmp_path, GOOD)
    spec, found = load(tmp_path)
    assert found == []
    assert (spec.name, spec.kind, spec.folder, spec.root) == ("toy", "switch", "switch/toy", str(tmp_path))
    assert spec.target == "202511"
    assert spec.port_pattern == "swp{cage}s{subport}"
    assert isinstance(spec.capabilities, SwitchCapabilities)
    assert spec.capabilities == replace(spec.capabilities, bfd=True)
    assert replace(spec.capabilities, bfd=False) == SwitchCapabilities(
        **{name: field.nothing for name, field in fields_of("switch").items()}
    )
    assert spec.hash_algorithms == ("CRC", "XOR")
    parts = (TemplatePart("switch/toy/class.j2", "class"), TemplatePart("switch/toy/sub/device.j2", "device"))
    assert spec.outputs == (Output("etc/toy/config.json", "json", 0o640, parts),)


def test_ports_of_the_catalog_need_no_pattern(tmp_path: Path) -> None:
    write_platform(tmp_path, GOOD.replace('"swp{cage}s{subport}"', "catalog"))
    spec, found = load(tmp_path)
    assert (spec.port_pattern, found) == ("", [])


WHOLE = f"{{bfd: true, {CAPABILITIES}}}"
OUTPUT = GOOD[GOOD.index("  - path:") :]
FAULTS = {
    "no YAML": ("FG-SRC-011", GOOD, "platform: [toy\n", r"\d+:\d+", ""),
    "a list": ("FG-INT-003", GOOD, "- platform\n", "1:1", "must be a mapping"),
    "path twice": ("FG-INT-003", OUTPUT, OUTPUT + OUTPUT, r"14:\d+", "twice"),
    "key missing": ("FG-INT-002", 'target: "202511"\n', "", r"12:\d+", "target is missing"),
    "key of an output missing": ("FG-INT-002", "    format: json\n", "", r"8:\d+", "outputs.format is missing"),
    "unknown key": ("FG-INT-001", "capabilities:", "capabilites:", "5:1", "capabilites.*did you mean .capabilities"),
    "key of a part": ("FG-INT-001", "scope: class}", "scope: class, when: x}", "12:44", "key .when.*scope, template"),
    "target is a number": ("FG-INT-003", '"202511"', "202511", "3:9", "202511"),
    "target has two lines": ("FG-INT-003", '"202511"', '"a\\nb"', "3:9", "one line"),
    "kind is no kind": ("FG-INT-003", "kind: switch", "kind: router", "2:7", "switch, host, nic"),
    "other platform": ("FG-PLT-013", "platform: toy", "platform: tyo", "1:11", "'toy'"),
    "other kind": ("FG-PLT-013", "kind: switch", "kind: host", "2:7", "'switch'"),
    "port pattern without cage": ("FG-INT-003", "swp{cage}s{subport}", "swp{subport}", "4:8", "{cage}"),
    "capability left out": ("FG-INT-002", "bfd: true, ", "", r"5:\d+", r"capabilities.bfd is missing add bfd, true or"),
    "no capabilities": ("FG-INT-002", f"capabilities: {WHOLE}\n", "", r"12:\d+", "capabilities is"),
    "unknown capability": ("FG-INT-001", "{bfd: true", "{bdf: 1, bfd: true", "5:16", "bdf.*did you mean .bfd"),
    "capability is a word": ("FG-INT-003", "bfd: true", "bfd: yes", "5:21", "capabilities.bfd: 'yes'.*true or false"),
    "too small": ("FG-INT-003", "watchdog_step_ms: 1", "watchdog_step_ms: 0", r"5:\d+", "number from 1 write"),
    "a word": ("FG-INT-003", "mtu_max_bytes: 0", "mtu_max_bytes: any", r"5:\d+", "number from 0, or unlimited"),
    "service is a word": ("FG-INT-003", "ntp: false", "ntp: below", r"5:\d+", "true, false or beneath"),
    "words are one word": ("FG-INT-003", "board_data: []", "board_data: bcm", r"5:\d+", "list of words"),
    "word twice": ("FG-INT-003", "hash_asics: []", "hash_asics: [a, a]", r"5:\d+", "list of words, or any"),
    "speed is a word": ("FG-INT-003", "flowlet: []", "flowlet: [400G]", r"5:\d+", r"list of Gb/s, \[\] or any"),
    "reason for what it has": ("FG-INT-003", "hash_alg", "lacks: {bfd: no daemon}\nhash_alg", "6:14", "lacks.bfd"),
    "reason for nothing": ("FG-INT-001", "hash_alg", "lacks: {bdf: no daemon}\nhash_alg", "6:9", "lacks.bdf"),
    "capabilities are a text": ("FG-INT-003", WHOLE, "many", "5:15", "mapping"),
    "algorithm twice": ("FG-INT-003", "[CRC, XOR]", "[CRC, CRC]", "6:24", "only once"),
    "no outputs": ("FG-INT-003", GOOD[GOOD.index("outputs:") :], "outputs: []\n", "7:1", "not empty"),
    "output is a text": ("FG-INT-003", GOOD[GOOD.index("outputs:") :], "outputs: [x]\n", "7:11", "mapping"),
    "output path absolute": ("FG-INT-003", "path: etc", "path: /etc", "8:11", "relative"),
    "format": ("FG-INT-003", "format: json", "format: yaml", "9:13", "json, text"),
    "mode is a number": ("FG-INT-003", '"0640"', "0640", "10:11", "quotes"),
    "scope": ("FG-INT-003", "scope: device", "scope: host", "13:42", "class, device"),
    "member of a text": ("FG-INT-003", "scope: device}", "scope: device, inside: a}", "13:58", "format json only"),
    "template missing": ("FG-PLT-014", "class.j2", "klass.j2", "12:20", "klass.j2"),
    "view": ("FG-INT-001", "kind:", "view: own.view\nkind:", "2:1", "view"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_a_code_and_a_place(tmp_path: Path, name: str) -> None:
    code, old, new, place, words = FAULTS[name]
    assert old in GOOD
    manifest = GOOD.replace(old, new)
    folder = write_platform(tmp_path, manifest.replace("format: json", "format: text") if "inside" in new else manifest)
    spec, reported = load(tmp_path)
    assert spec is None
    (found,) = [diagnostic for diagnostic in reported if diagnostic.code == code]
    assert re.fullmatch(rf"{re.escape(str(folder / 'platform.yaml'))}:{place}", str(found.place))
    assert re.search(words, f"{found.message} {found.hint}")
    assert found.hint


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    manifest = GOOD.replace('"202511"', "1").replace('"0640"', '"9"').replace("scope: device", "scope: x")
    write_platform(tmp_path, manifest)
    assert [diagnostic.place.line for diagnostic in load(tmp_path)[1]] == [3, 10, 13]


def test_all_faults_of_capabilities_are_told_at_once(tmp_path: Path) -> None:
    manifest = GOOD.replace("bfd: true, ", "").replace("ntp: false", "ntp: maybe").replace("gtsm: false", "gstm: false")
    write_platform(tmp_path, manifest)
    _, found = load(tmp_path)
    said = sorted(diagnostic.message.split(" is ")[0] for diagnostic in found)
    assert said == ["capabilities.bfd", "capabilities.ntp: 'maybe'", "unknown key 'gstm'"]
    assert {diagnostic.place.line for diagnostic in found} == {5}


def test_many_capabilities_that_are_left_out_are_one_fault(tmp_path: Path) -> None:
    write_platform(tmp_path, GOOD.replace(CAPABILITIES, "gtsm: true"))
    (found,) = load(tmp_path)[1]
    count = len(fields_of("switch")) - 2
    assert found.message.startswith(f"capabilities leaves out {count}: mtu_max_bytes, ipv4, ipv6, ")
    assert ", bfd," not in found.message
    assert "docs/capabilities.md" in found.hint


def test_semantics_lie_in_the_folder_or_in_the_root(tmp_path: Path) -> None:
    manifest = GOOD.replace("format: json", "format: json\n    semantics: shared/toy.yaml")
    folder = write_platform(tmp_path, manifest)
    assert [diagnostic.code for diagnostic in load(tmp_path)[1]] == ["FG-PLT-014"]
    for place in (tmp_path / "shared", folder / "shared"):
        place.mkdir()
        (place / "toy.yaml").write_text("rules: []\n")
        spec, _ = load(tmp_path)
        assert spec.outputs[0].semantics == (place / "toy.yaml").relative_to(tmp_path).as_posix()
