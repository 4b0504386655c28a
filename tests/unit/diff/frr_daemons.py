"""Routers of real FRR daemons in network namespaces of their own, with their sockets in private folders."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fabricgen.lab.lifecycle.installation import Installation
from tests.waiting import PATIENCE_S

DAEMONS = Path("/usr/lib/frr")
_FPM = ("-M", "dplane_fpm_nl")
_NUMBERS = itertools.count()


def missing() -> str:
    """Return why no daemon can run here; empty if one can."""
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
    """mgmtd where there is one, zebra, bgpd, bfdd and staticd with one configuration, whose files are in ``folder``."""

    def __init__(self, hostname: str, root: str = "/") -> None:
        """Prepare a folder that the daemons' own user may enter, with a path short enough for sockets."""
        self.folder = Path(tempfile.mkdtemp(prefix="fgdiff-"))
        self.folder.chmod(0o755)
        self.namespace = f"fgdiff{os.getpid() % 100000}n{next(_NUMBERS)}"
        self._hostname = hostname
        self._installation = Installation(root)
        (self.folder / "vtysh.conf").write_text("")
        self._call(["ip", "netns", "add", self.namespace])

    def start(self, configuration: str) -> None:
        """Start the daemons and load a configuration."""
        (self.folder / "frr.conf").write_text(configuration)
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, *self._installation.owner())
        manager = ("mgmtd",) if self._installation.has_manager else ()
        for daemon in (*manager, "zebra", "bgpd", "bfdd", "staticd"):
            words = [
                f"{DAEMONS}/{daemon}", "-d", "-u", "frr", "-g", "frr", "-z", f"{self.folder}/zserv.api",
                "--vty_socket", str(self.folder), "-i", f"{self.folder}/{daemon}.pid",
                *(_FPM if daemon == "zebra" else ()),
            ]  # fmt: skip
            inside = self._inside(self._installation.enter(self.folder, words, apart=True))
            # Daemons of release 10 keep what they write to: a pipe would be read to its end, which is theirs.
            with (self.folder / f"{daemon}.out").open("w") as log:
                subprocess.run(inside, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=True, timeout=PATIENCE_S)
        self.vtysh("-b")

    def vtysh(self, *words: str) -> str:
        """Return what vtysh prints."""
        command = ["vtysh", "--vty_socket", str(self.folder), "--config_dir", str(self.folder), *words]
        return self._call(self._inside(self._installation.enter(self.folder, command)))

    def ask(self, question: str) -> Any:
        """Return what the daemons answer, as data."""
        return json.loads(self.vtysh("-c", f"{question} json"))

    def running(self) -> str:
        """The running configuration as the daemons show it."""
        return self.vtysh("-c", "show running-config")

    def type_in(self, *commands: str) -> None:
        """Return the lines that an operator types at the prompt."""
        self.vtysh(*(word for command in ("configure terminal", *commands) for word in ("-c", command)))

    def apply(self, commands: Sequence[str]) -> str:
        """Carry out a patch; what the daemons complain about."""
        file = self.folder / "commands"
        file.write_text("".join(f"{command}\n" for command in commands))
        shown = self.vtysh("-f", str(file))
        return "\n".join(line for line in shown.splitlines() if "Unknown" in line or line.startswith("% "))

    def plug_in(self, interface: str, address: str, peer: Router, peer_address: str) -> None:
        """Lay a cable to another router; both ends have an address with its prefix length."""
        far = ["peer", "name", "eth0", "netns", peer.namespace]
        self._call(["ip", "link", "add", interface, "netns", self.namespace, "type", "veth", *far])
        for router, name, own in ((self, interface, address), (peer, "eth0", peer_address)):
            router.ip("address", "add", own, "dev", name)
            router.ip("link", "set", name, "up")
            router.ip("link", "set", "lo", "up")

    def ip(self, *words: str) -> None:
        """Run the ip command inside."""
        self._call(["ip", "-n", self.namespace, *words])

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
        subprocess.run(["ip", "netns", "del", self.namespace], check=False, timeout=PATIENCE_S)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _inside(self, words: Sequence[str]) -> list[str]:
        script = f'hostname {self._hostname}; exec "$@"'
        return ["ip", "netns", "exec", self.namespace, "unshare", "-u", "sh", "-c", script, "sh", *words]

    def _call(self, words: Sequence[str]) -> str:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        return done.stdout + (done.stderr if done.returncode else "")
