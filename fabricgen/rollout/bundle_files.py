"""Files of a bundle: the plan, what each device needs, a runbook, and digests of all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabricgen.diff.patches import layout_patch
from fabricgen.rollout.ansible import write_files
from fabricgen.rollout.bundle import DEPLOYED, PLAN, RUNBOOK, SUMS, Rollout
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.expectation import EXPECTED, write_expectation
from fabricgen.rollout.json_text import write_json
from fabricgen.rollout.phases import Phase
from fabricgen.rollout.runbook import write_runbook


def lay_out(
    rollout: Rollout, phases: Sequence[Phase], deployed: Deployed, tasks: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of a bundle by their path in it.

    Args:
        rollout: What is written.
        phases: The changes of its devices, by phase.
        deployed: Digests of what it was planned on.
        tasks: Task files for Ansible.
    """
    files: dict[str, bytes] = {}
    for wave in rollout.waves:
        for device in wave.devices:
            change = phases[wave.phase].changes[device.name]
            for name, content in layout_patch(change.patch).items():
                files[f"{device.folder}/{name}"] = content.encode()
            if change.judged is not None:
                files[f"{device.folder}/{EXPECTED}"] = write_expectation(change.judged, change.patch.disruption)
    return complete(rollout, files, deployed.to_data(), tasks)


def complete(
    rollout: Rollout, files: dict[str, bytes], deployed: Mapping[str, Any], tasks: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of devices with those of the whole bundle."""
    files = {
        **files,
        **write_files(rollout, files, tasks),
        PLAN: write_json(rollout),
        DEPLOYED: write_json(deployed),
        RUNBOOK: write_runbook(rollout).encode(),
    }
    return {**files, SUMS: write_sums(files)}


def write_sums(files: Mapping[str, bytes]) -> bytes:
    """Return the digests of files, as ``sha256sum --check`` reads them."""
    return "".join(f"{digest_bytes(data)}  {path}\n" for path, data in sorted(files.items())).encode()
