"""The commands of a SONiC switch that a rollout uses, on the model of its updater; run with ``python -m``.

``EMULATED_STATE`` names the file that holds the switch between two commands, ``EMULATED_FAULT`` what goes wrong:
``sessions`` are lost once CONFIG_DB has changed. CONFIG_DB is a ``SwitchModel``; FRR is
a text that ``vtysh -f`` adds lines to. Timers of ``systemd-run --on-active`` are real: they fire unless stopped.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from tests.emulated.answers import find_answer
from tests.emulated.sonic_switch import Switch, load
from tests.property.updater_rules import RefusedError

NAMES = (
    "config", "show", "vtysh", "sonic-db-cli", "sonic-cfggen", "pfcwd", "portstat", "ecnconfig", "docker",
    "systemd-run", "systemctl", "sudo",
)  # fmt: skip
STATE, FAULT = "EMULATED_STATE", "EMULATED_FAULT"
CONFIG_DB, FRR = Path("/etc/sonic/config_db.json"), Path("/etc/sonic/frr/frr.conf")
_SECONDS = re.compile(r"(\d+)(s|m|min)?")


def main(words: list[str]) -> int:
    """Run one command; returns its exit status."""
    if words[0] == "sudo":
        words = words[1:]
        if words[0] not in NAMES:
            os.execvp(words[0], words)
    state = Path(os.environ[STATE])
    with state.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        switch = load(state)
        switch.log.append(" ".join(words))
        answer = find_answer(shlex.join(words), changed=switch.model.config != switch.start)
        try:
            status = _COMMANDS[words[0]](switch, words[1:]) if answer is None else 0
        except RefusedError as error:
            print(f"Failed to apply: {error}", file=sys.stderr)
            status = 1
        state.write_bytes(pickle.dumps(switch))
    if answer is not None:
        print(answer)
    return status


def _config(switch: Switch, words: list[str]) -> int:
    if words[0] == "save":
        CONFIG_DB.write_text(json.dumps(switch.model.config, indent=4))
        return 0
    if words[0] == "reload":
        files = [word for word in words[1:] if not word.startswith("-")]
        switch.model.reload(json.loads(Path(files[0]).read_text() if files else CONFIG_DB.read_text()))
        switch.routing.clear()
        return 0
    if words[0] in ("checkpoint", "rollback"):
        switch.model.run(f"config {words[0]} {words[1]}", "")
        return 0
    if words[0] == "apply-patch":
        file = words[-1]
        dry = " --dry-run" if {"-d", "--dry-run"} & set(words) else ""
        switch.model.run(f"config apply-patch{dry} {file}", Path(file).read_text())
        print("Patch applied successfully.")
        return 0
    print(f"config: no such command {words}", file=sys.stderr)
    return 2


def _vtysh(switch: Switch, words: list[str]) -> int:
    if "-f" in words:
        lines = Path(words[words.index("-f") + 1]).read_text().splitlines()
        if "-C" not in words:
            switch.routing += lines
        return 0
    told = [word for flag, word in pairwise(words) if flag == "-c"]
    if told[:1] == ["configure terminal"]:
        switch.routing += told[1:]
        return 0
    for line in told:
        print(_answer(switch, line))
    return 0


def _answer(switch: Switch, line: str) -> str:
    if line == "show running-config":
        return FRR.read_text() + "\n".join(switch.routing)
    if line.startswith(("show bgp", "show ip bgp")):
        is_lost = os.environ.get(FAULT) == "sessions" and switch.model.config != switch.start
        up = {"state": "Idle" if is_lost else "Established"}
        peers = sorted(switch.model.config.get("BGP_NEIGHBOR", {})) or _neighbors()
        return json.dumps({"ipv4Unicast": {"peers": dict.fromkeys(peers, up)}})
    return ""


def _neighbors() -> list[str]:
    found = (
        re.findall(r"^ neighbor (\S+) (?:remote-as|interface)", FRR.read_text(), re.MULTILINE) if FRR.exists() else []
    )
    return sorted(set(found))


def _show(switch: Switch, words: list[str]) -> int:
    if words[:1] == ["runningconfiguration"]:
        print(json.dumps(switch.model.config, indent=4))
    return 0


def _plain(name: str) -> Callable[[Switch, list[str]], int]:
    def run(switch: Switch, words: list[str]) -> int:
        switch.model.run(" ".join([name, *words]), "")
        return 0

    return run


def _cfggen(switch: Switch, words: list[str]) -> int:
    if words == ["-d", "--print-data"]:
        print(json.dumps(switch.model.config, indent=4))
        return 0
    return 2


def _docker(switch: Switch, words: list[str]) -> int:
    """The container of FRR: files go in by ``cp``, commands by ``exec``."""
    if words[0] == "cp":
        return subprocess.run(["cp", words[1], words[2].partition(":")[2]], check=False).returncode
    words = [word for word in words[1:] if word not in ("-i", "-t", "-it")]
    return _vtysh(switch, words[2:]) if words[:2] == ["bgp", "vtysh"] else 1


def _systemd_run(switch: Switch, words: list[str]) -> int:
    told = dict(word.removeprefix("--").split("=", 1) for word in words if word.startswith("--") and "=" in word)
    match = _SECONDS.fullmatch(told["on-active"])
    seconds = int(match[1]) * (60 if match[2] in ("m", "min") else 1)
    seconds = int(os.environ.get("EMULATED_TIMER_S", seconds))
    command = words[next(at for at, word in enumerate(words) if not word.startswith("--")) :]
    timer = subprocess.Popen(
        ["setsid", "sh", "-c", 'sleep "$0"; exec "$@"', str(seconds), *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    switch.timers[told["unit"]] = timer.pid
    return 0


def _systemctl(switch: Switch, words: list[str]) -> int:
    if words[0] != "stop":
        return 0
    unit = words[-1].removesuffix(".timer")
    if unit not in switch.timers:
        print(f"Failed to stop {words[-1]}: Unit {words[-1]} not loaded.", file=sys.stderr)
        return 5
    subprocess.run(["pkill", "-9", "-s", str(switch.timers.pop(unit))], check=False)
    return 0


_COMMANDS: dict[str, Callable[[Switch, list[str]], int]] = {
    "config": _config, "show": _show, "vtysh": _vtysh, "sonic-db-cli": _plain("sonic-db-cli"), "sonic-cfggen": _cfggen,
    "pfcwd": _plain("pfcwd"), "portstat": _plain("portstat"), "ecnconfig": _plain("ecnconfig"), "docker": _docker,
    "systemd-run": _systemd_run, "systemctl": _systemctl,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
