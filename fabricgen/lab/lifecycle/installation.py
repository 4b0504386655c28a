"""The routing suite as it is installed: in this machine's own root, or in the folder of another system.

Some sockets of its daemons are in a folder below ``/run`` whatever folder the daemons are given: ``bfdd.sock`` of
release 8 unless ``--bfdctl`` moves it, an option that release 10 does not have; ``mgmtd_fe.sock`` and ``mgmtd_be.sock``
of release 10. Each device therefore sees its own folder there, in a mount namespace that ends with the daemon.

Source:
    ``--help`` and the sockets of the daemons of 8.4.4, 10.3 and 10.7.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fabricgen.files import Refused, read_file
from fabricgen.lab.lifecycle.kernel import CommandError, run
from fabricgen.lab.model.routing_suite import MANAGER, PROGRAMS, SHELL, SUITE

_TABLE_MAX_BYTES = 64 << 20
_VERSION = re.compile(r"version (\S+)")
_ENTER = f"""
root=$1 folder=$2 && shift 2
if [ "$root" != / ]; then
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    mount -t tmpfs -o mode=1777 tmpfs "$root/var/tmp"
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
    mount --rbind /dev "$root/dev"
    mount --rbind /proc "$root/proc"
fi
mkdir -p "$root/run/{SUITE}"
mount --bind "$folder" "$root/run/{SUITE}"
if [ -d "$root/var/lib/{SUITE}" ]; then mount -t tmpfs -o mode=1777 tmpfs "$root/var/lib/{SUITE}"; fi
exec chroot "$root" "$@"
"""


@dataclass(frozen=True, slots=True)
class Installation:
    """Programs of the suite.

    Attributes:
        root: Root folder of the system they are installed in; ``/`` for this machine.
    """

    root: str = "/"

    @property
    def is_foreign(self) -> bool:
        """Return whether the programs are those of another system."""
        return self.root != "/"

    @property
    def has_manager(self) -> bool:
        """Return whether there is a management daemon, which other daemons take their configuration from."""
        return self.program(MANAGER).is_file()

    def program(self, daemon: str) -> Path:
        """Return the path of a daemon as this machine sees it."""
        return Path(self.root, str(PROGRAMS).lstrip("/"), daemon)

    def missing(self, daemons: Iterable[str]) -> list[str]:
        """Daemons, and the shell of all daemons, that are not installed."""
        programs = [*map(self.program, daemons), Path(self.root, SHELL.lstrip("/"))]
        return [str(program) for program in programs if not program.is_file()]

    def owner(self) -> tuple[int, int]:
        """User and group of the daemons, as the numbers their own system gives them.

        Raises:
            CommandError: Their system does not know them.
        """
        return _number(Path(self.root, "etc/passwd")), _number(Path(self.root, "etc/group"))

    def version(self) -> str:
        """Release of the suite, as its own program reports it.

        Raises:
            CommandError: The program does not run.
        """
        output = run(["chroot", self.root, str(PROGRAMS / "zebra"), "--version"], timeout_s=20)
        found = _VERSION.search(output)
        return found[1] if found else output.strip()

    def enter(self, folder: Path, command: list[str], *, apart: bool = False) -> list[str]:
        """A command as it runs in that system, where a device's folder has the path that it has here.

        Args:
            folder: Folder of the device.
            command: Program and arguments.
            apart: It meets other daemons below ``/run``, so it needs that folder there.
        """
        if not self.is_foreign and not apart:
            return command
        return ["unshare", "--mount", "sh", "-e", "-c", _ENTER, SUITE, self.root, str(folder), *command]


def _number(table: Path) -> int:
    """Number of the suite's user or group in a table of users or groups."""
    found = read_file(table, _TABLE_MAX_BYTES)
    if isinstance(found, Refused):
        raise CommandError(f"{table} {found.reason}")
    for line in found.decode(errors="replace").splitlines():
        fields = line.split(":")
        if fields[0] == SUITE:
            return int(fields[2])
    raise CommandError(f"{table}: no {SUITE}")
