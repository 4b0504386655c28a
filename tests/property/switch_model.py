"""A switch that takes patches as SONiC's Generic Config Updater does, with its refusals; knows nothing of fabricgen.

Source: sonic-net/sonic-utilities 202505 7511bf2f, 202511 a092c970, 202605 92c565b3, generic_config_updater
(gcu_field_operation_validators.conf.json, field_operation_validators.py, gu_common.py, patch_sorter.py), pfcwd/main.py
and scripts/ecnconfig. Held against those programs off the switch: see templates/switch/sonic/NOTES.md, *Patches*.
"""

from __future__ import annotations

import copy
import json
import shlex
from typing import Any

from tests.property.updater_rules import Element, RefusedError, check_element, times_below_polling, unknown_fields

Config = dict[str, Any]
_PORT_TABLES = {"BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP"}
_REFERENCES = {
    ("QUEUE", "scheduler"): "SCHEDULER",
    ("QUEUE", "wred_profile"): "WRED_PROFILE",
    ("BUFFER_PG", "profile"): "BUFFER_PROFILE",
    ("BUFFER_QUEUE", "profile"): "BUFFER_PROFILE",
    ("BUFFER_PROFILE", "pool"): "BUFFER_POOL",
    ("PORT_QOS_MAP", "dscp_to_tc_map"): "DSCP_TO_TC_MAP",
}
_MARKING = {
    f"-{color[0]}{end}": f"{color}_{word}"
    for color in ("green", "yellow", "red")
    for end, word in (("min", "min_threshold"), ("max", "max_threshold"), ("drop", "drop_probability"))
}


class SwitchModel:
    """CONFIG_DB of one switch; ``downs`` counts how often ports went down."""

    def __init__(self, config: Config, release: str = "") -> None:
        """Boot with a configuration; the release is what it names unless one is given."""
        self.config = copy.deepcopy(config)
        self.release = release or config["VERSIONS"]["DATABASE"]["VERSION"].split("_")[1]
        self.downs: dict[str, int] = {}
        self.checkpoints: dict[str, Config] = {}

    def run(self, command: str, content: str) -> None:
        words = shlex.split(command)
        if words[0] == "config" and command != "config save -y":
            self._configure(words, content)
        elif command.startswith("install -m 640 "):
            self.reload(json.loads(content))
        elif words[0] == "pfcwd":
            self._watch(words[1], words[2:])
        elif words[0] == "ecnconfig":
            for option, value in zip(words[3::2], words[4::2], strict=True):
                self.config["WRED_PROFILE"][words[2]][_MARKING[option]] = value
        elif words[:3] == ["sonic-db-cli", "CONFIG_DB", "hget"]:
            table, _, key = words[3].partition("|")
            if self.config[table][key][words[4]] != "split-unified":
                raise RefusedError("frr.conf would be replaced")
        elif words[:2] == ["sonic-db-cli", "CONFIG_DB"]:
            self._write(words[2], words[3], words[4:])
        elif (
            words[0] not in ("show", "vtysh", "cp", "reboot", "systemd-run", "systemctl", "install")
            and command != "config save -y"
        ):
            raise RefusedError(f"unknown command {command!r}")

    def _configure(self, words: list[str], content: str) -> None:
        """Carry out a command that changes CONFIG_DB as a whole."""
        if words[1:3] == ["apply-patch", "--dry-run"]:
            SwitchModel(self.config, self.release).apply_patch(json.loads(content))
        elif words[1] == "apply-patch":
            self.apply_patch(json.loads(content))
        elif words[1:3] == ["reload", "-y"]:
            self.reload(json.loads(content))
        elif words[1] == "checkpoint":
            self.checkpoints[words[2]] = copy.deepcopy(self.config)
        elif words[1] == "rollback":
            self.config = copy.deepcopy(self.checkpoints[words[2]])
        else:
            raise RefusedError(f"unknown command {words}")

    def reload(self, config: Config) -> None:
        self._check(config)
        self.config = copy.deepcopy(config)

    def apply_patch(self, operations: list[dict[str, Any]]) -> None:
        """Take all operations, or none."""
        before, config = self.config, copy.deepcopy(self.config)
        for operation in operations:
            _carry_out(config, operation, _steps(operation["path"]))
        for element in find_elements(before, config):
            check_element(element, before, self.release)
        for side in (before, config):
            self._check(side)
        self._count_downs(before, config)
        self.config = config

    def _count_downs(self, before: Config, after: Config) -> None:
        """A port goes down when it is told to, or when a row that names it changes while it is up."""
        for port, row in before["PORT"].items():
            if row.get("admin_status") != "up":
                continue
            changed = any(_rows(before, table, port) != _rows(after, table, port) for table in _PORT_TABLES)
            if changed or after["PORT"].get(port, {}).get("admin_status") != "up":
                self.downs[port] = self.downs.get(port, 0) + 1

    def _check(self, config: Config) -> None:
        """Redis has no empty tables, values are texts, YANG knows every field and every reference leads somewhere."""
        for table, rows in config.items():
            if not rows:
                raise RefusedError(f"{table} would be empty")
            for row in rows.values():
                for value in row.values():
                    texts = value if isinstance(value, list) else [value]
                    if not all(isinstance(text, str) for text in texts):
                        raise RefusedError(f"{value!r} in {table}")
        if unknown := unknown_fields(config, self.release):
            raise RefusedError(f"All Keys are not parsed: {unknown}")
        if short := times_below_polling(config):
            raise RefusedError(f"times must be greater than or equal to POLL_INTERVAL: {short}")
        _check_references(config)

    def _watch(self, verb: str, words: list[str]) -> None:
        table = self.config.setdefault("PFC_WD", {})
        times = [
            int(row[name]) for row in table.values() for name in ("detection_time", "restoration_time") if name in row
        ]
        if verb == "interval":
            if int(words[0]) > min(times, default=1000):
                raise RefusedError("the interval is above a time of a port")
            table.setdefault("GLOBAL", {})["POLL_INTERVAL"] = words[0]
        elif verb == "stop":
            for port in words:
                table.pop(port, None)
        else:
            self._start(words, table)
        if not table:
            del self.config["PFC_WD"]

    def _start(self, words: list[str], table: Config) -> None:
        row: dict[str, str] = {}
        for option, field in (("--action", "action"), ("--restoration-time", "restoration_time")):
            if option in words:
                place = words.index(option)
                row[field] = words[place + 1]
                words = words[:place] + words[place + 2 :]
        history = "--pfc-stat-history" in words
        *ports, detection = [word for word in words if not word.startswith("--")]
        for port in ports:
            if not self.config["PORT_QOS_MAP"][port].get("pfc_enable"):
                raise RefusedError(f"SKIPPED: PFC is not enabled on port: {port}")
            table[port] = {"detection_time": detection, **row}
            table[port].setdefault("restoration_time", str(2 * int(detection)))
            if history:
                table[port]["pfc_stat_history"] = "enable"

    def _write(self, verb: str, row: str, words: list[str]) -> None:
        table, key = row.split("|", 1)
        field = words[0].removesuffix("@")
        if verb == "hdel":
            del self.config[table][key][field]
        else:
            self.config[table][key][field] = words[1].split(",") if words[0] != field else words[1]


