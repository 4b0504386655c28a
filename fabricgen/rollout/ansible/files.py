"""Files that Ansible reads: an inventory, a playbook for each wave and one of all, and the tasks of every bundle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.rollout.ansible.actions import find_timer
from fabricgen.rollout.bundle import PlannedPlatform, PlannedWave, RolloutPlan
from fabricgen.rollout.idle_hosts import list_idle_hosts, list_returned

FOLDER = "ansible"
PLAYBOOK = "wave.yml"
"""The playbook of any wave."""


def write_files(rollout: RolloutPlan, tasks: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files for Ansible by their path in the bundle; ``tasks`` are those that every bundle has."""
    platforms = {platform.name: platform for platform in rollout.platforms}
    files = {f"{FOLDER}/{name}": data for name, data in tasks.items()}
    for wave in rollout.waves:
        files[f"{FOLDER}/{_name(wave)}.yml"] = _write(_play(wave, rollout))
    files[f"{FOLDER}/site.yml"] = _write(_site(rollout))
    files[f"{FOLDER}/inventory.yml"] = _write(_inventory(rollout, platforms))
    return files


def _write(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _name(wave: PlannedWave) -> str:
    return f"wave-{wave.number:02d}"


def _group(wave: PlannedWave) -> str:
    return f"wave_{wave.number:02d}"


def _title(wave: PlannedWave) -> str:
    return f"wave {wave.number}: {wave.kind}{f', {wave.scope}' if wave.scope else ''}"


def _site(rollout: RolloutPlan) -> Iterator[str]:
    """Yield the playbook of all waves."""
    yield "# Every wave in order; each begins when all devices of the one before are done. Verify the bundle first:"
    yield "# fabricgen rollout verify ..  COLLECTED"
    for wave in rollout.waves:
        yield f"- ansible.builtin.import_playbook: {_name(wave)}.yml"


def _play(wave: PlannedWave, rollout: RolloutPlan) -> Iterator[str]:
    """Yield the playbook of one wave: what the common one does with its devices."""
    drained = {each.name for each in rollout.procedures if each.drains}
    yield f"# {_title(wave)}"
    yield f"- ansible.builtin.import_playbook: {PLAYBOOK}"
    yield "  vars:"
    for name, value in {
        "title": _title(wave),
        "wave": _group(wave),
        "number": wave.number,
        "hosts": ",".join(list_idle_hosts(wave)),
        "returned": ",".join(list_returned(wave, rollout.waves)),
        "planned": {"soak_seconds": rollout.soak_seconds, "gate": rollout.gate, "max_failures": wave.max_failures},
        "timers": _list_timers(wave, rollout),
        "mates": [device.name for device in wave.devices if device.procedure in drained],
    }.items():
        yield f"    rollout_{name}: {json.dumps(value)}"


def _list_timers(wave: PlannedWave, rollout: RolloutPlan) -> list[dict[str, Any]]:
    """Return what the timers of a wave and of those after it leave for waiting; the first wave is refused for all."""
    names = {device.procedure for each in rollout.waves if each.number >= wave.number for device in each.devices}
    found = {find_timer(each) for each in rollout.procedures if each.name in names}
    return [{"seconds": seconds, "drain": drain} for seconds, drain in sorted(filter(None, found))]


def _inventory(rollout: RolloutPlan, platforms: Mapping[str, PlannedPlatform]) -> Iterator[str]:
    """Yield the inventory: devices with their addresses, by platform and by wave; it has no credentials."""
    moves = {each.name: (each.wave, each.moves_to) for each in rollout.devices if each.moves_to}
    yield "# Devices of the waves, and neighbors that are asked whether a drain has worked: addresses and logins."
    yield "# User, key and jump host are yours: group variables, ssh_config, or the agent."
    yield "all:"
    yield "  children:"
    for platform, devices in sorted(_list_addresses(rollout, platforms).items()):
        yield f"    {platform}:"
        yield from _variables(platforms[platform])
        yield "      hosts:"
        for name, address in devices.items():
            yield f"        {name}: {{ansible_host: {json.dumps(_host(address, moves.get(name)))}}}"
    for wave in rollout.waves:
        yield f"    {_group(wave)}:"
        yield "      hosts:"
        for device in wave.devices:
            yield f"        {device.name}:"


def _list_addresses(rollout: RolloutPlan, platforms: Mapping[str, PlannedPlatform]) -> dict[str, dict[str, str]]:
    """Return the addresses of devices by platform, before any moves: those that change, and their neighbors."""
    found: dict[str, dict[str, str]] = {}
    known = [(each.platform, each.name, each.address) for each in rollout.devices]
    for platform, name, address in (*known, *((each.platform, each.name, each.address) for each in rollout.neighbors)):
        if platform in platforms:
            found.setdefault(platform, {}).setdefault(name, address or name)
    return found


def _host(address: str, move: tuple[int, str] | None) -> str:
    """Return an address as the inventory has it: of a device that moves, by the wave that is under way."""
    if move is None:
        return address
    number, moves_to = move
    return f"{{{{ '{moves_to}' if rollout_number | default(0) | int > {number} else '{address}' }}}}"


def _variables(platform: PlannedPlatform) -> Iterator[str]:
    yield "      vars:"
    yield f"        rollout_shell: {platform.shell}"
    if platform.shell == "cli":
        yield "        ansible_connection: ansible.netcommon.network_cli"
        yield f"        ansible_network_os: {platform.network_os}"
    else:
        yield "        ansible_connection: ansible.builtin.ssh"
