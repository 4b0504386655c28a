"""The rest of a rollout: its plan without what is done."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from fabricgen.platforms.patching.steps import worst
from fabricgen.rollout.ansible import FOLDER, PLAYBOOK
from fabricgen.rollout.bundle import DEVICES, PATCHES, PLAN, PROCEDURES, Digest, PlannedWave, RolloutPlan
from fabricgen.rollout.bundle_files import complete
from fabricgen.rollout.deployed import digests_to_data
from fabricgen.rollout.positions import Progress
from fabricgen.rollout.stored_bundle import Bundle


def remaining(rollout: RolloutPlan, all_progress: Mapping[str, Progress], digest: str) -> RolloutPlan:
    """Return the rest of a rollout, no waves if all is done; progress is by ``KIND/NAME``, the digest of the plan."""
    done = {
        (device.kind, device.key): device.moves_to
        for progress in all_progress.values()
        for device in progress.devices[: progress.done]
    }
    waves = tuple(_waves_left(rollout, done))
    devices = [device for wave in waves for device in wave.devices]
    names, used = {device.name for device in devices}, {device.procedure for device in devices}
    moved = {key.partition("/")[2]: address for (_, key), address in done.items() if address}
    return rollout._replace(
        waves=waves,
        procedures=tuple(each for each in rollout.procedures if each.name in used),
        neighbors=tuple(each._replace(address=moved.get(each.name, each.address)) for each in rollout.neighbors),
        disruption=worst([device.disruption for device in devices]),
        stranded=tuple(each for each in rollout.stranded if each.device in names),
        resumes=digest,
    )


def _waves_left(rollout: RolloutPlan, done: Container[tuple[str, str]]) -> Iterator[PlannedWave]:
    """Yield the waves of which something remains, without what is done."""
    for wave in rollout.waves:
        left = tuple(each for each in wave.devices if (each.kind, each.key) not in done)
        if left:
            yield wave._replace(devices=left)


def lay_out_rest(
    bundle: Bundle, rest: RolloutPlan, deployed: Mapping[str, Mapping[str, Digest]]
) -> dict[str, bytes] | None:
    """Return the files of a bundle for the rest; None if a file of the first bundle has changed meanwhile.

    ``deployed`` has digests of the files that are deployed now.
    """
    wanted = {
        *(f"{DEVICES}/{device.name}.json" for device in rest.devices),
        *(f"{PROCEDURES}/{each.name}.json" for each in rest.procedures),
        *(f"{PATCHES}/{device.patch}" for device in rest.devices),
    }
    files: dict[str, bytes] = {}
    for path in bundle.sums:
        if path in wanted or "/".join(path.split("/", 2)[:2]) in wanted or path.startswith(f"{FOLDER}/"):
            data = bundle.read(path)
            if data is None:
                return None
            files[path] = data
    # Playbooks of waves that are done are left out, those of others are written again.
    tasks = {path.removeprefix(f"{FOLDER}/"): files.pop(path) for path in [*files] if path.startswith(f"{FOLDER}/")}
    tasks = {path: data for path, data in tasks.items() if "/" in path or path == PLAYBOOK}
    return complete(rest, files, digests_to_data(deployed), tasks)


def plan_digest(bundle: Bundle) -> str:
    """Return the digest of a bundle's plan."""
    return bundle.sums[PLAN]
