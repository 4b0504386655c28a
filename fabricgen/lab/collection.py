"""Collecting a running lab as the devices of a fabric are collected: what each has, and what a lab cannot have.

Their daemons, kernels and files answer in place of the devices.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from fabricgen.collect.folder import SIZE_MAX_BYTES
from fabricgen.collect.target import LAB, CollectTarget, Ending, Write, spell_command
from fabricgen.device.globs import is_chosen
from fabricgen.diagnostics import Bag
from fabricgen.files import Refused, read_file
from fabricgen.lab.lifecycle.boot import shell_functions
from fabricgen.lab.lifecycle.state import files_folder
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.configuration import restore_routing
from fabricgen.lab.model.planned import linux_name, load_native
from fabricgen.lab.model.routing_suite import CONFIG_NAME
from fabricgen.platforms.manifest.discover import find_roots
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.readings import ABSENT, Reading
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.state.expected import Expected, ExpectedLink
from fabricgen.state.sessions import ExpectedSession


def load_specs(blueprint: Blueprint, bag: Bag) -> list[PlatformSpec]:
    """Return the platforms of a lab's devices."""
    found: list[PlatformSpec] = []
    roots = find_roots(bag)
    for kind, names in (
        ("switch", [node.platforms for node in blueprint.switches]),
        ("host", [node.platforms[:1] for node in blueprint.hosts]),
        ("nic", [node.platforms[1:] for node in blueprint.hosts]),
    ):
        wanted = dict.fromkeys(sorted({name for each in names for name in each}), ())
        found += load_platforms(wanted, kind, bag, roots).values()
    return found


def list_targets(lab: Blueprint, specs: Sequence[PlatformSpec], only: Sequence[str], bag: Bag) -> list[CollectTarget]:
    """Return the devices of a lab to collect: those of some names or patterns, or all.

    Every switch forwards by the daemons and the kernel of plain Linux here, so its states are read as those of the
    platform that is that, and only its files as those of its own.
    """
    native = load_native(bag)
    nodes = [node for node in lab.nodes if not only or is_chosen(node.name, tuple(only))]
    return [_to_target(lab, node, specs, native) for node in nodes]


def _to_target(
    blueprint: Blueprint, node: LabNode, specs: Sequence[PlatformSpec], native: PlatformSpec | None
) -> CollectTarget:
    known = {spec.name: spec for spec in specs if (spec.kind == "switch") is node.is_switch}
    own = [known[name] for name in node.platforms if name in known]
    stated = [native] if node.is_switch and native is not None else own
    readings = [reading for spec in own for reading in spec.readings if reading.path]
    # Each state is read once, as the first of the platforms has it.
    states = {reading.state: reading for spec in reversed(stated) for reading in spec.readings if reading.state}
    names = tuple(dict.fromkeys([*node.platforms, *(spec.name for spec in stated)]))
    kind = "switches" if node.is_switch else "hosts"
    return CollectTarget(node.name, kind, node.role, names, blueprint.lab, 0, (*readings, *states.values()), LAB)


UNFIT = "speed, FEC and RDMA devices of ports"
"""State within a check that a lab cannot have; checks of which it has nothing are named by themselves."""


def as_in_lab(expected: Expected) -> Expected:
    """Return the expectations of a device of a lab: cables without speed and FEC, ports as Linux can name them."""
    return replace(
        expected,
        release="",
        links=tuple(map(_to_link, expected.links)),
        sessions=tuple(map(_to_session, expected.sessions)),
        ports=frozenset(map(linux_name, expected.ports)),
        aliases={alias: linux_name(port) for alias, port in expected.aliases.items()},
    )


def _to_link(link: ExpectedLink) -> ExpectedLink:
    port = linux_name(link.port)
    peer_names = frozenset(map(linux_name, link.peer_names))
    return replace(link, port=port, peer_port=linux_name(link.peer_port), peer_names=peer_names, speed_gbps=0, fec="")


def _to_session(session: ExpectedSession) -> ExpectedSession:
    neighbor = linux_name(session.neighbor)
    return replace(session, neighbor=neighbor, port=linux_name(session.port), peer_port=linux_name(session.peer_port))


GIVEN = frozenset(("sessions", "bfd", "routes", "routes6", "lldp", "ports", "errors"))
"""State readings that a lab has; everything else is of ASICs, modules, NICs or a system that is not here."""
_CHUNK_BYTES = 64 * 1024


class LabWay:
    """Opens sessions on devices of one lab."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint

    async def connect(self, target: CollectTarget) -> LabSession:
        """Return a session on a device."""
        return LabSession(self._blueprint, target)

    async def close(self) -> None:
        """End what sessions share, which is nothing."""


class LabSession:
    """One device of a lab, for one command after the other."""

    def __init__(self, blueprint: Blueprint, target: CollectTarget) -> None:
        self._blueprint = blueprint
        self._node: LabNode = blueprint.node(target.name)
        self._readings = {spell_command(reading, sudo=False): reading for reading in target.readings}

    async def run(self, command: str, write: Write) -> Ending:
        """Take an answer: of the device's daemons or kernel, or from a file that it has.

        A state that a lab does not have ends as on a device that does not have it.
        """
        reading = self._readings[command]
        if reading.path and not self._is_routing(reading):
            data = self._load(reading.path)
            write(data or b"")
            return Ending(0) if data is not None else Ending(ABSENT, f"the lab has no {reading.path}")
        if reading.state and reading.state not in GIVEN:
            return Ending(ABSENT)
        status = await self._run(command, write)
        return Ending(status, f"exit status {status}" if status else "")

    def open(self, command: str, body: bytes) -> tuple[Ending, bytes]:
        """Return an answer as the device would give it: without what the lab changes of its configuration."""
        reading = self._readings[command]
        if self._is_routing(reading):
            rendered = (self._load(reading.path) or b"").decode(errors="replace")
            return Ending(0), restore_routing(body.decode(errors="replace"), rendered).encode()
        return Ending(0), body

    async def close(self) -> None:
        """End the session, of which nothing is left."""

    def _is_routing(self, reading: Reading) -> bool:
        """Return whether the device's own daemons run what a reading is."""
        node = self._node
        return bool(node.config) and not node.equivalent and reading.path.rpartition("/")[2] == CONFIG_NAME

    def _load(self, path: str) -> bytes | None:
        folder = files_folder(self._blueprint.lab, self._node.name)
        found = read_file(folder / path, SIZE_MAX_BYTES, inside=folder)
        return None if isinstance(found, Refused) else found

    async def _run(self, command: str, write: Write) -> int:
        """Return the exit status of a command in the device's namespace, which has a ``/sys`` of its own."""
        script = f"{shell_functions(self._blueprint, self._node)}\n{command}"
        namespace = self._blueprint.namespace(self._node.name)
        words = ("ip", "netns", "exec", namespace, "sh", "-c", script, self._node.name)
        process = await asyncio.create_subprocess_exec(*words, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
        try:
            while process.stdout is not None and (data := await process.stdout.read(_CHUNK_BYTES)):
                write(data)
            return await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
