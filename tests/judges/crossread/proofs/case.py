"""What a proof gets: the facts, the graph rebuilt from them, and what the caller expects of the fabric."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..facts import End, Fabric, Interface
from ..graph import Graph, ends, rebuild


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the intent says and no rendered text can prove by itself.

    Attributes:
        mode: How congestion is controlled: ``dcqcn`` (PFC and ECN), ``pfc_only`` or ``ecn_only``.
        lossless: Priorities of the training traffic; None takes what most ports say.
        priority_by_dscp: Priority of code points; only these are compared.
        absent: Devices that the intent calls absent: their links may dangle.
        recabled: Hosts of which the intent moves or takes away cables: their rails need not be their neighbours'.
        same_hash: The intent turns the decorrelation of ECMP hashes off.
    """

    mode: str = "dcqcn"
    lossless: frozenset[int] | None = None
    priority_by_dscp: dict[int, int] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    recabled: frozenset[str] = frozenset()
    same_hash: bool = False

    @property
    def has_pfc(self) -> bool:
        """Whether lossless priorities are paused."""
        return self.mode != "ecn_only"

    @property
    def has_ecn(self) -> bool:
        """Whether queues mark and NICs react."""
        return self.mode != "pfc_only"


@dataclass(slots=True)
class Case:
    """One fabric to be proved right.

    Attributes:
        switch_links: Links between switches, lower end first.
        host_links: Links between a host and a leaf, host end first.
        lossless: Priorities of the training traffic, which must not drop where the mode has PFC.
    """

    fabric: Fabric
    expected: Expectation
    graph: Graph
    switch_links: list[tuple[End, End]] = field(default_factory=list)
    host_links: list[tuple[End, End]] = field(default_factory=list)
    lossless: frozenset[int] = frozenset()

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
        case.lossless = case._lossless()
        return case

    def is_absent(self, name: str) -> bool:
        """Whether a device is meant to be missing."""
        return name in self.expected.absent

    def port(self, end: End) -> Interface | None:
        """The interface at an end, or None where the tree has no such port."""
        return self.fabric.devices[end[0]].interfaces.get(end[1])

    def used_switch_ports(self) -> list[tuple[End, Interface]]:
        """Every switch port that a link ends at."""
        used = [end for pair in self.switch_links + self.host_links for end in pair]
        found = [(end, self.port(end)) for end in sorted(set(used)) if self.fabric.devices[end[0]].kind == "switch"]
        return [(end, port) for end, port in found if port is not None]

    def _lossless(self) -> frozenset[int]:
        """Expected lossless priorities, or what most used ports pause (mark, where nothing is paused)."""
        if self.expected.lossless is not None:
            return self.expected.lossless
        ports = [port.qos for _, port in self.used_switch_ports()]
        said = [qos.pfc if self.expected.has_pfc else frozenset(qos.ecn) for qos in ports]
        counted = Counter(found for found in said if found)
        return min(counted, key=lambda pfc: (-counted[pfc], sorted(pfc)), default=frozenset())
