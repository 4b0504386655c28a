"""A device between two waves that both change it: neither as it was deployed nor as it is intended.

What it has of either side is read off the files that the rollout gives it in between. An address is there if a file
has it with a length, a neighbor or an announced prefix if the routing configuration has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.lab.model.blueprint import Interface, LabNode
from fabricgen.lab.model.configuration import translate_netplan
from fabricgen.rollout.phasing.kinds import RolloutStage

MakeFilter = Callable[[Mapping[str, bytes]], str]
_NETPLAN = "etc/netplan/"


class InterimState(NamedTuple):
    """A state of a device between two waves.

    Attributes:
        stage: The stage that led there; all earlier ones are done.
        files: Texts of the files that the rollout changes, by path.
    """

    stage: RolloutStage
    files: Mapping[str, str]


class Halfway:
    """A device in one of its states between both sides."""

    def __init__(self, deployed: LabNode, intended: LabNode, state: InterimState) -> None:
        """Take both sides.

        Args:
            deployed: The device before the rollout.
            intended: The same after it, with the same cables.
            state: What it is in.
        """
        self._sides = deployed, intended
        self._state = state
        self._text = "\n".join(state.files.values())

    def node(self, config: str, make_filter: MakeFilter | None) -> LabNode:
        """Return the device.

        Args:
            config: Its routing configuration.
            make_filter: What makes its packet filter of its files; None without one.
        """
        old, new = self._sides
        rules = old.packet_filter
        if make_filter is not None and new.packet_filter != rules:
            rules = make_filter({path: text.encode() for path, text in self._state.files.items()})
        return replace(
            old,
            asn=new.asn if f"router bgp {new.asn}\n" in config else old.asn,
            config=config,
            loopbacks=self._merge(old.loopbacks, new.loopbacks, self._is_own),
            originates=self._merge(old.originates, new.originates, lambda prefix: _announces(config, prefix)),
            interfaces=tuple(self._interfaces(config)),
            commands=self._commands(),
            packet_filter=rules,
        )

    def _merge(self, old: Iterable[str], new: Iterable[str], has: Callable[[str], bool]) -> tuple[str, ...]:
        """Return what both sides have, and of the rest what is there."""
        both = {*old} & {*new}
        return tuple(item for item in dict.fromkeys((*old, *new)) if item in both or has(item))

    def _is_own(self, address: str) -> bool:
        """Return whether a file gives the device an address; its neighbors are named without a length."""
        return re.search(rf"(?<![\w.:]){re.escape(address.partition('/')[0])}/\d", self._text) is not None

    def _interfaces(self, config: str) -> Iterator[Interface]:
        old, new = self._sides
        intended = {end.name: end for end in new.interfaces}
        for end in old.interfaces:
            other = intended.get(end.name, end)
            yield replace(
                end,
                # Packets of both sizes pass until the rollout is done.
                mtu_bytes=max(end.mtu_bytes, other.mtu_bytes),
                addresses=self._merge(end.addresses, other.addresses, self._is_own),
                neighbors=self._merge(end.neighbors, other.neighbors, lambda name: f" neighbor {name} " in config),
                announces=self._merge(end.announces, other.announces, lambda prefix: _announces(config, prefix)),
            )

    def _commands(self) -> tuple[str, ...]:
        """Return routes and rules of a host; those of a switch are of its management port, which a lab lacks."""
        old = self._sides[0]
        for path, text in self._state.files.items():
            if path.startswith(_NETPLAN) and not old.is_switch:
                return tuple(translate_netplan(text.encode(), old.name, Bag()).commands)
        return old.commands


def _announces(config: str, prefix: str) -> bool:
    return f" network {prefix}\n" in config
