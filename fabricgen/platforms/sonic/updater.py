"""Changes that the Generic Config Updater of a switch's release accepts.

Input: a change of CONFIG_DB and the configuration it is made in. Output: the way that is open for it. The lists are
data, ``updater.yaml`` in the platform's folder and the schema of the release.

Source:
    sonic-net/sonic-utilities, generic_config_updater of 202405 ced89eb5, 202411 ac66b67e, 202505 7511bf2f, 202511
    a092c970, 202605 92c565b3: gcu_field_operation_validators.conf.json, field_operation_validators.py, gu_common.py
    (refused removals). The updater judges the difference of the running and the wanted configuration, not the
    operations of the patch, so a row that is replaced is judged field by field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import Tree
from fabricgen.source import load_data

ROW, FIELD = 2, 3
PORT_TABLES = frozenset(
    (
        *("BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP"),
        *("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"),
    )
)
"""Tables whose rows the updater changes only while the port they name is down (patch_sorter.py)."""
RESTRICTED = frozenset(("BUFFER_POOL", "BUFFER_PROFILE", "PFC_WD", "PORT", "WRED_PROFILE"))
"""Tables whose changes a validator judges one by one."""
_FOLDER = "switch/sonic"
_VERSION = re.compile(r"version_(\d{6})_")
_WATCHDOG_FIELDS = frozenset(("action", "detection_time", "restoration_time", "pfc_stat_history"))
_COLORS = ("green", "yellow", "red")
MARKING_OPTIONS = {
    **{f"{color}_{end}_threshold": f"-{color[0]}{end}" for color in _COLORS for end in ("min", "max")},
    **{f"{color}_drop_probability": f"-{color[0]}drop" for color in _COLORS},
}
"""Options of ecnconfig by the field of WRED_PROFILE that they set."""


class ChangeMethod(Enum):
    """Ways of a change to the switch."""

    PATCH = "an operation of a patch"
    WATCHDOG = "the command pfcwd"
    MARKING = "the command ecnconfig"
    RELOAD = "a reload"


class Ruling(NamedTuple):
    """The way that is open for a change, and the reason if it is a reload."""

    way: ChangeMethod
    reason: str = ""


class Updater(NamedTuple):
    """The updater of one switch.

    Attributes:
        release: SONiC release, such as 202511.
        grouped: Its sorter tries like changes together.
        profile_rows: Rows of BUFFER_PROFILE may be added and removed.
        pools: ``pool/field`` of BUFFER_POOL that may be replaced.
        marking: Fields of WRED_PROFILE that may be replaced; None if the table is not restricted.
        marking_profiles: The only profiles they may be replaced in; empty for all.
        profile_fields: Fields of BUFFER_PROFILE that may be replaced.
        is_listed: The updater knows the ASIC of the HwSKU.
    """

    release: str
    grouped: bool
    profile_rows: bool
    pools: frozenset[str]
    marking: frozenset[str] | None
    marking_profiles: frozenset[str]
    profile_fields: frozenset[str]
    sku: str
    is_listed: bool

    def rule(self, change: Change, before: Tree, after: Tree) -> Ruling:
        """Return the way that is open for the change of a row or a field between two states of CONFIG_DB."""
        judge = _JUDGES.get(change.steps[0])
        word = change.meaning.get("patch")
        if word == "reload":
            return Ruling(ChangeMethod.RELOAD, f"{change.steps[0]} takes effect only by a reload")
        if word == "create-only" and len(change.steps) == FIELD:
            return Ruling(ChangeMethod.RELOAD, f"{change.steps[-1]} cannot be changed on a row that exists")
        if word == "keep" and change.after is ABSENT:
            return Ruling(ChangeMethod.RELOAD, f"{change.steps[-1]} may not be removed")
        return judge(self, change, before, after) if judge else Ruling(ChangeMethod.PATCH)

    @property
    def unlisted(self) -> str:
        """Return why a table that is tied to the ASIC may not be patched."""
        return f"the updater of {self.release} does not know the ASIC of HwSKU {self.sku!r}"


def find_updater(before: Tree, after: Tree) -> Updater:
    """The updater that runs on a switch: the release is that of its own file, else that of the intended one."""
    facts = _load("updater.yaml")
    releases: Mapping[str, Mapping[str, Any]] = facts["releases"]
    release = release_of(before) or release_of(after) or max(releases)
    known = releases[max((name for name in releases if name <= release), default=min(releases))]
    sku = str(_local(before).get("hwsku", ""))
    marking = known.get("marking")
    return Updater(
        release=release,
        grouped=known["sorter"] == "grouped",
        profile_rows=bool(known["profile_rows"]),
        pools=frozenset(known.get("pools", ())),
        marking=None if marking is None else frozenset(marking),
        marking_profiles=frozenset(known.get("marking_profiles", ())),
        profile_fields=frozenset(facts["profile_fields"]),
        sku=sku,
        is_listed=_is_listed(sku, release, facts["hwskus"]),
    )


def release_of(tree: Tree) -> str:
    """The release that a configuration names; empty if it names none."""
    version = tree.get("VERSIONS", {}).get("DATABASE", {}).get("VERSION", "")
    found = _VERSION.match(str(version))
    return found[1] if found else ""


@cache
def fields_ahead(release: str) -> frozenset[tuple[str, str]]:
    """Return table and field of what only branches know that write a release into their configuration.

    A configuration does not tell such a branch from the release, and these fields are written for the branch alone.
    """
    manifest = _load("platform.yaml")
    unpublished = {
        str(each["name"])
        for each in manifest["releases"]
        if str(each.get("released")) == "false" and str(each.get("schema")).startswith(f"version_{release}_")
    }
    fields = (tuple(path.split(" > ")) for path, since in manifest["since"].items() if str(since) in unpublished)
    return frozenset((steps[0], steps[1]) for steps in fields if len(steps) == 2)


@cache
def _load(name: str) -> Mapping[str, Any]:
    bag = Bag()
    document = load_data(template_root() / _FOLDER / name, bag)
    if document is None or not isinstance(document.data, dict):
        raise RuntimeError(f"{name} cannot be read: {[str(item.message) for item in bag]}")
    return document.data


def _is_listed(sku: str, release: str, hwskus: Mapping[str, Mapping[str, list[str]]]) -> bool:
    low = sku.lower()
    equal, contained = (
        [str(name).lower() for since, names in hwskus[kind].items() if since <= release for name in names]
        for kind in ("equal", "contained")
    )
    return low in equal or any(name in low for name in contained)


def _local(tree: Tree) -> Tree:
    row: Tree = tree.get("DEVICE_METADATA", {}).get("localhost", {})
    return row


def _rule_port(_updater: Updater, change: Change, _before: Tree, _after: Tree) -> Ruling:
    if len(change.steps) == ROW:
        return Ruling(ChangeMethod.RELOAD, "rows of PORT come and go with a breakout, which takes a reload")
    return Ruling(ChangeMethod.PATCH)


def _rule_pool(updater: Updater, change: Change, _before: Tree, _after: Tree) -> Ruling:
    allowed = "/".join(change.steps[1:]) in updater.pools and ABSENT not in (change.before, change.after)
    if allowed and updater.is_listed:
        return Ruling(ChangeMethod.PATCH)
    return Ruling(
        ChangeMethod.RELOAD, updater.unlisted if allowed else f"the updater of {updater.release} refuses BUFFER_POOL"
    )


def _rule_profile(updater: Updater, change: Change, _before: Tree, _after: Tree) -> Ruling:
    if len(change.steps) == FIELD:
        replaced = change.steps[-1] in updater.profile_fields and ABSENT not in (change.before, change.after)
        # Up to 202505 a part of the path with a digit is dropped before the rest is compared with the field.
        addressed = updater.profile_rows or any(sign.isdigit() for sign in change.steps[1])
        if replaced and addressed and updater.is_listed:
            return Ruling(ChangeMethod.PATCH)
        refused = f"the updater of {updater.release} refuses this change of a BUFFER_PROFILE"
        return Ruling(ChangeMethod.RELOAD, updater.unlisted if replaced and addressed else refused)
    if updater.profile_rows:
        return Ruling(ChangeMethod.PATCH)
    return Ruling(ChangeMethod.RELOAD, f"the updater of {updater.release} neither adds nor removes a BUFFER_PROFILE")


def _rule_marking(updater: Updater, change: Change, _before: Tree, _after: Tree) -> Ruling:
    if updater.marking is None:
        return Ruling(ChangeMethod.PATCH)
    field = change.steps[-1]
    named = not updater.marking_profiles or change.steps[1] in updater.marking_profiles
    replaced = len(change.steps) == FIELD and ABSENT not in (change.before, change.after)
    if replaced and field in updater.marking and named and updater.is_listed:
        return Ruling(ChangeMethod.PATCH)
    if len(change.steps) == FIELD and change.after is not ABSENT and field in MARKING_OPTIONS:
        return Ruling(ChangeMethod.MARKING)
    return Ruling(ChangeMethod.RELOAD, f"the updater of {updater.release} refuses this change of a WRED_PROFILE")


def _rule_watchdog(updater: Updater, change: Change, before: Tree, after: Tree) -> Ruling:
    key, is_row = change.steps[1], len(change.steps) == ROW
    if change.after is ABSENT and updater.is_listed and not after.get("PFC_WD"):
        return Ruling(ChangeMethod.PATCH)
    is_known = updater.is_listed and "PFC_WD" in before
    if key == "GLOBAL":
        return _rule_global(change, is_row=is_row, is_known=is_known)
    if is_known and (is_row or change.steps[-1] in _WATCHDOG_FIELDS):
        return Ruling(ChangeMethod.PATCH)
    if _takes_watchdog(key, after):
        return Ruling(ChangeMethod.WATCHDOG)
    return Ruling(ChangeMethod.RELOAD, "PFC_WD may not be added as a whole" if updater.is_listed else updater.unlisted)


def _rule_global(change: Change, *, is_row: bool, is_known: bool) -> Ruling:
    if change.after is ABSENT or not (is_row or change.steps[-1] == "POLL_INTERVAL"):
        return Ruling(ChangeMethod.RELOAD, "the updater keeps the GLOBAL row of PFC_WD")
    return Ruling(ChangeMethod.PATCH if is_known and not is_row else ChangeMethod.WATCHDOG)


def _takes_watchdog(port: str, tree: Tree) -> bool:
    """Return whether the watchdog's command makes the row of a port: it has no other fields, and the port pauses."""
    row = tree.get("PFC_WD", {}).get(port)
    if row is None:
        return True
    pauses = tree.get("PORT_QOS_MAP", {}).get(port, {}).get("pfc_enable")
    return bool({"detection_time", "restoration_time"} <= row.keys() <= _WATCHDOG_FIELDS and pauses)


_JUDGES = {
    "PORT": _rule_port,
    "BUFFER_POOL": _rule_pool,
    "BUFFER_PROFILE": _rule_profile,
    "WRED_PROFILE": _rule_marking,
    "PFC_WD": _rule_watchdog,
}
