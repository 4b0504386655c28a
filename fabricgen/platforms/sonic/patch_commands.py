"""Changes that have a command of their own on the switch, where the updater refuses them.

Source:
    sonic-net/sonic-utilities 202505 7511bf2f, 202511 a092c970: pfcwd/main.py (start, stop, interval),
    scripts/ecnconfig. They write the same rows as a patch would, without the updater. ``pfcwd interval`` refuses a time
    above one of the ports' times, so it comes after them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from shlex import join

from fabricgen.platforms.patching import ABSENT, Change, Step
from fabricgen.platforms.reading import Tree
from fabricgen.platforms.sonic.updater import MARKING_OPTIONS, ROW

Steps = tuple[str, ...]
_REFUSED = "the updater refuses it"
_OWN_ROUTING = "split-unified"


def watch(changes: Sequence[Change], after: Tree) -> Iterator[Step]:
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


def mark(changes: Sequence[Change]) -> Iterator[Step]:
    """Yield the command that sets thresholds of each marking profile."""
    profiles: dict[str, list[str]] = {}
    for change in changes:
        profiles.setdefault(change.steps[1], []).extend((MARKING_OPTIONS[change.steps[2]], str(change.after)))
    for profile, options in profiles.items():
        yield _step(("ecnconfig", "-p", profile, *options))


def look(after: Tree) -> Iterator[Step]:
    """Yield the command that tells after a reload whether frr.conf is still ours.

    Source:
        sonic-net/sonic-utilities scripts/db_migrator.py `migrate_routing_config_mode`: a reload sets the mode back to
        that of minigraph.xml and golden_config_db.json; sonic-buildimage docker_init.sh keeps frr.conf in that mode.
    """
    if after.get("DEVICE_METADATA", {}).get("localhost", {}).get("docker_routing_config_mode") == _OWN_ROUTING:
        words = ("sonic-db-cli", "CONFIG_DB", "hget")
        command = f'{join(words)} "DEVICE_METADATA|localhost" docker_routing_config_mode'
        expected = f"look: {_OWN_ROUTING}; in any other mode the next start of bgp replaces frr.conf"
        yield Step(command, "", "", "hitless", expected)


def delete_unknown(changes: Sequence[Change], release: str) -> Iterator[Step]:
    """Yield the commands that delete fields which the release does not know; until then it refuses every patch."""
    reason = f"the YANG models of {release} do not know it: while it is there, every patch is refused"
    for change in changes:
        table, key, field = change.steps
        yield _step(("sonic-db-cli", "CONFIG_DB", "hdel", f"{table}|{key}", field), reason)


def restore_unknown(changes: Sequence[Change], release: str) -> Iterator[Step]:
    """Yield the commands that put such fields back, where that is asked for."""
    reason = f"the YANG models of {release} do not know it: from here on every patch is refused"
    for change in changes:
        table, key, field = change.steps
        yield _step(("sonic-db-cli", "CONFIG_DB", "hset", f"{table}|{key}", field, str(change.after)), reason)


def split_unknown(
    changes: Sequence[Change], before_unknown: Container[Steps], after_unknown: Container[Steps]
) -> tuple[list[Change], list[Change], list[Change]]:
    """Part changes into deletions of unknown fields, what the updater may carry out, and unknown fields to put back."""
    deleted: list[Change] = []
    known: list[Change] = []
    restored: list[Change] = []
    for change in changes:
        if len(change.steps) != ROW:
            if change.after is ABSENT or change.steps not in after_unknown:
                (deleted if change.steps in before_unknown else known).append(change)
            else:
                restored.append(change)
            continue
        before, after = _parted(change, before_unknown, "before"), _parted(change, after_unknown, "after")
        deleted += [Change((*change.steps, field), value, ABSENT, change.meaning) for field, value in before[1].items()]
        restored += [Change((*change.steps, field), ABSENT, value, change.meaning) for field, value in after[1].items()]
        known.append(change._replace(before=before[0], after=after[0]))
    return deleted, known, restored


def _parted(change: Change, unknown: Container[Steps], side: str) -> tuple[object, Tree]:
    row = change.before if side == "before" else change.after
    if row is ABSENT:
        return ABSENT, {}
    odd = {field: value for field, value in row.items() if (*change.steps, field) in unknown}
    return {field: value for field, value in row.items() if field not in odd}, odd


def _step(words: Sequence[str], reason: str = _REFUSED) -> Step:
    return Step(join(words), "", "", "hitless", reason)
