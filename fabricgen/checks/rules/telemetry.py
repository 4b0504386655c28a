"""Rules on the folder that collective libraries measure into."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import Related

PATH = ("collectives", "telemetry_path")
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "root", "run", "sbin", "sys", "usr")
_SHARED = ("/var/log", "/var/lib", "/var/cache", "/var/spool", "/var/tmp", "/var/run")  # noqa: S108 - names to refuse


@rule(
    "FG-HST-058",
    "Telemetry folder that belongs to the system",
    why="systemd makes the folder writable by everybody at every boot. A folder of the system would be opened to every "
    "job, and write access to /etc is root access.",
    fix="Name a folder of its own, such as the default /var/log/collectives.",
    source="systemd, tmpfiles.d(5): d sets mode and owner of a folder that exists; Filesystem Hierarchy Standard 3.0",
)
def check_own_folder(view: IntentView) -> Iterator[Finding]:
    """Telemetry goes to a folder of its own."""
    collectives = view.intent.collectives
    path = collectives.telemetry_path
    top = path.split("/")[1]
    if collectives.telemetry and (top in _SYSTEM or path.count("/") == 1 or path in _SHARED):
        yield Finding(
            f"every job could write to {path}",
            PATH,
            hint="use a folder of its own, such as /var/log/collectives",
            value="/var/log/collectives",
            related=(Related("telemetry", ("collectives", "telemetry")),),
        )