def _check_references(config: Config) -> None:
    for (table, field), target in _REFERENCES.items():
        for key, row in config.get(table, {}).items():
            if field in row and row[field] not in ("NULL", *config.get(target, {})):
                raise RefusedError(f"{table}|{key} refers to {row[field]}, which is not there")
    for table in ("PFC_WD", "QUEUE", "BUFFER_PG"):
        for key in config.get(table, {}):
            if key.split("|")[0] not in ("GLOBAL", *config["PORT"]):
                raise RefusedError(f"{table}|{key} names no port")


def find_elements(before: Any, after: Any, steps: tuple[str, ...] = ()) -> list[Element]:
    """Return what jsonpatch makes of two configurations: an addition that equals a removal is a move."""
    elements = list(_compare(before, after, steps))
    removed = [element.value for element in elements if element.op == "remove"]
    found = []
    for element in elements:
        if element.op == "add" and element.value in removed:
            removed.remove(element.value)
            found.append(Element("move", element.steps, None))
        else:
            found.append(element)
    return found


def _compare(before: Any, after: Any, steps: tuple[str, ...]) -> list[Element]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [Element("replace", steps, after)] if before != after else []
    found = []
    for key in before | after:
        path = (*steps, key)
        if key not in after:
            found.append(Element("remove", path, before[key]))
        elif key not in before:
            found.append(Element("add", path, after[key]))
        else:
            found += _compare(before[key], after[key], path)
    return found


def _rows(config: Config, table: str, port: str) -> Config:
    return {key: row for key, row in config.get(table, {}).items() if key.split("|")[0] == port}


def _steps(path: str) -> list[str]:
    if not path.startswith("/") or path == "/":
        raise RefusedError("a patch of the whole configuration")
    return [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]


def _carry_out(config: Config, operation: dict[str, Any], steps: list[str]) -> None:
    """RFC 6902: what is around the target must be there, and for replace and remove the target itself."""
    op = operation["op"]
    if op not in ("add", "remove", "replace") or ("value" in operation) is (op == "remove"):
        raise RefusedError(f"malformed operation {operation}")
    node = config
    for step in steps[:-1]:
        if not isinstance(node, dict) or step not in node:
            raise RefusedError(f"there is no {steps}")
        node = node[step]
    if op == "add":
        node[steps[-1]] = copy.deepcopy(operation["value"])
        return
    if steps[-1] not in node:
        raise RefusedError(f"there is no {steps}")
    if op == "remove":
        del node[steps[-1]]
    else:
        node[steps[-1]] = copy.deepcopy(operation["value"])
