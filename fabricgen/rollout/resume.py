"""The rest of a rollout: its plan without what is done."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.platforms.patching.steps import worst
from fabricgen.rollout.ansible import TASKS
from fabricgen.rollout.bundle import PLAN, Digest, Rollout
from fabricgen.rollout.bundle_files import complete
from fabricgen.rollout.deployed import digests_to_data
from fabricgen.rollout.opening import Bundle
from fabricgen.rollout.positions import Stand


def remaining(rollout: Rollout, stands: Mapping[str, Stand], digest: str) -> Rollout:
    """Return the rest of a rollout; no waves if all is done.

    Args:
        rollout: The whole.
        stands: How far each device is, by ``KIND/NAME``.
        digest: Of its plan.
    """
    done = {
        (device.kind, device.name, device.folder) for stand in stands.values() for device in stand.devices[: stand.done]
    }
    waves = []
    for wave in rollout.waves:
        left = tuple(each for each in wave.devices if (each.kind, each.name, each.folder) not in done)
        if left:
            waves.append(wave._replace(devices=left))
    names = {device.name for wave in waves for device in wave.devices}
    return rollout._replace(
        waves=tuple(waves),
        disruption=worst([device.disruption for wave in waves for device in wave.devices]),
        stranded=tuple(each for each in rollout.stranded if each.device in names),
        resumes=digest,
    )


def lay_out_rest(
    bundle: Bundle, rest: Rollout, deployed: Mapping[str, Mapping[str, Digest]]
) -> dict[str, bytes] | None:
    """Return the files of a bundle for the rest; None if the first bundle has changed meanwhile.

    Args:
        bundle: The bundle of the whole.
        rest: What remains.
        deployed: Digests of what is deployed now.
    """
    folders = tuple(f"{folder}/" for folder in (TASKS, *(device.folder for device in rest.devices)))
    files: dict[str, bytes] = {}
    for path in bundle.sums:
        if path.startswith(folders):
            data = bundle.read(path)
            if data is None:
                return None
            files[path] = data
    tasks = {path.removeprefix(folders[0]): data for path, data in files.items() if path.startswith(folders[0])}
    return complete(rest, files, digests_to_data(deployed), tasks)


def plan_digest(bundle: Bundle) -> str:
    """Return the digest of a bundle's plan."""
    return bundle.sums[PLAN]
