"""The command line of an EOS switch, as the forced command of an SSH server: interactive, or one command.

``EMULATED_STATE`` names the file that holds the switch between two sessions, ``EMULATED_FAULT`` what goes wrong:
``sessions`` of BGP are lost once running-config has changed, or a ``restart`` does not come.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.emulated.answers import find_answer
from tests.emulated.eos_switch import Pending, RefusedError, Session, Switch, load, save

STATE, FAULT = "EMULATED_STATE", "EMULATED_FAULT"
_ENTER = re.compile(r"configure session (?P<name>\S+)(?: (?P<word>commit|abort))?(?: timer (?P<timer>\S+))?")


@contextmanager
def held() -> Iterator[Switch]:
    state = Path(os.environ[STATE])
    with state.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        switch = load(state)
        yield switch
        save(state, switch)


class Shell:
    """One login.

    ``session``: name of the configuration session it is in; empty outside. ``mode``: configuration mode without a
    session, such as ``maintenance``; empty outside.
    """

    def __init__(self) -> None:
        self.session = ""
        self.mode: list[str] = []

    def prompt(self) -> str:
        with held() as switch:
            name = switch.hostname
        if self.session:
            return f"{name}(config-s-{self.session[:6]})#"
        return f"{name}(config)#" if self.mode else f"{name}#"

    def run(self, line: str) -> str:
        with held() as switch:
            switch.log.append(line)
            try:
                return self._run(switch, line)
            except RefusedError as error:
                return str(error)

    def _run(self, switch: Switch, line: str) -> str:
        words = line.strip()
        match = _ENTER.fullmatch(words)
        if match:
            return self._enter(switch, match)
        if self.session:
            return self._in_session(switch, line)
        if self.mode:
            return self._in_mode(switch, words)
        if words == "configure":
            self.mode.append(words)
            return ""
        if words.startswith("show ") and (answer := find_answer(words, changed=switch.running != switch.start)):
            return answer
        command, _, form = words.partition(" | ")
        return self._plain(switch, command, as_json=form == "json")

    def _enter(self, switch: Switch, match: re.Match[str]) -> str:
        name = match["name"]
        if match["word"] == "abort":
            switch.abort(name)
        elif match["word"] == "commit":
            switch.commit(name, _seconds(match["timer"]) if match["timer"] else 0.0)
        else:
            self.session = name
            switch.sessions.setdefault(name, Session(switch.running))
        return ""

    def _in_session(self, switch: Switch, line: str) -> str:
        session, words = switch.sessions[self.session], line.strip()
        if words == "show session-config diffs":
            return _diff(switch.running, session.result)
        if words in ("end", "exit", "commit", "abort") or words.startswith("commit timer "):
            name, self.session = self.session, ""
            if words == "abort":
                switch.abort(name)
            elif words.startswith("commit"):
                switch.commit(name, _seconds(words.split()[2]) if " " in words else 0.0)
        elif words == "rollback clean-config":
            session.clean, session.lines = True, []
        elif words and not words.startswith("!"):
            session.lines.append(line)
        return ""

    def _in_mode(self, switch: Switch, words: str) -> str:
        if words == "end":
            self.mode.clear()
        elif words == "exit":
            self.mode.pop()
        elif words in ("quiesce", "no quiesce"):
            switch.maintenance = words == "quiesce"
        elif words in ("maintenance", "unit System"):
            self.mode.append(words)
        else:
            raise RefusedError("% Invalid input")
        return ""

    def _plain(self, switch: Switch, command: str, *, as_json: bool) -> str:
        if command.startswith(("terminal ", "enable")):
            return ""
        if command == "show running-config":
            return switch.running
        if command.startswith("configure checkpoint "):
            return _checkpoint(switch, *command.split()[2:])
        if command in ("write memory", "copy running-config startup-config"):
            switch.startup = switch.running
            return "Copy completed successfully."
        if command == "reload now":
            if os.environ.get(FAULT) != "restart":
                switch.reload()
            return ""
        shown = _show(switch, command)
        if shown is None:
            raise RefusedError("% Invalid input")
        return json.dumps(shown) if as_json else json.dumps(shown, indent=1)


def _checkpoint(switch: Switch, verb: str, name: str) -> str:
    if verb == "save":
        switch.checkpoints[name] = switch.running
    elif name in switch.checkpoints:
        switch.running = switch.checkpoints[name]
    else:
        raise RefusedError(f"% Checkpoint {name} does not exist")
    return ""


def _show(switch: Switch, command: str) -> object:
    if "bgp" in command and "summary" in command:
        is_lost = os.environ.get(FAULT) == "sessions" and switch.running != switch.start
        state = "Idle" if is_lost else "Established"
        return {"vrfs": {"default": {"peers": {peer: {"peerState": state} for peer in switch.neighbors}}}}
    if command == "show maintenance":
        return {"units": {"System": {"state": "underMaintenance" if switch.maintenance else "active"}}}
    if command == "show configuration sessions detail":
        pending = switch.pending
        names = [*switch.sessions, *([pending.session] if isinstance(pending, Pending) else [])]
        return {"sessions": {name: {"state": "pending"} for name in names}}
    if command == "show version":
        return {"version": "4.33.1F", "modelName": "emulated", "bootupTimestamp": 1700000000.5 + switch.boots}
    if command == "show hostname":
        return {"hostname": switch.hostname, "fqdn": switch.hostname}
    return {} if command.startswith("show ") else None


def _diff(before: str, after: str) -> str:
    old, new = before.splitlines(), after.splitlines()
    return "\n".join(
        [*(f"- {line}" for line in old if line not in new), *(f"+ {line}" for line in new if line not in old)]
    )


def _seconds(timer: str) -> float:
    hours, minutes, seconds = map(int, timer.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def main() -> int:
    shell = Shell()
    asked = os.environ.get("SSH_ORIGINAL_COMMAND")
    if asked:
        answers = [shell.run(line) for line in re.split(r"\n| ; ", asked)]
        print("\n".join(answer for answer in answers if answer))
        return 1 if any(answer.startswith("% ") for answer in answers) else 0
    while True:
        print(shell.prompt(), end=" " if sys.stdin.isatty() else "\n", flush=True)
        line = sys.stdin.readline()
        if not line or (line.strip() in ("exit", "logout") and not shell.session and not shell.mode):
            return 0
        answer = shell.run(line.rstrip("\r\n"))
        if line.strip() == "reload now":
            return 0
        if answer:
            print(answer, flush=True)


if __name__ == "__main__":
    sys.exit(main())
