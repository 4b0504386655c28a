"""View and folder: the manifest names all there is, the notes explain it."""

from __future__ import annotations

import re
from typing import get_args

import pytest
import sonic_fabric as fabric
from sonic_render import FOLDER, SPEC, config_db, frr_conf

from fabricgen.intent.topology import HashWord
from fabricgen.platforms.sonic import view

NOTES = (FOLDER / "NOTES.md").read_text()
TEMPLATES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("**/*.j2"))


def test_hash_algorithms_are_the_manifests() -> None:
    assert SPEC.hash_algorithms == view.HASH_ALGORITHMS


def test_hash_words_are_the_declared_ones() -> None:
    words = get_args(HashWord)
    assert set(view.HASH_FIELDS) == {word for word in words if SPEC.switch.hashes_on(word)} != set(words)


RELEASES = {release.name: release for release in SPEC.releases}


def test_target_is_the_newest_published_release() -> None:
    published = [release.name for release in SPEC.releases if release.released]
    assert published == ["202405", "202411", "202505", "202511", "202605"]
    assert [release.name for release in SPEC.releases if not release.released] == ["master"]
    assert SPEC.target == published[-1]


@pytest.mark.parametrize("name", RELEASES)
def test_file_is_written_in_the_schema_of_the_release(name: str) -> None:
    db = config_db(fabric.leaf(release=RELEASES[name]))
    of = SPEC.target if name == "master" else name
    assert db["VERSIONS"]["DATABASE"]["VERSION"].startswith(f"version_{of}_")
    assert RELEASES[name].schema == db["VERSIONS"]["DATABASE"]["VERSION"]


@pytest.mark.parametrize("name", RELEASES)
def test_routes_wait_for_the_asic_where_frr_sends_withdrawals_meanwhile(name: str) -> None:
    """A development branch has a later FRR than any release."""
    switch = fabric.leaf(release=RELEASES[name])
    routing = [int(number) for number in RELEASES[name].routing.split(".") if number]
    waits = not routing or routing >= [10, 3]
    assert ("suppress-fib-pending" in config_db(switch)["DEVICE_METADATA"]["localhost"]) == waits
    assert (" bgp suppress-fib-pending\n" in frr_conf(switch)) == waits


def test_manifest_names_every_template_once() -> None:
    named = [part.template.removeprefix(f"{SPEC.folder}/") for output in SPEC.outputs for part in output.parts]
    assert sorted(named) == TEMPLATES


def test_notes_name_every_table() -> None:
    tables: set[str] = set()
    for device in (fabric.leaf(fabric.SERVICES), fabric.leaf(overlay="spectrum")):
        tables |= config_db(device).keys()
    assert [table for table in sorted(tables) if not re.search(rf"\b{table}\b", NOTES)] == []
