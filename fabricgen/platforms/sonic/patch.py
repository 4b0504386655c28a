"""Changes to what SONiC's Generic Config Updater takes, and commands or a reload for what it does not.

One refused operation refuses the patch, so every change is judged first (``updater``). What may be patched goes into
files of a bounded time (``patch_files``): first what takes no port down, then, a few ports at a time, rows for which
the port has to be down (``patch_ports``), then what nothing refers to any more. A switch gets a reload for what is
left, and only for that; rows that take ports down go with it, because it takes every port down anyway. A reload keeps
what is not ours: the file is what the switch has, with the changes carried out.

Source:
    sonic-net/sonic-utilities 202505 7511bf2f, 202511 a092c970: pfcwd/main.py (start, stop, interval),
    scripts/ecnconfig. They write the same rows as a patch would, without the updater. ``pfcwd interval`` refuses a time
    above one of the ports' times, so it comes after them. sonic-net/sonic-py-swsssdk, swsssdk/configdb.py
    ``typed_to_raw``: a field that is a list is stored as ``field@``, its items joined by commas.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from shlex import join

from fabricgen.platforms.patching.steps import (
    ABSENT,
    Change,
    PatchStep,
    Situation,
    StepPhase,
    apply_changes,
    run,
    worst,
)
from fabricgen.platforms.reading.reader import Tree, number_of
from fabricgen.platforms.sonic.patch_files import Files
from fabricgen.platforms.sonic.patch_ports import PortWork
from fabricgen.platforms.sonic.reader import is_table
from fabricgen.platforms.sonic.schema import Steps, find_refused_fields, follow_polling
from fabricgen.platforms.sonic.updater import MARKING_OPTIONS, PORT_TABLES, RESTRICTED, ROW, ChangeMethod, find_updater

TOTAL_MAX_S = 900.0
"""Patches that take longer are worse than a reload in a drain."""
_DEFINITIONS = frozenset(
    (
        *("BUFFER_PROFILE", "SCHEDULER", "WRED_PROFILE", "DSCP_TO_TC_MAP", "TC_TO_DSCP_MAP", "TC_TO_QUEUE_MAP"),
        *("TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PFC_WD"),
    )
)
"""Tables whose rows are removed last: rows of ports may still refer to them, and a removal beside an equal addition
becomes a move, which the updater's lists do not know."""
POLL_ROW, POLL = ("PFC_WD", "GLOBAL"), "POLL_INTERVAL"
_SAVE = run("config save -y", phase=StepPhase.save)
_REFUSED = "the updater refuses it"
_OWN_ROUTING = "split-unified"


def plan_patch(situation: Situation) -> tuple[PatchStep, ...]:
    """Patches, commands and, where nothing else is left, the file and a reload."""
    if not situation.changes:
        return ()
    if not situation.before or not situation.after:
        return (_reload(situation, "there is no configuration to patch"), *look(situation.after), _SAVE)
    return _PatchPlan(situation).steps()


def find_refused(situation: Situation, show: Callable[[Steps], Steps] = tuple) -> list[str]:
    """Return what would make the release refuse the outcome, whatever is sent; ``show`` hides secret names."""
    if not situation.before or not situation.after:
        return []
    updater = find_updater(situation.before, situation.after)
    target = situation.outcome
    return [
        f"{table}|{key} has the field {field}, {reason}".replace(", with ", " ", 1)
        for (table, key, field), reason in (
            (show(steps), reason) for steps, reason in find_refused_fields(target, updater.release).items()
        )
    ]


def write(tree: Tree) -> str:
    """Write CONFIG_DB as the switch saves it: sorted, four blanks."""
    return json.dumps(tree, indent=4, sort_keys=True) + "\n"


