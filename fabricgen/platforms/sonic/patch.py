"""Changes to what SONiC's Generic Config Updater takes, else the whole file and a reload.

One refused operation refuses the patch, so a switch gets either an RFC 6902 patch or ``config reload``. An operation
touches the smallest thing it can: a field, or a row; a table only where it appears or disappears, because CONFIG_DB
has no empty tables. A reload keeps what is not ours: the file is what the switch has, with the changes carried out.

Source:
    sonic-net/sonic-utilities 691b1bbc, generic_config_updater: gcu_field_operation_validators.conf.json,
    field_operation_validators.py, gu_common.py (refused removals), patch_sorter.py (create-only fields). The words and
    lists are data in the semantics of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fabricgen.platforms.patching import ABSENT, Change, Situation, Step, apply_changes, worst
from fabricgen.platforms.reading import Tree

Operation = dict[str, Any]
_ROW, _FIELD = 2, 3
_LISTED = "its HwSKU {sku!r} is not among those whose {table} may be patched"


def plan_patch(situation: Situation) -> tuple[Step, ...]:
    """The patch, or the file and the reload."""
    changes = tuple(situation.changes)
    if not changes:
        return ()
    reason = refuse_patch(situation)
    if reason:
        text = dump(apply_changes(situation.before, situation.changes))
        command = "install -m 640 {file} /etc/sonic/config_db.json && config reload -y"
        return (Step(command, "config_db.json", text, worst(["drain", *(c.disruption for c in changes)]), reason),)
    operations = list_operations(situation)
    text = "[\n" + ",\n".join(json.dumps(operation) for operation in operations) + "\n]\n"
    disruption = worst([change.disruption for change in changes])
    return (
        Step("config apply-patch {file}", "patch.json", text, disruption),
        Step("config save -y", "", "", "hitless"),
    )


def refuse_patch(situation: Situation) -> str:
    """Why the updater would refuse the changes as a patch; empty if it would not."""
    if not situation.before or not situation.after:
        return "there is no configuration to patch"
    sku = str(_local(situation.before).get("hwsku", ""))
    for change in situation.changes:
        reason = _refuse(change, situation, sku)
        if reason:
            return reason
    return ""


def list_operations(situation: Situation) -> list[Operation]:
    """The RFC 6902 operations that carry the changes out, in the order of their paths."""
    before, after = situation.before, situation.after
    tables_gone = {table for table in {change.steps[0] for change in situation.changes} if not _kept(situation, table)}
    found: dict[tuple[str, ...], Operation] = {}
    for change in situation.changes:
        table = change.steps[0]
        if table in tables_gone:
            found.setdefault((table,), {"op": "remove", "path": _pointer((table,))})
        elif table not in before:
            found.setdefault((table,), {"op": "add", "path": _pointer((table,)), "value": after[table]})
        elif len(change.steps) >= _FIELD and _replaces_row(change, situation):
            row = change.steps[:_ROW]
            found.setdefault(row, {"op": "replace", "path": _pointer(row), "value": _row_after(situation, row)})
        else:
            found[change.steps] = _operation(change)
    return list(found.values())


def dump(tree: Tree) -> str:
    """CONFIG_DB as the switch saves it: sorted, four blanks."""
    return json.dumps(tree, indent=4, sort_keys=True) + "\n"


def _operation(change: Change) -> Operation:
    path = _pointer(change.steps)
    if change.after is ABSENT:
        return {"op": "remove", "path": path}
    return {"op": "add" if change.before is ABSENT else "replace", "path": path, "value": change.after}


def _pointer(steps: tuple[str, ...]) -> str:
    """A JSON pointer, RFC 6901."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def _refuse(change: Change, situation: Situation, sku: str) -> str:
    table, word = change.steps[0], change.meaning.get("patch")
    if word == "refused":
        return f"{table} may not be patched at all"
    if word == "reload":
        return f"{table} takes effect only by a reload"
    if word == "create-only":
        return f"{change.steps[-1]} cannot be changed on a row that exists"
    if word == "keep" and change.after is ABSENT:
        return f"{change.steps[-1]} may not be removed"
    if word in ("watchdog", "watchdog-global"):
        return _refuse_watchdog(change, situation, sku, word)
    return ""


def _refuse_watchdog(change: Change, situation: Situation, sku: str, word: str) -> str:
    if not _is_listed(sku, situation.semantics.data):
        return _LISTED.format(sku=sku, table=change.steps[0])
    if word == "watchdog-global" and not (len(change.steps) == _FIELD and change.after is not ABSENT):
        return "the global row of PFC_WD may be neither added nor removed"
    if change.steps[0] not in situation.before or not _kept(situation, change.steps[0]):
        return "PFC_WD may be neither added nor removed as a whole"
    return ""


def _is_listed(sku: str, data: Mapping[str, Any]) -> bool:
    low = sku.lower()
    equal = (str(name).lower() for name in data.get("hwskus_equal", ()))
    contained = (str(name).lower() for name in data.get("hwskus_contained", ()))
    return low in equal or any(name in low for name in contained)


def _replaces_row(change: Change, situation: Situation) -> bool:
    """Whether a change of a field has to replace its row."""
    if change.meaning.get("patch") != "profile":
        return False
    data = situation.semantics.data
    alone = change.steps[-1] in data.get("profile_fields", ()) and ABSENT not in (change.before, change.after)
    return not (alone and _is_listed(str(_local(situation.before).get("hwsku", "")), data))


def _row_after(situation: Situation, row: tuple[str, ...]) -> Tree:
    changed: Tree = apply_changes(situation.before, situation.changes)[row[0]][row[1]]
    return changed


def _kept(situation: Situation, table: str) -> bool:
    """Whether a table still has rows once the changes are carried out."""
    gone = {c.steps[1] for c in situation.changes if c.steps[0] == table and len(c.steps) == _ROW and c.after is ABSENT}
    whole = any(c.steps == (table,) and c.after is ABSENT for c in situation.changes)
    new = any(c.steps[0] == table and c.after is not ABSENT for c in situation.changes)
    return not whole and (new or bool(situation.before.get(table, {}).keys() - gone))


def _local(tree: Tree) -> Tree:
    row: Tree = tree.get("DEVICE_METADATA", {}).get("localhost", {})
    return row
