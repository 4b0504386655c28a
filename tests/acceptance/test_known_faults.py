"""Known faults: each record is of use and looked up, and warns where a fabric meets it and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fabricgen.catalog import known_models
from fabricgen.catalog.loader import load_named
from fabricgen.checks.rules.known_faults import is_before
from fabricgen.diagnostics import Bag, Severity
from fabricgen.intent.fabric import legal_words
from fabricgen.platforms.manifest.discover import KINDS, template_root
from fabricgen.platforms.manifest.load import load_all
from tests.acceptance.run import INVENTORIES, diagnose, run

FAULTS = load_named("known_faults", known_models("known_faults"), Bag())
SPECS = {name: spec for kind in KINDS for name, spec in load_all(kind, Bag(), [template_root()]).items()}
TEXT, PLANES = ((INVENTORIES / name / "fabric.yaml").read_text() for name in ("quickstart", "dual-plane"))
"""One lossless class on Tomahawk 5 under SONiC; and parallel links without addresses there."""
OLD = TEXT.replace("dell_z9864f", "arista_7060x6_64pe").replace("sonic", 'sonic, release: "202405"')
SERVED = OLD.replace("ntp:", "sflow: {collector: 192.168.0.9}, snmp: {community: {secret: env:C}}, ntp:")
SPECTRUM = TEXT.replace("dell_z9864f", "nvidia_sn5600")
MIXED = TEXT.replace("mmf", "dac").replace(
    "dell_z9864f, platform: sonic, per", "nvidia_sn5600, platform: cumulus_nvue, per"
)
FORCED = MIXED.replace("dell_z9864f, platform: sonic", "meta_minipack3, platform: fboss").replace(
    "smf, length_m: 30", "dac, length_m: 3"
)
"""Copper of leafs that force it, to hosts alone; and to spines under Cumulus Linux."""


def warned_of(folder: Path, text: str) -> set[str]:
    (folder / "fabric.yaml").write_text(text)
    compiled, bag = diagnose(folder)
    assert compiled.plan is not None
    return {found.record[1] for found in bag if found.code == "FG-PLT-153" and not found.waived}


def test_faults_are_of_platforms_and_keys_and_looked_up_for_the_newest_release() -> None:
    """An open fault is looked up again before the release that is rendered by default moves."""
    assert {fault.platform for fault in FAULTS.values()} == set(SPECS)
    assert len(FAULTS) >= 25
    for fault in FAULTS.values():
        spec, words = SPECS[fault.platform], legal_words(tuple(fault.key.split(".")))
        published = [release for release in spec.releases if release.released]
        meant = [release.name for release in [*filter(lambda each: each.default, published), *published[::-1]]]
        assert fault.mended or not is_before(fault.release, [*meant, spec.target][0]), fault.id
        assert set(fault.values) <= set(words or fault.values), fault.id
        assert words is not None, fault.id
        assert bool(fault.snippet) == (fault.key == "exceptions"), fault.id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, "sonic_29203"),
        (TEXT + "lossless: {watchdog: {action: alert}}\n", ""),
        (TEXT + "lossless: {mode: ecn_only, reason: lossy}\n", ""),
        (SPECTRUM, ""),
        (SPECTRUM.replace("sonic", "cumulus_nvue"), ""),
        (OLD.replace('sonic, release: "202405"', "eos"), ""),
        (MIXED, "sonic_29203"),
        (FORCED, "cumulus_nvue_4648833"),
        (PLANES, "sonic_29203 sonic_frr_22921"),
        (PLANES.replace("per_pair: 4", "per_pair: 1"), "sonic_29203"),
        (OLD + "routing: {ecmp: {weights: on}}\n", "sonic_29203 sonic_23940 sonic_frr_18947"),
        (SERVED, "sonic_29203 sonic_23940 sonic_18248 sonic_20152"),
    ],
)
def test_a_fabric_is_warned_of_what_it_meets_and_of_nothing_else(text: str, expected: str, tmp_path: Path) -> None:
    assert warned_of(tmp_path, text) == set(expected.split())


def test_a_waiver_of_one_fault_leaves_others_and_own_records_count(tmp_path: Path) -> None:
    waiver = {"code": "FG-PLT-153", "fault": "sonic_29203", "owner": "us", "expires": "2099-12-31", "reason": "watched"}
    (tmp_path / "waivers.yaml").write_text(yaml.safe_dump([waiver]))
    write_own(tmp_path, "sonic_case_7")
    assert warned_of(tmp_path, TEXT) == {"sonic_case_7"}
    (tmp_path / "waivers.yaml").write_text(yaml.safe_dump([waiver | {"fault": "sonic_case_77"}]))
    assert "did you mean sonic_case_7?" in [found.hint for found in diagnose(tmp_path)[1]]


def write_own(folder: Path, name: str, **changed: str) -> None:
    own = {"id": name, "platform": "sonic", "key": "routing.hosts", "happens": "it ends", "advice": "wait"}
    own |= {"source": "https://cases.example/7", "looked_up": "2026-11-29", "release": "202605", **changed}
    (folder / "catalog/known_faults").mkdir(parents=True)
    (folder / f"catalog/known_faults/{name}.yaml").write_text(yaml.safe_dump(own, sort_keys=False))


SLIPS = {
    "lossless.wtchdog.action": ("key", 3, "did you mean lossless.watchdog?"), "lossless.mode.x": ("key", 3, ""),
    "tomahawk* tomahwak5": ("hardware", 9, "did you mean tomahawk5?"), "sonc": ("platform", 1, "did you mean sonic?"),
    "3": ("values", 9, "use one of 1, 2"),
}  # fmt: skip
"""Words of an own record, where they are, and the hint of their error."""


@pytest.mark.parametrize("word", SLIPS)
def test_an_own_record_of_what_nothing_has_is_an_error(word: str, tmp_path: Path) -> None:
    key, line, hint = SLIPS[word]
    changed = {"key": "attachment.leafs_per_group", key: word} if key == "values" else {key: word}
    write_own(tmp_path, "sonc_1" if key == "platform" else "sonic_1", **changed)
    (tmp_path / "fabric.yaml").write_text(TEXT)
    [found] = [each for each in diagnose(tmp_path)[1] if each.severity is Severity.ERROR]
    assert (found.code, found.place and found.place.line, found.hint) == ("FG-CAT-009", line, hint)
    assert f": {word}" in run("validate", tmp_path).stderr, "the line is quoted: a key of the intent is no secret"


EOS = OLD.replace('sonic, release: "202405"', "eos")


@pytest.mark.parametrize(
    ("text", "file", "lines", "expected"),
    [
        (OLD, "sonic.json", '{"SRV6_MY_SIDS": {}}', "sonic_29203 sonic_23940 sonic_26216"),
        (EOS, "eos.conf", "lldp run\n no  lldp receive\n", "eos_netlab_2577"),
        (EOS, "eos.conf", "no lldp run\n", ""),
        (OLD, "sonic.conf", "!\n\n!\n", "sonic_29203 sonic_23940"),
    ],
)
def test_a_line_of_a_snippet_is_warned_of(text: str, file: str, lines: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(lines)
    raw = f"{{{file.partition('.')[0]}: {file}}}"
    text += f"exceptions: [{{device: spine-01, raw: {raw}, reason: vendor case}}]\n"
    assert warned_of(tmp_path, text) == set(expected.split())