class _PatchPlan:
    """The changes of one switch by the way that is open for them."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._target = situation.outcome
        self._updater = find_updater(situation.before, situation.after)
        release = self._updater.release
        old, new = (find_refused_fields(tree, release) for tree in (situation.before, self._target))
        self._refused = {**new, **old}
        changed = {change.steps for change in situation.changes}
        self._mended, known, self._restored = split_refused(
            situation.changes, follow_polling(old, changed), follow_polling(new, changed)
        )
        self._ways: dict[ChangeMethod, list[Change]] = {way: [] for way in ChangeMethod}
        self._reasons: dict[str, None] = {}
        for change in known:
            ruling = self._updater.rule(change, situation.before, self._target)
            self._ways[ruling.way].append(change)
            if ruling.way is ChangeMethod.RELOAD:
                self._reasons[ruling.reason] = None

    def steps(self) -> tuple[PatchStep, ...]:
        """The steps, in this order."""
        situation = self._situation
        files = Files(apply_changes(situation.before, self._mended), self._target, self._updater)
        plain, ports, late = _parted(self._ways[ChangeMethod.PATCH], situation.before, self._target)
        if files.seconds(plain) > TOTAL_MAX_S:
            return self._only_reload(files.seconds(plain))
        self._send_plain(files, plain)
        commands = [*mark(self._ways[ChangeMethod.MARKING]), *watch(self._ways[ChangeMethod.WATCHDOG], self._target)]
        done = [*self._ways[ChangeMethod.MARKING], *self._ways[ChangeMethod.WATCHDOG]]
        mended = write_refused(self._mended, self._refused, "while it is there,")
        now = [*files.steps, *(commands if not _waits(done, ports) else ())]
        files.state = apply_changes(files.state, done)
        work = PortWork(files, ports, situation.semantics.root)
        reason = "; ".join(self._reasons) or self._too_long(files, work, late)
        if reason:
            now = [*mended, *(now if sum(step.seconds for step in now) <= TOTAL_MAX_S else ())]
            return (*now, _reload(situation, reason), *look(self._target), _SAVE)
        work.send()
        files.send_packed([late])
        restored = write_refused(self._restored, self._refused, "from here on")
        return (*mended, *files.steps, *commands, *restored, _SAVE)

    def _only_reload(self, seconds: float) -> tuple[PatchStep, ...]:
        """The reload alone where it makes the patches before it useless; they are not even packed."""
        mended = write_refused(self._mended, self._refused, "while it is there,")
        reason = "; ".join(self._reasons) or _too_slow(seconds)
        return (*mended, _reload(self._situation, reason), *look(self._target), _SAVE)

    def _send_plain(self, files: Files, plain: Sequence[Change]) -> None:
        """Send what takes no port down; additions to restricted tables apart from removals that may equal them."""
        first = [change for change in plain if change.steps[0] in RESTRICTED and change.after is not ABSENT]
        adds = any(change.before is ABSENT for change in first)
        removes = any(change.after is ABSENT for change in plain)
        if adds and removes:
            files.send_packed(list(_bundles(first, files.state)))
            plain = [change for change in plain if change not in first]
        for part in _by_access(plain):
            files.send_packed(list(_bundles(part, files.state)))

    def _too_long(self, files: Files, work: PortWork, late: Sequence[Change]) -> str:
        """The reason for a reload where patches would take too long; empty if they do not."""
        seconds = sum(step.seconds for step in files.steps) + work.seconds() + files.seconds(late)
        return _too_slow(seconds) if seconds > TOTAL_MAX_S else ""


def _too_slow(seconds: float) -> str:
    return f"patches would take about {seconds:,.0f} s, a reload less"


def _by_access(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Yield changes in parts: rules of a control plane's table come before others change, and go behind these.

    The updater is free to reorder a patch, and a rule that is gone before another one permits the same drops sessions.
    """
    places = [_place_in_access(change) for change in changes]
    # Where a table goes its rules go first, and where no rule changes nothing is in between.
    if 1 not in places or any(change.steps[0] == "ACL_TABLE" and change.after is ABSENT for change in changes):
        places = [0] * len(places)
    for part in sorted({*places}):
        yield [change for change, place in zip(changes, places, strict=True) if place == part]


def _place_in_access(change: Change) -> int:
    """Return when a change is sent: 1 for another value in a rule, 2 for a rule that goes, 0 for all else."""
    if change.steps[0] != "ACL_RULE" or change.before is ABSENT:
        return 0
    return 1 if change.after is not ABSENT else 2 if len(change.steps) == ROW else 0


