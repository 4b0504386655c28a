"""Input of a proof: the facts, the graph rebuilt from them, and the caller's expectations of the fabric."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..facts import End, Fabric, Interface, Qos, Session
from ..graph import Graph, ends, rebuild

FAMILIES = {32: "IPv4", 128: "IPv6"}
"""Name of a family by its address length."""

Sessions = dict[tuple[str, str, int], Session]
"""Sessions by device, peer and address length of the family."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """Properties of the intent that no rendered text can prove by itself.

    ``lossless``: priorities of the training traffic; None takes what most ports say. ``priority_by_dscp``: priority of
    code points; only these are compared. ``recabled``: hosts of which the intent moves or takes away cables, or that
    attach otherwise: their rails need not be their neighbours'. ``without_gpus``: hosts that have no GPUs, and so no
    collective library. ``host_links``: links to hosts that a leaf has room for; 0 where its ports say so. ``samples``:
    collector of samples and their rate; None takes what most switches say, empty is none at all.
    ``own_ids``: router ids that the intent gives single switches.
    """

    mode: str = "dcqcn"
    lossless: frozenset[int] | None = None
    priority_by_dscp: dict[int, int] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    recabled: frozenset[str] = frozenset()
    without_gpus: frozenset[str] = frozenset()
    host_links: int = 0
    unsaid_hashes: bool = False
    same_hash: bool = False
    own_watchdog: frozenset[str] = frozenset()
    own_hash: frozenset[str] = frozenset()
    own_box: frozenset[str] = frozenset()
    own_ids: frozenset[str] = frozenset()
    samples: tuple[str, int] | tuple[()] | None = None

    @property
    def has_pfc(self) -> bool:
        """Return whether lossless priorities are paused."""
        return self.mode != "ecn_only"

    @property
    def has_ecn(self) -> bool:
        """Return whether queues mark and NICs react."""
        return self.mode != "pfc_only"


@dataclass(slots=True)
class Case:
    """One fabric to be proved right.

    ``used_ports``: every switch port that a link ends at. ``lossless``: priorities of the training traffic, which must
    not drop where the mode has PFC.
    """

    fabric: Fabric
    expected: Expectation
    graph: Graph
    switch_links: list[tuple[End, End]] = field(default_factory=list)
    host_links: list[tuple[End, End]] = field(default_factory=list)
    used_ports: list[tuple[End, Interface]] = field(default_factory=list)
    lossless: frozenset[int] = frozenset()
    families: tuple[int, ...] = ()
    _priorities: dict[int, dict[int, int]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, fabric: Fabric, expected: Expectation) -> Case:
        """A fabric with its graph, its links sorted by what they join."""
        case = cls(fabric, expected, rebuild(fabric))
        level = case.graph.level
        for link in sorted(case.graph.links(), key=sorted):
            pair = ends(link)
            if any(end[0] not in fabric.devices for end in pair):
                continue
            hosts = sum(fabric.devices[end[0]].kind == "host" for end in pair)
            lower, upper = sorted(pair, key=lambda end: (level.get(end[0], 99), end))
            (case.host_links if hosts else case.switch_links).append((lower, upper))
        case.used_ports = case._used_ports()
        case.lossless = case._lossless()
        case.families = tuple(sorted({a.subnet.bits for d in fabric.switches() for a in d.loopbacks}))
        return case

    def leaf_links(self) -> list[tuple[End, End]]:
        """Links between a leaf and a switch above it, the leaf's end first."""
        leafs = {end[0] for _, end in self.host_links}
        return [(lower, upper) for lower, upper in self.switch_links if lower[0] in leafs]

    def is_absent(self, name: str) -> bool:
        """Return whether a device is meant to be missing."""
        return name in self.expected.absent

    def port(self, end: End) -> Interface | None:
        """The interface at an end, or None where the tree has no such port."""
        return self.fabric.devices[end[0]].interfaces.get(end[1])

    def sessions(self) -> Sessions:
        return {(d.name, s.peer, s.bits): s for d in self.fabric.devices.values() if d.bgp for s in d.bgp.sessions}

    def peers(self, here: End, there: End) -> list[str]:
        """Return what a session from one end of a link to the other may call its neighbour."""
        far = self.port(there)
        return [*(a.text for a in far.addresses), here[1]] if far else []

    def session(self, sessions: Sessions, here: End, there: End, bits: int) -> Session | None:
        """The session of a family that one end of a link has to the other, whatever it calls it."""
        known = (sessions.get((here[0], peer, bits)) for peer in self.peers(here, there))
        return next((session for session in known if session), None)

    def priorities(self, qos: Qos) -> dict[int, int]:
        """Priority on the wire of every code point: the one that pauses the queue it ends in."""
        if id(qos) not in self._priorities:
            by_queue = {queue: priority for priority, queue in sorted(qos.pfc_to_queue.items(), reverse=True)}
            queues = {dscp: qos.tc_to_queue.get(tc, tc) for dscp, tc in qos.dscp_to_tc.items()}
            self._priorities[id(qos)] = {dscp: by_queue.get(queue, queue) for dscp, queue in queues.items()}
        return self._priorities[id(qos)]

    def _used_ports(self) -> list[tuple[End, Interface]]:
        used = {end for pair in self.switch_links + self.host_links for end in pair}
        found = [(end, self.port(end)) for end in sorted(used) if self.fabric.devices[end[0]].kind == "switch"]
        return [(end, port) for end, port in found if port is not None]

    def _lossless(self) -> frozenset[int]:
        """Expected lossless priorities, or what most used ports pause (mark, where nothing is paused)."""
        if self.expected.lossless is not None:
            return self.expected.lossless
        ports = [port.qos for _, port in self.used_ports]
        said = [qos.pfc if self.expected.has_pfc else frozenset(qos.ecn) for qos in ports]
        counted = Counter(found for found in said if found)
        return min(counted, key=lambda pfc: (-counted[pfc], sorted(pfc)), default=frozenset())
