"""Files that Ansible reads: inventory, a playbook for each wave and one of all, actions, and the tasks that do them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from fabricgen.rollout.ansible.actions import find_timer, is_drained, list_actions
from fabricgen.rollout.bundle import PlannedPlatform, PlannedWave, Rollout
from fabricgen.rollout.idle_hosts import list_idle_hosts
from fabricgen.rollout.json_text import write_json

FOLDER = "ansible"
TASKS = f"{FOLDER}/tasks"
ACTIONS = "actions.json"
_ASKS = "rollout_ask | default(false) | bool"
"""Only where one device goes at a time can a run wait for a person."""


def write_files(rollout: Rollout, contents: Mapping[str, bytes], tasks: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files for Ansible by their path in the bundle.

    Args:
        rollout: The rollout.
        contents: Files of its devices by their path in the bundle.
        tasks: Task files by their path, those of a platform with a command line of its own below its name.
    """
    platforms = {platform.name: platform for platform in rollout.platforms}
    files = {f"{TASKS}/{name}": data for name, data in tasks.items()}
    for wave in rollout.waves:
        mates = {device.name for device in wave.devices if is_drained(device)}
        for device in wave.devices:
            actions = list_actions(device, platforms, contents, mates)
            files[f"{device.folder}/{ACTIONS}"] = write_json(actions)
        files[f"{FOLDER}/{_name(wave)}.yml"] = "".join(f"{line}\n" for line in _play(wave, rollout.waves)).encode()
    files[f"{FOLDER}/site.yml"] = "".join(f"{line}\n" for line in _site(rollout)).encode()
    files[f"{FOLDER}/inventory.yml"] = "".join(f"{line}\n" for line in _inventory(rollout, platforms)).encode()
    return files


def _name(wave: PlannedWave) -> str:
    return f"wave-{wave.number:02d}"


def _group(wave: PlannedWave) -> str:
    return f"wave_{wave.number:02d}"


def _title(wave: PlannedWave) -> str:
    return f"wave {wave.number}: {wave.kind}{f', {wave.scope}' if wave.scope else ''}"


def _site(rollout: Rollout) -> Iterator[str]:
    """Yield the playbook of all waves."""
    yield "# Every wave in order; each begins when all devices of the one before are done. Verify the bundle first:"
    yield "# fabricgen rollout verify ..  COLLECTED"
    for wave in rollout.waves:
        yield f"- ansible.builtin.import_playbook: {_name(wave)}.yml"


def _timers(wave: PlannedWave, waves: Sequence[PlannedWave]) -> str:
    """Return what the timers of a wave and of those after it leave for waiting; the first wave is refused for all."""
    found = {find_timer(device) for each in waves if each.number >= wave.number for device in each.devices}
    return json.dumps([{"seconds": seconds, "drain": drain} for seconds, drain in sorted(filter(None, found))])


def _play(wave: PlannedWave, waves: Sequence[PlannedWave]) -> Iterator[str]:
    """Yield the playbook of one wave: its devices, each by itself, and the end of the rollout unless all are done."""
    yield f"# {_title(wave)}. Its devices may go together; -e rollout_serial=1 takes them one by one."
    hosts = ",".join(list_idle_hosts(wave))
    if hosts:
        yield from _jobs(wave, hosts)
    yield f"- name: {json.dumps(_title(wave))}"
    yield f"  hosts: {_group(wave)}"
    yield "  gather_facts: false"
    yield f"  strategy: \"ansible.builtin.{{{{ 'linear' if {_ASKS} else 'host_pinned' }}}}\""
    yield f"  serial: \"{{{{ 1 if {_ASKS} else rollout_serial | default('100%') }}}}\""
    yield "  vars:"
    yield f"    rollout_folder: {json.dumps(wave.folder)}"
    yield f"    rollout_wave: {_group(wave)}"
    yield f"    rollout_number: {wave.number}"
    yield f"    rollout_timers: {_timers(wave, waves)}"
    yield f"    rollout_drains: {json.dumps(any(map(is_drained, wave.devices)))}"
    yield "  tasks:"
    yield "    - name: Carry the change out"
    yield "      ansible.builtin.include_tasks: tasks/device.yml"
    yield ""
    yield f"- name: {json.dumps(f'End of wave {wave.number}')}"
    yield "  hosts: localhost"
    yield "  gather_facts: false"
    yield "  any_errors_fatal: true"
    yield f"  vars: {{rollout_wave: {_group(wave)}}}"
    yield "  tasks:"
    yield "    - name: Go on only if every device of the wave is done"
    yield "      ansible.builtin.import_tasks: tasks/done.yml"
    if hosts:
        yield from _see_to_jobs("Give the hosts back to the scheduler", hosts, "back")


def _jobs(wave: PlannedWave, hosts: str) -> Iterator[str]:
    """Yield the play that moves the jobs away before a wave begins."""
    yield f"- name: {json.dumps(f'Jobs before wave {wave.number}')}"
    yield "  hosts: localhost"
    yield "  gather_facts: false"
    yield "  any_errors_fatal: true"
    yield "  tasks:"
    yield from _see_to_jobs("Have the scheduler move the jobs away", hosts, "away")
    yield ""


def _see_to_jobs(title: str, hosts: str, word: str) -> Iterator[str]:
    yield f"    - name: {title}"
    yield "      ansible.builtin.import_tasks: tasks/jobs.yml"
    yield "      vars:"
    yield f"        rollout_hosts: {json.dumps(hosts)}"
    yield f"        rollout_jobs: \"{{{{ rollout_jobs_{word} | default('') }}}}\""


def _inventory(rollout: Rollout, platforms: Mapping[str, PlannedPlatform]) -> Iterator[str]:
    """Yield the inventory: devices with their addresses, by platform and by wave; it has no credentials."""
    addresses = _addresses(rollout, platforms)
    moves = {
        each.name: (wave.number, each.moves_to) for wave in rollout.waves for each in wave.devices if each.moves_to
    }
    yield "# Devices of the waves, and neighbors that are asked whether a drain has worked: addresses and logins."
    yield "# User, key and jump host are yours: group variables, ssh_config, or the agent."
    yield "all:"
    yield "  children:"
    for platform, devices in sorted(addresses.items()):
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


def _addresses(rollout: Rollout, platforms: Mapping[str, PlannedPlatform]) -> dict[str, dict[str, str]]:
    """Return the addresses of devices by platform, before any moves: those that change, and their neighbors."""
    found: dict[str, dict[str, str]] = {}
    for device in rollout.devices:
        found.setdefault(device.platform, {}).setdefault(device.name, device.address or device.name)
        for place in (place for check in device.checks for place in check.at):
            if place.platform in platforms:
                found.setdefault(place.platform, {}).setdefault(place.device, place.address or place.device)
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
