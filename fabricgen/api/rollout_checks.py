"""Checks of a rollout's devices, from the plan and the commands of their platforms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cache

from fabricgen.api.rollout_devices import DevicePlace
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.readings import SUDO
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.patching.rollout import DrainProof, is_drained
from fabricgen.rollout.checks import ROUTING, Check, NeighborContact, plan_checks, plan_proofs
from fabricgen.rollout.expectation import DeviceExpectation, StateReading
from fabricgen.state.expected import Expectations, Expected
from fabricgen.state.judge import list_checks, list_states
from fabricgen.state.sessions import ExpectedSession


class Checks:
    """Checks of the devices of one plan."""

    def __init__(self, plan: FabricPlan, specs: Mapping[str, PlatformSpec], devices: Mapping[str, DevicePlace]) -> None:
        self._devices = devices
        self._platforms = specs
        self._expectations = Expectations(plan, counts_prefixes=False)
        self._known: dict[str, Expected | None] = {}
        self._commands = cache(self._list_commands)
        self._facing = cache(self._list_facing)

    def of(self, name: str, disruption: str, *, stays_drained: bool = False) -> tuple[Check, ...]:
        """Return the checks around the steps of a device; none if the plan does not have it.

        Where it stays drained, what a neighbor sends over the device does not return.
        """
        expected = self._expected(name)
        if expected is None:
            return ()
        found = list(plan_checks(expected, self._commands(expected.platform)))
        if is_drained(disruption):
            found += self.prove(name)
            found += () if stays_drained else self.prove(name, ended=True)
        return tuple(found)

    def prove(self, name: str, *, ended: bool = False) -> tuple[Check, ...]:
        """Return what shows on the neighbors of a device that they send nothing over it, or again after a drain."""
        expected = self._expected(name)
        return tuple(plan_proofs(self._prove(expected), ended=ended)) if expected is not None else ()

    def moving(self, name: str) -> tuple[Check, ...]:
        """Return the checks around steps of a device whose sessions or routes are not yet those of the plan."""
        expected = self._expected(name)
        if expected is None:
            return ()
        return tuple(plan_checks(expected, self._commands(expected.platform), ROUTING))

    def judge(self, name: str, *, moves: bool = False) -> DeviceExpectation | None:
        """Return how a program judges a device; None if the plan does not have it, or nothing reads its platform.

        Where it moves, its sessions or routes are not yet those of the plan, and are not judged.
        """
        expected = self._expected(name)
        spec = self._platforms.get(expected.platform) if expected is not None else None
        if expected is None or spec is None or spec.automation is None:
            return None
        wanted = [check for check in list_checks(expected) if not (moves and check in ROUTING)]
        states = dict.fromkeys(state for check in wanted for state in list_states(check, expected))
        commands = {**self._commands(expected.nic), **self._commands(expected.platform)}
        readings = tuple(commands[state] for state in states if state in commands)
        return DeviceExpectation(readings, expected) if readings else None

    def without(self, name: str, new: frozenset[str], pending: Collection[str]) -> Checks:
        """Return the checks without what a device gains beside devices that are pending; these if that is nothing."""
        expected = self._expected(name) if new and pending else None
        if expected is None:
            return self
        sessions = tuple(s for s in expected.sessions if s.peer not in pending or new.isdisjoint((s.neighbor, s.port)))
        links = tuple(link for link in expected.links if link.peer not in pending or link.port not in new)
        if (sessions, links) == (expected.sessions, expected.links):
            return self
        found = copy(self)
        # Next hops over a session are as planned once its last end has it; all others are now.
        late = {each.peer for each in expected.sessions if each not in sessions}
        late |= {each.peer for each in expected.links if each not in links}
        widths = self._expectations.widths(name, late)
        found._known = self._known | {name: replace(expected, sessions=sessions, links=links, widths=widths)}
        return found

    def _expected(self, name: str) -> Expected | None:
        if name not in self._known:
            found = self._expectations.of(name)
            # Settings are as intended once the last step is done; between the steps ``verify`` compares files.
            self._known[name] = replace(found, settings=()) if found is not None else None
        return self._known[name]

    def _prove(self, expected: Expected) -> Iterator[tuple[NeighborContact, DrainProof]]:
        """Yield each neighbor of a device with what shows there whether it sends over it.

        A session that carries both address families has a proof for each: paths of one say nothing of the other.
        """
        for peer in dict.fromkeys(session.peer for session in expected.sessions):
            other = self._expected(peer)
            spec = self._platforms.get(other.platform) if other is not None else None
            show = spec.platform.procedures().show_drained if spec is not None else None
            if show is None:
                continue
            for session in self._facing(peer).get(expected.name, ()):
                for family in session.families:
                    proof = show(session.neighbor, family)
                    if proof is not None:
                        known = self._devices[peer]
                        stays = bool(session.drained or expected.state)
                        yield NeighborContact(peer, session.neighbor, known.platform, known.address, stays), proof

    def _list_facing(self, name: str) -> dict[str, list[ExpectedSession]]:
        """Return the sessions of a device by what is at their other end."""
        expected = self._expected(name)
        found: dict[str, list[ExpectedSession]] = {}
        for session in expected.sessions if expected is not None else ():
            found.setdefault(session.peer, []).append(session)
        return found

    def _list_commands(self, platform: str) -> dict[str, StateReading]:
        spec = self._platforms.get(platform)
        readings = spec.collect if spec is not None else ()
        return {
            reading.state: StateReading(reading.state, reading.command.replace(SUDO, ""), reading.form)
            for reading in readings
            if reading.state
        }
