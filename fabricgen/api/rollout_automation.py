"""Automation of a bundle: how to operate its platforms, and the task files for Ansible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from fabricgen.files import read_file
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.rollout.ansible import PLAYBOOK
from fabricgen.rollout.bundle import PlannedPlatform

_FOLDER = "ansible"
_SIZE_MAX_BYTES = 1024 * 1024


def list_platforms(specs: Mapping[str, PlatformSpec]) -> Iterator[PlannedPlatform]:
    """Yield how to operate each platform that can be operated by Ansible."""
    for name, spec in sorted(specs.items()):
        if spec.automation is not None:
            fields = spec.automation._asdict()
            sessions = fields.pop("sessions")
            yield PlannedPlatform(name, **fields, **(sessions._asdict() if sessions else {}))


def read_tasks(specs: Mapping[str, PlatformSpec]) -> dict[str, bytes]:
    """Return the files that Ansible needs in any bundle: for shells, and those of platforms with a CLI."""
    read = _read(template_root() / "rollout" / _FOLDER)
    tasks = {path if path == PLAYBOOK else f"tasks/{path}": data for path, data in read.items()}
    for name, spec in sorted(specs.items()):
        if spec.automation is not None and spec.automation.shell == "cli":
            folder = Path(spec.root or template_root()) / spec.folder / _FOLDER
            tasks |= {f"tasks/{name}/{path}": data for path, data in _read(folder).items()}
    return tasks


def _read(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their path in it."""
    found = ((path, read_file(path, _SIZE_MAX_BYTES, inside=folder)) for path in sorted(folder.rglob("*")))
    return {str(path.relative_to(folder)): data for path, data in found if isinstance(data, bytes)}
