"""Rules of the updater of each release, written down again for the model of a switch.

Source: as ``switch_model``. Lists hold what the tests use.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Config = dict[str, Any]
_EQUAL = {"acs-sn5600", "mellanox-sn5600-v256", "acs-sn5640"}
_CONTAINED = ("arista-7060x6-64pe", "arista-7060x6-64de", "nokia-ixr7220-h5-64d")
_WATCHDOG = {"restoration_time", "detection_time", "action", "global/poll_interval", ""}
_POOLS = {"ingress_lossless_pool/xoff", "ingress_lossless_pool/size", "egress_lossy_pool/size"}
_GREEN = {"green_min_threshold", "green_max_threshold", "green_drop_probability"}
_KEPT = {("PFC_WD", "GLOBAL"), ("PFC_WD", "GLOBAL", "POLL_INTERVAL"), ("LOOPBACK_INTERFACE", "Loopback0")}
_CREATE_ONLY = {("PORT", "lanes")}
_SINCE = {
    ("GNMI", "gnmi", "vrf"): "999999",
    ("PFC_WD", "*", "pfc_stat_history"): "202511",
    ("INTERFACE", "*", "mac_addr"): "202505",
    ("DEVICE_METADATA", "localhost", "nexthop_group"): "202411",
}


class RefusedError(Exception):
    """Refusal of a patch by the switch."""


class Element(NamedTuple):
    """One element of the difference of two configurations."""

    op: str
    steps: tuple[str, ...]
    value: Any


def unknown_fields(config: Config, release: str) -> list[tuple[str, str, str]]:
    """Fields that the YANG models of a release lack."""
    return [
        (table, key, field)
        for (table, row, field), since in _SINCE.items()
        for key in config.get(table, {})
        if row in ("*", key) and field in config[table][key] and release < since
    ]


def times_below_polling(config: Config) -> list[str]:
    """Ports whose watchdog has a time that sonic-pfcwd.yang refuses beside the poll interval."""
    rows = config.get("PFC_WD", {})
    poll = int(rows.get("GLOBAL", {}).get("POLL_INTERVAL", "0"))
    times = ("detection_time", "restoration_time")
    return [port for port, row in rows.items() for name in times if name in row and int(row[name]) < poll]


def check_element(element: Element, before: Config, release: str) -> None:
    """Raise RefusedError for what the validators of a table refuse."""
    op, steps, _ = element
    if op == "remove" and steps in _KEPT:
        raise RefusedError(f"Operation: remove is illegal on field: {steps}")
    if (steps[0], steps[-1]) in _CREATE_ONLY and len(steps) > 2:
        raise RefusedError(f"{steps} is create-only")
    if not _is_legal(element, _is_listed(before), release):
        raise RefusedError(f"Modification of {steps[0]} table is illegal: {op} {steps}")


def _is_listed(before: Config) -> bool:
    sku = str(before["DEVICE_METADATA"]["localhost"]["hwsku"]).lower()
    return sku in _EQUAL or any(name in sku for name in _CONTAINED)


def _is_legal(element: Element, listed: bool, release: str) -> bool:
    op, steps, _ = element
    table, new = steps[0], release >= "202511"
    if table == "PFC_WD":
        fields = _WATCHDOG | ({"pfc_stat_history"} if new else set())
        return listed and op != "move" and _cleaned(element) <= fields
    if table == "BUFFER_POOL":
        return not new and listed and op == "replace" and _cleaned(element) <= _POOLS
    if table == "BUFFER_PROFILE":
        if new and len(steps) == 2:
            return op in ("add", "remove", "replace")
        found = {steps[-1]} if new else _cleaned(element)
        return listed and op == "replace" and found <= {"dynamic_th", "xoff"}
    if table == "WRED_PROFILE" and not new:
        return listed and op == "replace" and {steps[-1]} <= _GREEN
    return True


def _cleaned(element: Element) -> set[str]:
    """The fields of an element as the validator compares them: parts of the path with a digit do not count."""
    path = "/".join(step for step in element.steps[1:] if not any(sign.isdigit() for sign in step)).lower()
    if isinstance(element.value, dict) and element.op != "remove":
        return {f"{path}/{key}" if path else key for key in element.value}
    return {path}
