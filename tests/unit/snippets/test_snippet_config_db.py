"""The independent checker of CONFIG_DB judges our verdict on changed rows, release by release."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from fabricgen.platforms.commands.snippets import Fault, Laid
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN
from fabricgen.platforms.sonic.schema import load_schema
from fabricgen.platforms.sonic.snippet import judge_snippet

NOTHING = Redaction(PLAIN.root)
EXPECTED = Path(__file__).resolve().parents[2] / "golden" / "expected"
CHECKER = Path(os.environ.get("FABRICGEN_JUDGES", "")) / "check_config_db.py"
RELEASES = ("202405", "202411", "202505", "202511", "202605")
CONDITIONS = ("must not be below",)
"""The checker's words on conditions between fields, which the facts do not have."""
CHANGES = 160
UNJUDGED = ("VERSIONS", "GNMI_CLIENT_CERT")
"""Tables that are not changed: a release is a fact of its own, and of certificates the checker has no facts."""


def _base() -> dict[str, Any]:
    path = next(path for path in sorted(EXPECTED.rglob("config_db.json")) if "leaf" in str(path))
    text = path.read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.replace("@fabricgen-secret:env:SNMP_COMMUNITY@", "community"))
    return found


def _changed(base: dict[str, Any], dice: random.Random) -> Iterator[dict[str, Any]]:
    """Patches, each of one row that has one fault or none."""
    schema = load_schema("202511")
    tables = sorted(table for table in base if table not in UNJUDGED and table in schema.tables)
    for _ in range(CHANGES):
        table = dice.choice(tables)
        key = dice.choice(sorted(base[table]))
        row = deepcopy(base[table][key])
        fields = sorted(row)
        match dice.randrange(6):
            case 0:
                row["nonesuch"] = "1"
            case 1 if fields:
                field = dice.choice(fields)
                row[field] = dice.choice(("", "-1", "70000", "nonesuch", "tru", "10.0.0.300", "1" * 300))
            case 2 if fields:
                field = dice.choice(fields)
                row[f"{field}x"] = row[field]
            case 3:
                parts = key.split("|")
                parts[dice.randrange(len(parts))] = dice.choice(("nonesuch", "Ethernet9999", "300", "10.0.0.0/33"))
                key = "|".join(parts)
            case 4:
                table = f"{table}S"
            case _ if fields:
                donor = base[dice.choice(tables)]
                values = [value for each in donor.values() for value in each.values() if isinstance(value, str)]
                row[dice.choice(fields)] = dice.choice(values or ["1"])
        yield {table: {key: row}}


def _laid(base: dict[str, Any], patch: dict[str, Any], release: str) -> Laid:
    after = deepcopy(base)
    for table, rows in patch.items():
        after.setdefault(table, {}).update(deepcopy(rows))
    return Laid(json.dumps(patch), json.dumps(base), json.dumps(after), release, "", {}, NOTHING)


def _refused(laids: list[Laid], release: str, folder: Path) -> list[list[str]]:
    """Return what the checker says of each configuration, without rules that are no schema's."""
    files = []
    for number, laid in enumerate(laids):
        files.append(folder / f"{number:03}.json")
        files[-1].write_text(laid.after)
    done = subprocess.run(
        [sys.executable, str(CHECKER), "--no-lint", "--release", release, *map(str, files)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: list[list[str]] = [[] for _ in laids]
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(": ")
        found[int(Path(path).stem)].append(rest)
    return found


@pytest.mark.nightly
@pytest.mark.skipif(not CHECKER.is_file(), reason="FABRICGEN_JUDGES has no check_config_db.py")
@pytest.mark.sampled(1, of="release")
@pytest.mark.parametrize("release", RELEASES)
def test_checker_agrees_on_changed_rows(release: str, tmp_path: Path) -> None:
    base = _base()
    dice = random.Random(release)
    patches = [{}, *_changed(base, dice)]
    laids = [_laid(base, patch, release) for patch in patches]
    refused = _refused(laids, release, tmp_path)
    silent, known = set(refused[0]), set(_messages(_laid({}, base, release)))
    only_ours, only_theirs = [], []
    for patch, laid, said in zip(patches[1:], laids[1:], refused[1:], strict=True):
        ours = [message for message in _messages(laid) if message not in known]
        theirs = [line for line in said if line not in silent]
        if ours and not theirs:
            only_ours.append((patch, ours))
        if theirs and not ours:
            only_theirs.append((patch, theirs))
    assert only_ours == []
    assert [item for item in only_theirs if not _is_condition(item[1])] == []


def _messages(laid: Laid) -> list[str]:
    return [item.message for item in judge_snippet(laid) if isinstance(item, Fault)]


def _is_condition(lines: list[str]) -> bool:
    """Return whether all that was said is of conditions."""
    return all(any(word in line for word in CONDITIONS) for line in lines)
