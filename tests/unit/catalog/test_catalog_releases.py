"""Port rows, headroom rows and pools of every port profile at every release, against digests of what images have.

The digests were made from the branches of sonic-net/sonic-buildimage, 202405 cfc766e1, 202411 566f5575, 202505
ff3c0c9f, 202511 fde92d26, 202605 10ae4708 and master 086b03bd: port rows by each branch's own portconfig.py of
src/sonic-config-engine (hwsku.json with platform.json where both are there, else port_config.ini), headroom from
pg_profile_lookup.ini, pools and profiles by rendering buffers_defaults_t0.j2 and buffers_defaults_t1.j2.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from shipped_records import everything, port_rows

from fabricgen.catalog.records import BufferSet, SwitchModel, has_board, model_at

FROZEN = json.loads((Path(__file__).parent / "vectors" / "sonic_releases.json").read_text())
MISPRINTED = [("Mellanox-SN5600-C256S1", "202605")]
"""Its port_config.ini says 10 Mb/s for the service port that every other release runs at 10 Gb/s."""

RELEASES = ("202405", "202411", "202505", "202511", "202605", "master")


def digest(rows: object) -> str:
    """The start of a canonical form's SHA-256."""
    return hashlib.sha256(json.dumps(rows, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:12]


def profiles(model: str) -> Iterator[tuple[str, str, Any]]:
    """Port profile, release and what is frozen of both, for every one of a model."""
    return ((sku, release, frozen) for sku, releases in FROZEN[model].items() for release, frozen in releases.items())


@cache
def at(model: str, release: str) -> SwitchModel:
    return model_at(everything()[0].switches[model], release)


@pytest.mark.parametrize("model", FROZEN)
def test_boards_and_profiles_are_those_of_the_release(model: str) -> None:
    for release in RELEASES:
        known = {sku for sku, releases in FROZEN[model].items() if release in releases}
        names = [sku.name for sku in at(model, release).skus] if at(model, release).boards else []
        assert sorted(names) == sorted(known), release
        assert has_board(everything()[0].switches[model], release) == bool(known), release


@pytest.mark.parametrize("model", FROZEN)
def test_port_rows_are_those_of_the_release(model: str) -> None:
    for sku, release, frozen in profiles(model):
        record = at(model, release)
        rows = port_rows(record, next(known for known in record.skus if known.name == sku))
        found = {name: [row["lanes"], row["alias"], row["index"], row["speed"]] for name, row in rows.items()}
        assert len(found) == frozen["ports"][0], (sku, release)
        assert (digest(found) == frozen["ports"][1]) == ((sku, release) not in MISPRINTED), (sku, release)


@pytest.mark.parametrize("model", FROZEN)
def test_headroom_rows_are_those_of_the_release(model: str) -> None:
    for sku, release, frozen in profiles(model):
        tables = [table for table in at(model, release).headroom if sku in table.skus]
        rows = sorted([value for value in row if value is not None] for table in tables for row in table.rows)
        assert [len(rows), digest(rows)] == frozen["headroom"], (sku, release)


@pytest.mark.parametrize("model", FROZEN)
def test_pools_are_those_of_the_release(model: str) -> None:
    for sku, release, frozen in profiles(model):
        for topology, pools in frozen["pools"].items():
            sets = [each for each in at(model, release).buffers if topology in each.topologies_by_sku.get(sku, ())]
            assert [digest(_shown(each)) for each in sets] == ([pools] if pools else []), (sku, release, topology)


def _shown(each: BufferSet) -> list[object]:
    """Pools and profiles as the template writes them."""
    return [
        {pool.name: [pool.kind, pool.mode, *_texts(pool.size_bytes, pool.xoff_bytes)] for pool in each.pools},
        {one.name: [one.pool, *_texts(one.size_bytes, one.dynamic_th, one.static_th_bytes)] for one in each.profiles},
    ]


def _texts(*values: int | None) -> list[str | None]:
    """Numbers as the template writes them."""
    return [None if value is None else str(value) for value in values]
