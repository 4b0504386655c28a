"""The routing suite as it is installed, and what else a lab requires, checked before anything is created.

The suite is in this machine's own root, or in the folder of another system.

Some sockets of its daemons are in a folder below ``/run`` whatever folder the daemons are given: ``bfdd.sock`` of
release 8 unless ``--bfdctl`` moves it, an option that release 10 does not have; ``mgmtd_fe.sock`` and ``mgmtd_be.sock``
of release 10. Each device therefore sees its own folder there, in a mount namespace that ends with the daemon.

Source:
    ``--help`` and the sockets of the daemons of 8.4.4, 10.3 and 10.7.1.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.files import Refused, read_file
from fabricgen.lab.lab_codes import NO_MEMORY, NO_NAMESPACES, NO_PROGRAM, NOT_ROOT
from fabricgen.lab.lifecycle.kernel import CommandError, available_memory_bytes, run
from fabricgen.lab.model.routing_suite import MANAGER, PACKAGES, PROGRAMS, SHELL, SUITE

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
    """Programs of the suite in the system with some root folder, ``/`` for this machine."""

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
        """User and group of the daemons, as their own system numbers them; raises CommandError if it has none."""
        return _number(Path(self.root, "etc/passwd")), _number(Path(self.root, "etc/group"))

    def version(self) -> str:
        """Release of the suite, as its own program reports it; raises CommandError if it does not run."""
        output = run(["chroot", self.root, str(PROGRAMS / "zebra"), "--version"], timeout_s=20)
        found = _VERSION.search(output)
        return found[1] if found else output.strip()

    def enter(self, folder: Path, command: list[str], *, apart: bool = False) -> list[str]:
        """A command as it runs in that system, where a device's folder has the path that it has here.

        One that meets other daemons below ``/run`` runs apart: it needs that folder there.
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


DAEMONS = ("zebra", "bgpd", "bfdd", "staticd")
_TOOLS = ("ip", "lldpd", "lldpcli", "nsenter", "unshare", "nft")
NODE_BYTES, LINK_BYTES = 24 << 20, 7 << 18
"""Upper bounds of memory per device and link: 128 switches with 3,168 links took 6.9 GB, 52 with 1,056 took 2.9."""
_SHARE = 0.8
"""The share of the available memory that a lab may take."""
_LINKS_PER_CORE = 800
"""Links one core boots and tests in a few minutes."""
_TRY_MULTIPATH = """
ip link add left type veth peer name right && ip link set left up && ip link set right up &&
ip address add 192.0.2.1/31 dev left && ip address add 192.0.2.3/31 dev left &&
ip route add 198.51.100.0/24 nexthop via 192.0.2.0 nexthop via 192.0.2.2 &&
echo 1 > /proc/sys/net/ipv4/fib_multipath_hash_policy
"""


def estimate_bytes(nodes: int, links: int) -> int:
    """Memory a lab takes at most."""
    return nodes * NODE_BYTES + links * LINK_BYTES


def check_root(bag: Bag) -> bool:
    """Return whether the command runs as root, without whom nothing of a lab can be made, seen or taken away."""
    if os.geteuid() == 0:
        return True
    bag.add(NOT_ROOT, f"user {os.geteuid()} may not use network namespaces; root may")
    return False


def check_machine(bag: Bag, root: str = "/") -> bool:
    """Return whether a lab can run here at all, with the routing daemons of a root; the bag has what is missing."""
    if not check_root(bag):
        return False
    installation = Installation(root)
    missing = [name for name in _TOOLS if not shutil.which(name)]
    missing += installation.missing(DAEMONS)
    try:
        _ = missing or installation.version()
    except CommandError as error:
        missing.append(str(error))
    if missing:
        hint = f"on Debian, run apt-get install {PACKAGES}"
        hint += f"; {root} has to be the root folder of a system with {SUITE}" if installation.is_foreign else ""
        bag.add(NO_PROGRAM, f"not installed: {', '.join(missing)}", hint=hint)
        return False
    try:
        run(["unshare", "--net", "--mount", "--uts", "sh", "-e", "-c", _TRY_MULTIPATH], timeout_s=20)
    except CommandError as error:
        bag.add(NO_NAMESPACES, f"a namespace with a route over two paths cannot be made: {error}")
        return False
    return True


def fits_machine(nodes: int, links: int) -> bool:
    """Return whether a lab of this size leaves the machine enough memory, and its cores are done in a few minutes."""
    return _fits_memory(nodes, links) and links <= _LINKS_PER_CORE * (os.cpu_count() or 1)


def _fits_memory(nodes: int, links: int) -> bool:
    return estimate_bytes(nodes, links) <= available_memory_bytes() * _SHARE


def check_memory(nodes: int, links: int, bag: Bag) -> bool:
    """Return whether there is memory for a lab of this size; if not the bag says how much is missing."""
    if _fits_memory(nodes, links):
        return True
    needed, there = estimate_bytes(nodes, links), available_memory_bytes()
    bag.add(
        NO_MEMORY,
        f"{nodes} devices and {links} links take up to {needed / 2**30:.1f} GiB; {there / 2**30:.1f} GiB are "
        f"available, of which a lab takes {_SHARE:.0%}",
        hint="add --cut, for example hosts_per_unit=1,spines=4, or leave it out to have a cut chosen",
    )
    return False
