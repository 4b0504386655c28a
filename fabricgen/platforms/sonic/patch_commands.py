"""Changes that have a command of their own on the switch, where the updater refuses them.

Source:
    sonic-net/sonic-utilities 202505 7511bf2f, 202511 a092c970: pfcwd/main.py (start, stop, interval),
    scripts/ecnconfig. They write the same rows as a patch would, without the updater. ``pfcwd interval`` refuses a time
    above one of the ports' times, so it comes after them. sonic-net/sonic-py-swsssdk, swsssdk/configdb.py
    ``typed_to_raw``: a field that is a list is stored as ``field@``, its items joined by commas.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from shlex import join

from fabricgen.platforms.patching.steps import ABSENT, Change, PatchStep, StepPhase, run
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.sonic.updater import MARKING_OPTIONS, ROW

Steps = tuple[str, ...]
_REFUSED = "the updater refuses it"
_OWN_ROUTING = "split-unified"


def watch(changes: Sequence[Change], after: Tree) -> Iterator[PatchStep]:
    """Yield the commands that give PFC_WD its rows: one for all ports that share their times."""
    rows = after.get("PFC_WD", {})
    keys = dict.fromkeys(change.steps[1] for change in changes)
    gone = [key for key in keys if key not in rows]
    alike: dict[tuple[str, ...], list[str]] = {}
    for key in keys:
        if key in rows and key != "GLOBAL":
            alike.setdefault(_options(rows[key]), []).append(key)
    if gone:
        yield _step(("pfcwd", "stop", *gone))
    for (detection, *options), ports in alike.items():
        yield _step(("pfcwd", "start", *options, *ports, detection))
    if "GLOBAL" in keys and "GLOBAL" in rows:
        yield _step(("pfcwd", "interval", str(rows["GLOBAL"]["POLL_INTERVAL"])))


def _options(row: Tree) -> tuple[str, ...]:
    """Detection time, and the options for the rest of a row."""
    action = ("--action", str(row["action"])) if "action" in row else ()
    history = ("--pfc-stat-history",) if row.get("pfc_stat_history") == "enable" else ()
    return (str(row["detection_time"]), *action, "--restoration-time", str(row["restoration_time"]), *history)


def mark(changes: Sequence[Change]) -> Iterator[PatchStep]:
    """Yield the command that sets thresholds of each marking profile."""
    profiles: dict[str, list[str]] = {}
    for change in changes:
        profiles.setdefault(change.steps[1], []).extend((MARKING_OPTIONS[change.steps[2]], str(change.after)))
    for profile, options in profiles.items():
        yield _step(("ecnconfig", "-p", profile, *options))


def look(after: Tree) -> Iterator[PatchStep]:
    """Yield the command that tells after a reload whether frr.conf is still ours.

    Source:
        sonic-net/sonic-utilities scripts/db_migrator.py `migrate_routing_config_mode`: a reload sets the mode back to
        that of minigraph.xml and golden_config_db.json; sonic-buildimage docker_init.sh keeps frr.conf in that mode.
    """
    if after.get("DEVICE_METADATA", {}).get("localhost", {}).get("docker_routing_config_mode") == _OWN_ROUTING:
        words = ("sonic-db-cli", "CONFIG_DB", "hget")
        command = f'{join(words)} "DEVICE_METADATA|localhost" docker_routing_config_mode'
        expected = f"look: {_OWN_ROUTING}; in any other mode the next start of bgp replaces frr.conf"
        yield run(command, expected, phase=StepPhase.verify)


def mend_refused(changes: Sequence[Change], reasons: Mapping[Steps, str]) -> Iterator[PatchStep]:
    """Yield the commands that delete or set fields which the release refuses; until then it refuses every patch."""
    for change in changes:
        yield _write(change, f"{_has(change, reasons)}: while it is there, every patch is refused")


def restore_refused(changes: Sequence[Change], reasons: Mapping[Steps, str]) -> Iterator[PatchStep]:
    """Yield the commands that put such fields back, where that is asked for."""
    for change in changes:
        yield _write(change, f"{_has(change, reasons)}: from here on every patch is refused")


def _has(change: Change, reasons: Mapping[Steps, str]) -> str:
    return f"it is a field {reasons[change.steps]}" if change.steps in reasons else "it goes with such a field"


def _write(change: Change, reason: str) -> PatchStep:
    table, key, field = change.steps
    row, after = f"{table}|{key}", change.after
    if after is ABSENT:
        return _step(("sonic-db-cli", "CONFIG_DB", "hdel", row, _stored(field, change.before)), reason)
    value = ",".join(map(str, after)) if isinstance(after, list) else str(after)
    return _step(("sonic-db-cli", "CONFIG_DB", "hset", row, _stored(field, after), value), reason)


def _stored(field: str, value: object) -> str:
    """The name that a field has in the database: that of a list ends in a sign."""
    return f"{field}@" if isinstance(value, list) else field


def split_refused(
    changes: Sequence[Change], before_refused: Container[Steps], after_refused: Container[Steps]
) -> tuple[list[Change], list[Change], list[Change]]:
    """Part changes into those of refused fields, what the updater may carry out, and refused fields to put back."""
    mended: list[Change] = []
    known: list[Change] = []
    restored: list[Change] = []
    for change in changes:
        if len(change.steps) != ROW:
            if change.after is ABSENT or change.steps not in after_refused:
                (mended if change.steps in before_refused else known).append(change)
            else:
                restored.append(change)
            continue
        before, after = _parted(change, before_refused, "before"), _parted(change, after_refused, "after")
        mended += [Change((*change.steps, field), value, ABSENT, change.meaning) for field, value in before[1].items()]
        restored += [Change((*change.steps, field), ABSENT, value, change.meaning) for field, value in after[1].items()]
        known.append(change._replace(before=before[0], after=after[0]))
    return mended, known, restored


def _parted(change: Change, refused: Container[Steps], side: str) -> tuple[object, Tree]:
    row = change.before if side == "before" else change.after
    if row is ABSENT:
        return ABSENT, {}
    odd = {field: value for field, value in row.items() if (*change.steps, field) in refused}
    return {field: value for field, value in row.items() if field not in odd}, odd


def _step(words: Sequence[str], reason: str = _REFUSED) -> PatchStep:
    return run(join(words), reason)
