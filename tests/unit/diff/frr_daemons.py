"""One router of real FRR daemons in a network namespace of its own, with its sockets in a private folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

DAEMONS = Path("/usr/lib/frr")
_FPM = ("-M", "dplane_fpm_nl")
_SECONDS = 30


def missing() -> str:
    """Why no daemon can run here; empty if one can."""
    if os.geteuid() != 0:
        return "root"
    if not (DAEMONS / "bgpd").is_file() or shutil.which("vtysh") is None:
        return "FRR"
    return "" if shutil.which("ip") and shutil.which("unshare") else "iproute2"


def require() -> None:
    """Skip by name where FRR or root is missing; with CI=true that is a failure."""
    lacking = missing()
    if not lacking:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{lacking} is missing")
    pytest.skip(f"{lacking} is missing")


class Router:
    """zebra, bgpd, bfdd and staticd with one configuration; ``hostname`` is that of the daemons."""

    def __init__(self, hostname: str) -> None:
        """Prepare a folder that the daemons' own user may enter, with a path short enough for sockets."""
        self.folder = Path(tempfile.mkdtemp(prefix="fgdiff-"))
        self.folder.chmod(0o755)
        self._name = f"fgdiff{os.getpid() % 100000}"
        self._hostname = hostname
        (self.folder / "vtysh.conf").write_text("")

    def start(self, configuration: str) -> None:
        """Start the daemons and load a configuration."""
        (self.folder / "frr.conf").write_text(configuration)
        for path in (self.folder, *self.folder.iterdir()):
            shutil.chown(path, "frr", "frr")
        self._call(["ip", "netns", "add", self._name])
        for daemon in ("zebra", "bgpd", "bfdd", "staticd"):
            extra = {"zebra": _FPM, "bfdd": ("--bfdctl", f"{self.folder}/bfdd.sock")}.get(daemon, ())
            self._inside(
                f"{DAEMONS}/{daemon}", "-d", "-u", "frr", "-g", "frr", "-z", f"{self.folder}/zserv.api",
                "--vty_socket", str(self.folder), "-i", f"{self.folder}/{daemon}.pid", *extra,
            )  # fmt: skip
        self.vtysh("-b")

    def vtysh(self, *words: str) -> str:
        """What vtysh prints."""
        return self._inside("vtysh", "--vty_socket", str(self.folder), "--config_dir", str(self.folder), *words)

    def running(self) -> str:
        """The running configuration as the daemons show it."""
        return self.vtysh("-c", "show running-config")

    def type_in(self, *commands: str) -> None:
        """What an operator types at the prompt."""
        self.vtysh(*(word for command in ("configure terminal", *commands) for word in ("-c", command)))

    def apply(self, commands: Sequence[str]) -> str:
        """Carry out a patch; what the daemons complain about."""
        file = self.folder / "commands"
        file.write_text("".join(f"{command}\n" for command in commands))
        shown = self.vtysh("-f", str(file))
        return "\n".join(line for line in shown.splitlines() if "Unknown" in line or line.startswith("% "))

    def stop(self) -> None:
        """End the daemons and remove namespace and folder."""
        for file in self.folder.glob("*.pid"):
            text = file.read_text().strip()
            if text.isdigit():
                try:
                    os.kill(int(text), signal.SIGKILL)
                except ProcessLookupError:
                    continue
        time.sleep(0.1)
        subprocess.run(["ip", "netns", "del", self._name], check=False, timeout=_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _inside(self, *words: str) -> str:
        script = f'hostname {self._hostname}; exec "$@"'
        inside = ["ip", "netns", "exec", self._name, "unshare", "-u", "sh", "-c", script, "sh", *words]
        return self._call(inside)

    def _call(self, words: Sequence[str]) -> str:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_SECONDS)
        return done.stdout + (done.stderr if done.returncode else "")
