"""``ansible-playbook`` on a bundle, as an operator runs it: keys and host keys come from outside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.acceptance.run import REPOSITORY
from tests.command_line import Done
from tests.emulated.machine import Machine
from tests.waiting import PATIENCE_S

VARIABLE = "FABRICGEN_ANSIBLE"
_MADE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "fabricgen/ansible"


def find_ansible() -> Path:
    """Return the folder that ``tools/make-ansible`` made, making it where it is not there."""
    folder = Path(os.environ.get(VARIABLE) or _MADE)
    subprocess.run([REPOSITORY / "tools/make-ansible", folder], check=True, capture_output=True, text=True)
    return folder


def play(
    bundle: Path, machines: Sequence[Machine], words: Sequence[str], folder: Path, env: Mapping[str, str] | None = None
) -> Done:
    """Run a playbook of a bundle on emulated machines, which answer at addresses of their own."""
    made = find_ansible()
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/known_hosts").write_text("".join(machine.known_hosts.read_text() for machine in machines))
    extra = folder / "inventory.yml"
    hosts = "".join(f"    {machine.name}: {{ansible_host: {machine.address}}}\n" for machine in machines)
    extra.write_text(
        f"all:\n  vars:\n    ansible_user: root\n    ansible_private_key_file: {machines[0].key}\n"
        f"    ansible_python_interpreter: {sys.executable}\n  hosts:\n{hosts}"
    )
    done = subprocess.run(
        [made / "bin/ansible-playbook", "-i", "inventory.yml", "-i", extra, *words],
        cwd=bundle / "ansible", capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        env={
            **os.environ, "HOME": str(home), "ANSIBLE_COLLECTIONS_PATH": str(made / "collections"),
            "ANSIBLE_HOST_KEY_CHECKING": "True", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "True",
            "ANSIBLE_SSH_ARGS": f"-o UserKnownHostsFile={home}/.ssh/known_hosts -o ControlMaster=auto",
            **(env or {}),
        },
    )  # fmt: skip
    return Done.of(done)
