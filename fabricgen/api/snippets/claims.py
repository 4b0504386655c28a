"""Addresses that snippets give to devices, found by the networks they meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.owners import Network
from fabricgen.platforms.commands.snippets import Claim

_Key = tuple[str, int, int, int]
"""A network of a routing table: the table, its IP version, its length, and the bits that it fixes."""


class Claimed(NamedTuple):
    """An address that a snippet gives to a device."""

    claim: Claim
    network: Network
    snippet: RawSnippet
    device: str

    @property
    def holder(self) -> tuple[str, str]:
        """The interface that has it."""
        return self.device, self.claim.interface


class Claims:
    """Every address so far; of those in one network the first two interfaces are kept, for one is not the asker's."""

    def __init__(self) -> None:
        """Start without any."""
        self._number = 0
        self._at: dict[_Key, list[tuple[int, Claimed]]] = {}
        self._inside: dict[_Key, list[tuple[int, Claimed]]] = {}

    def add(self, own: Claimed) -> None:
        """Take one more."""
        self._number += 1
        keys = [*_networks_around(own)]
        for found in (self._at.setdefault(keys[0], []), *(self._inside.setdefault(key, []) for key in keys)):
            if not found or (len(found) == 1 and found[0][1].holder != own.holder):
                found.append((self._number, own))

    def meet(self, own: Claimed) -> Claimed | None:
        """The first address of another interface in a network that meets this one's."""
        keys = [*_networks_around(own)]
        met = [*self._inside.get(keys[0], ()), *(each for key in keys[1:] for each in self._at.get(key, ()))]
        return min(
            ((number, other) for number, other in met if other.holder != own.holder),
            key=lambda item: item[0],
            default=(0, None),
        )[1]


def _networks_around(own: Claimed) -> Iterator[_Key]:
    """The network of an address, then every larger one that it is in."""
    network = own.network
    bits = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
    for length in range(network.prefixlen, -1, -1):
        yield own.claim.table, network.version, length, bits
        bits >>= 1
