"""A switch that takes patches as SONiC's Generic Config Updater does, with its refusals; knows nothing of fabricgen.

Source: sonic-net/sonic-utilities 691b1bbc, generic_config_updater (gcu_field_operation_validators.conf.json,
field_operation_validators.py, gu_common.py, patch_sorter.py).
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

Config = dict[str, Any]
_EQUAL = {"acs-sn5600", "mellanox-sn5600-v256", "acs-sn5640"}
_CONTAINED = ("arista-7060x6-64pe", "arista-7060x6-64de", "nokia-ixr7220-h5-64d", "nokia-ixr7220-h6-64")
_WATCHDOG = {"restoration_time", "detection_time", "action", "pfc_stat_history"}
_CREATE_ONLY = {("PORT", "lanes")}


class RefusedError(Exception):
    """What the switch says instead of taking a patch."""


class SwitchModel:
    """CONFIG_DB of one switch."""

    def __init__(self, config: Config) -> None:
        """Boot with a configuration."""
        self.config = copy.deepcopy(config)

    def run(self, command: str, content: str) -> None:
        """Carry out a step as an operator would."""
        if command.startswith("config apply-patch "):
            self.apply_patch(json.loads(content))
        elif command.endswith("config reload -y"):
            self.reload(json.loads(content))
        elif command != "config save -y":
            raise RefusedError(f"unknown command {command!r}")

    def reload(self, config: Config) -> None:
        """Start over from a file."""
        _check_shape(config)
        self.config = copy.deepcopy(config)

    def apply_patch(self, operations: list[dict[str, Any]]) -> None:
        """Take all operations, or none."""
        before, config = self.config, copy.deepcopy(self.config)
        sku = str(before["DEVICE_METADATA"]["localhost"]["hwsku"]).lower()
        listed = sku in _EQUAL or any(name in sku for name in _CONTAINED)
        for operation in operations:
            steps = _steps(operation["path"])
            _check_operation(operation, steps, listed)
            _carry_out(config, operation, steps)
        _check_shape(config)
        _check_create_only(before, config)
        self.config = config


def _steps(path: str) -> list[str]:
    if not path.startswith("/") or path == "/":
        raise RefusedError("a patch of the whole configuration")
    return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]


def _check_operation(operation: dict[str, Any], steps: list[str], listed: bool) -> None:
    table, op = steps[0], operation["op"]
    if op not in ("add", "remove", "replace") or ("value" in operation) is (op == "remove"):
        raise RefusedError(f"malformed operation {operation}")
    if table == "BUFFER_POOL":
        raise RefusedError("BUFFER_POOL")
    if op == "remove" and (
        steps in (["PFC_WD", "GLOBAL"], ["PFC_WD", "GLOBAL", "POLL_INTERVAL"], ["LOOPBACK_INTERFACE", "Loopback0"])
        or steps == ["LOOPBACK_INTERFACE"]
    ):
        raise RefusedError(f"remove {steps}")
    if table == "PFC_WD" and not (
        listed and _watchdog_fields(operation, steps) <= _WATCHDOG | {"", "global/poll_interval"}
    ):
        raise RefusedError(f"PFC_WD {steps}")
    if table == "BUFFER_PROFILE" and len(steps) != 2:
        fields = {"dynamic_th", "xoff"}
        if not (listed and len(steps) == 3 and steps[2] in fields and op == "replace"):
            raise RefusedError(f"BUFFER_PROFILE {steps}")


def _watchdog_fields(operation: dict[str, Any], steps: list[str]) -> set[str]:
    cleaned = "/".join(step for step in steps[1:] if not re.search(r"\d", step)).lower()
    value = operation.get("value")
    if isinstance(value, dict):
        return {f"{cleaned}/{key}" if cleaned else key for key in value}
    return {cleaned}


def _carry_out(config: Config, operation: dict[str, Any], steps: list[str]) -> None:
    """RFC 6902: what is around the target must be there, and for replace and remove the target itself."""
    node = config
    for step in steps[:-1]:
        if not isinstance(node, dict) or step not in node:
            raise RefusedError(f"there is no {steps}")
        node = node[step]
    if operation["op"] == "add":
        node[steps[-1]] = copy.deepcopy(operation["value"])
        return
    if steps[-1] not in node:
        raise RefusedError(f"there is no {steps}")
    if operation["op"] == "remove":
        del node[steps[-1]]
    else:
        node[steps[-1]] = copy.deepcopy(operation["value"])


def _check_shape(config: Config) -> None:
    """Redis has no empty tables, and every value is a text or a list of texts."""
    for table, rows in config.items():
        if not rows:
            raise RefusedError(f"{table} would be empty")
        for row in rows.values():
            for value in row.values():
                if not isinstance(value, str) and not (
                    isinstance(value, list) and all(isinstance(i, str) for i in value)
                ):
                    raise RefusedError(f"{value!r} in {table}")


def _check_create_only(before: Config, after: Config) -> None:
    for table, field in _CREATE_ONLY:
        for key in before.get(table, {}).keys() & after.get(table, {}).keys():
            if before[table][key].get(field) != after[table][key].get(field):
                raise RefusedError(f"{field} of {key} is create-only")
