"""Facts about platforms that planning requires."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.catalog.records import SwitchModel
from fabricgen.plan.model.topology import Release
from fabricgen.plan.planner.buffers import BufferSource
from fabricgen.plan.planner.computed_buffers import choose_script
from fabricgen.plan.planner.ports import PortNames


class PlatformFacts(NamedTuple):
    """Facts about a platform: names of its ports, support of BFD, GTSM and MD5, parameters of its NICs.

    ``bfd_needs_acl``: without a control-plane ACL it drops BFD to addresses that links have of their own.
    ``dcqcn``: name, value as shipped, and value for each 25 Gb/s where it follows the rate of the port.
    ``own_buffers``: it cuts pools and headroom itself; otherwise its configuration has the catalog's, or
    ``computes_buffers``: what its images compute where the ASIC's maker has a script for that. ``releases`` are those
    it can write for, oldest first; none where its files are the same for all. ``negotiates_copper``: it negotiates and
    trains over passive copper; ``reads_calibration``: it has the maker's transmitter settings for lengths of it.
    ``polls_ports``: its PFC watchdog polls all ports one after the other. ``watchdog_max_ms``: the longest detection
    time that it counts; 0 where it takes any. ``adaptive_gbps``: speeds of its adaptive routing, on
    ``balancing_asics``, by the beginning of their names. ``adapts``: its NICs take part in that. ``flowlet_gap_us``:
    the inactivity gap that its maker starts from; 0 where none is published. ``path_weights``: how it weights
    next hops, ``by_release`` or a word of ``physics.path_weights``; empty where it does not.
    """

    port_names: PortNames = PortNames()
    bfd: bool = False
    dcqcn: tuple[tuple[str, int, int], ...] = ()
    own_buffers: bool = False
    computes_buffers: bool = False
    releases: tuple[Release, ...] = ()
    bfd_needs_acl: bool = False
    gtsm: bool = False
    md5: bool = False
    negotiates_copper: bool = False
    reads_calibration: bool = False
    polls_ports: bool = False
    watchdog_max_ms: int = 0
    adaptive_gbps: tuple[int, ...] = ()
    balancing_asics: tuple[str, ...] = ()
    adapts: bool = False
    flowlet_gap_us: int = 0
    path_weights: str = ""

    def runs_bfd(self, *, acl: bool, numbered: bool) -> bool:
        """Return whether BFD comes up: its packets may have to be let in, but not to link-local addresses."""
        return self.bfd and (acl or not numbered or not self.bfd_needs_acl)


def find_source(facts: PlatformFacts, model: SwitchModel, release: str) -> BufferSource:
    """Return who says how large the buffers of a tier are."""
    script = choose_script(model.asic, release) if facts.computes_buffers else None
    return BufferSource(facts.own_buffers, script)