def _waits(commands: Sequence[Change], ports: Sequence[Change]) -> bool:
    """Return whether commands need rows of ports that come only with them: pfcwd looks for pfc_enable."""
    return bool(commands) and any(change.steps[0] == "PORT_QOS_MAP" for change in ports)


def _parted(changes: Sequence[Change], before: Tree, target: Tree) -> tuple[list[Change], list[Change], list[Change]]:
    """Part changes into those that take no port down, rows of ports, and what has to come last."""
    plain, ports, late = [], [], []
    names = before.get("PORT", {})
    for change in changes:
        table = change.steps[0]
        if table in PORT_TABLES and change.steps[1].split("|")[0] in names:
            ports.append(change)
        elif _is_late(change, table, target):
            late.append(change)
        else:
            plain.append(change)
    late.sort(key=_polls_more_slowly)
    return plain, ports, late


def _is_late(change: Change, table: str, target: Tree) -> bool:
    if change.steps[0] == "PORT" and change.steps[-1] == "admin_status":
        return bool(target["PORT"][change.steps[1]].get("admin_status") == "up")
    return _polls_more_slowly(change) or (table in _DEFINITIONS and len(change.steps) == ROW and change.after is ABSENT)


def _polls_more_slowly(change: Change) -> bool:
    """Return whether the watchdog's poll interval grows; only after all times, none of which may be below it."""
    if change.steps[: len(POLL_ROW)] != POLL_ROW:
        return False
    old, new = (side.get(POLL) if isinstance(side, dict) else side for side in (change.before, change.after))
    before, after = number_of(str(old)), number_of(str(new))
    return after is not None and (before is None or after > before)


def _bundles(changes: Sequence[Change], tree: Tree) -> Iterator[list[Change]]:
    """Yield changes by the port they name; what names none comes first."""
    names = tree.get("PORT", {})
    found: dict[str, list[Change]] = {"": []}
    for change in changes:
        port = next((name for step in change.steps[1:] if (name := step.split("|")[0]) in names), "")
        found.setdefault(port, []).append(change)
    found[""].sort(key=_rank)
    yield from (bundle for bundle in found.values() if bundle)


def _rank(change: Change) -> int:
    """Rules of an ACL go before their table and come after it."""
    if change.steps[0] != "ACL_RULE":
        return 1
    return 0 if change.after is ABSENT else 2


def _reload(situation: Situation, reason: str) -> PatchStep:
    text = write({table: rows for table, rows in situation.outcome.items() if is_table(rows)})
    disruption = worst(["drain", *(change.disruption for change in situation.changes)])
    return PatchStep("config reload -y {file}", "config_db.json", text, disruption, reason)


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


def write_refused(changes: Sequence[Change], reasons: Mapping[Steps, str], when: str) -> list[PatchStep]:
    """Return the commands for fields that the release refuses, which delete, set or put them back.

    While such a field is there, every patch is refused: ``when`` that is, in words.
    """
    return [_write(change, f"{_has(change, reasons)}: {when} every patch is refused") for change in changes]


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
        before, after = _split_row(change, before_refused, "before"), _split_row(change, after_refused, "after")
        mended += [Change((*change.steps, field), value, ABSENT, change.meaning) for field, value in before[1].items()]
        restored += [Change((*change.steps, field), ABSENT, value, change.meaning) for field, value in after[1].items()]
        known.append(change._replace(before=before[0], after=after[0]))
    return mended, known, restored


def _split_row(change: Change, refused: Container[Steps], side: str) -> tuple[object, Tree]:
    row = change.before if side == "before" else change.after
    if row is ABSENT:
        return ABSENT, {}
    odd = {field: value for field, value in row.items() if (*change.steps, field) in refused}
    return {field: value for field, value in row.items() if field not in odd}, odd


def _step(words: Sequence[str], reason: str = _REFUSED) -> PatchStep:
    return run(join(words), reason)
