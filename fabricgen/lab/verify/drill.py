"""Drills: something fails while packets flow; how many are lost, for how long, and are the paths after right."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from fabricgen.diagnostics import Bag
from fabricgen.lab.lab_codes import NO_VICTIM
from fabricgen.lab.lifecycle.boot import Progress, start_daemons, vtysh
from fabricgen.lab.lifecycle.kernel import find_processes, run, run_ip, wait_for
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.verify.findings import LabFinding, LabResult, Row
from fabricgen.lab.verify.forwarding import check_widths, read_all_routes
from fabricgen.lab.verify.observe import name_link, routes_differ
from fabricgen.lab.verify.predict import FailedParts, Prediction, predict
from fabricgen.lab.verify.reach import Endpoint, list_endpoints, pairs_of_leafs, routers_between
from fabricgen.lab.verify.traffic import PacketLoss, Stream

GRACEFUL_SHUTDOWN = "bgp graceful-shutdown"
PATIENCE_S = 60.0
"""After which forwarding that is not as predicted is taken for wrong."""


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A failure that can be made and undone.

    Attributes:
        undo: Undoes it; also after a drill that was interrupted.
        detection_s: Planned detection time of the neighbours; 0 where they are notified.
    """

    name: str
    victim: str
    failures: FailedParts
    pairs: Sequence[tuple[Endpoint, Endpoint]]
    make: Callable[[], object]
    undo: Callable[[], object]
    detection_s: float
    lossless: bool = False
    note: str = ""


def cut_cable(
    name: str, blueprint: Blueprint, node: LabNode, end: Interface, pairs: Sequence[tuple[Endpoint, Endpoint]]
) -> InjectedFault:
    """A cable carries nothing any more, and both of its ends see that."""
    namespace = blueprint.namespace(node.name)
    return InjectedFault(
        name=name,
        victim=f"{node.name} {name_link(end)}",
        failures=FailedParts(links=frozenset({(node.name, end.name)})),
        pairs=pairs,
        make=lambda: run_ip([f"link set {end.name} down"], namespace),
        undo=lambda: run_ip([f"link set {end.name} up"], namespace),
        detection_s=0,
    )


def kill_switch(
    name: str, blueprint: Blueprint, switch: LabNode, pairs: Sequence[tuple[Endpoint, Endpoint]], *, note: str = ""
) -> InjectedFault:
    """All processes die and all links lose their carrier at once."""
    namespace = blueprint.namespace(switch.name)

    def make() -> None:
        run_ip((f"link set {end.name} down" for end in switch.interfaces), namespace)
        for pid in find_processes([namespace]).get(namespace, []):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def undo() -> None:
        tracked = [end for end in switch.interfaces if end.announces]
        others = [end for end in switch.interfaces if not end.announces]
        run_ip((f"link set {end.name} up" for end in others), namespace)
        if not find_processes([namespace]):
            start_daemons(blueprint, switch)
        if tracked:
            _wait_for_uplinks(blueprint, switch, tracked)
            run_ip((f"link set {end.name} up" for end in tracked), namespace)

    return InjectedFault(
        name=name,
        victim=switch.name,
        failures=FailedParts(nodes=frozenset({switch.name})),
        pairs=pairs,
        make=make,
        undo=undo,
        detection_s=0,
        note=note,
    )


def _wait_for_uplinks(blueprint: Blueprint, leaf: LabNode, tracked: Sequence[Interface]) -> None:
    """Hold a leaf's ports to bonded hosts down until it forwards, as link tracking does on the device."""
    lost = FailedParts(links=frozenset((leaf.name, end.name) for end in tracked))
    prediction = predict(blueprint, lost)
    wait_for(lambda: not routes_differ(blueprint, prediction, [leaf]), PATIENCE_S, 0.05)


_CALM_S = 1.0
"""Time that packets flow before the failure, and after the forwarding tables are right."""
_ALLOWANCE_S = 5.0
"""Time that forwarding may take beyond the planned detection on a machine that is busy with other things."""
_FLOWS = 512


@dataclass(frozen=True, slots=True)
class Drilled:
    """Result of a drill; ``failing`` and ``healing`` are the losses after the failure and after its end."""

    fault: InjectedFault
    failing: PacketLoss
    healing: PacketLoss
    findings: tuple[LabFinding, ...]
    seconds: float

    def to_row(self) -> Row:
        """One row of the table of drills."""
        return {
            "drill": self.fault.name,
            "result": "FAIL" if self.findings else "pass",
            "victim": self.fault.victim,
            "sent": self.failing.sent,
            "lost": self.failing.lost,
            "flows_hit": self.failing.flows,
            "converged_s": round(self.failing.last_s, 2),
            "healing_sent": self.healing.sent,
            "healing_lost": self.healing.lost,
            "healed_s": round(self.healing.last_s, 2),
            "note": self.fault.note,
        }

    def to_result(self) -> LabResult:
        """The same as the result of a check."""
        row = self.to_row()
        words = (f"{key} {row[key]}" for key in ("victim", "lost", "converged_s", "healing_lost", "healed_s", "note"))
        note = ", ".join(word for word in words if not word.endswith(" "))
        sent = self.failing.sent + self.healing.sent
        return LabResult(self.fault.name, sent, "packets", self.findings, note, self.seconds)


def list_faults(blueprint: Blueprint) -> list[InjectedFault]:
    """Every drill this lab has a victim for: something with a second path around it."""
    whole = predict(blueprint)
    met = pairs_of_leafs(list_endpoints(blueprint)).values()
    pairs = [pair for pair in met if routers_between(blueprint, whole, *pair) > 0]
    spine = next((node for node in blueprint.switches if node.tier == 1), None)
    if spine is None or not pairs or not _has_detour(blueprint, FailedParts(nodes=frozenset({spine.name}))):
        return []
    return [
        _link_down(blueprint, spine, pairs),
        _silent_drop(blueprint, spine, pairs),
        kill_switch("switch-death", blueprint, spine, pairs),
        _drain(blueprint, spine, pairs),
        *_leaf_death(blueprint, pairs),
        *_port_down(blueprint, pairs),
    ]


def choose_faults(blueprint: Blueprint, names: Sequence[str], bag: Bag) -> list[InjectedFault]:
    """The drills of those names, or all there are; a name without a drill is in the bag."""
    known = {fault.name: fault for fault in list_faults(blueprint)}
    unknown = [name for name in names if name not in known]
    if unknown or not known:
        there = ", ".join(known) or "none"
        what = ", ".join(unknown) or "any drill"
        bag.add(NO_VICTIM, f"lab {blueprint.lab} has nothing to fail for {what}; drills with a target: {there}")
        return []
    return [known[name] for name in names or known]


def _has_detour(blueprint: Blueprint, failures: FailedParts) -> bool:
    """Return whether every leaf still reaches every prefix of every other."""
    whole, left = predict(blueprint), predict(blueprint, failures)
    lost = failures.nodes
    leafs = {node.name for node in blueprint.switches if node.tier == 0}
    prefixes = {prefix for name in leafs for prefix in blueprint.node(name).originates}
    return all(
        left.interfaces[name].get(prefix)
        for name in leafs - lost
        for prefix in prefixes & whole.interfaces[name].keys()
    )


def _link_down(blueprint: Blueprint, spine: LabNode, pairs: Sequence[tuple[Endpoint, Endpoint]]) -> InjectedFault:
    leafs = {node.name for node in blueprint.switches if node.tier == 0}
    end = next(end for end in spine.interfaces if end.peer in leafs)
    met = [pair for pair in pairs if end.peer in (pair[0].leaf, pair[1].leaf)]
    return cut_cable("link-down", blueprint, spine, end, met)


def _silent_drop(blueprint: Blueprint, spine: LabNode, pairs: Sequence[tuple[Endpoint, Endpoint]]) -> InjectedFault:
    """The switch forwards and sends nothing, while its links stay up; only BFD or the hold timer detects it."""
    watched = all(end.watched for end in spine.interfaces if end.neighbors)
    enter = ["ip", "netns", "exec", blueprint.namespace(spine.name), "nft"]
    rules = "".join(
        f"add chain inet drill {hook} {{ type filter hook {hook} priority -300; policy drop; }}\n"
        for hook in ("prerouting", "output")
    )
    return InjectedFault(
        name="silent-drop",
        victim=spine.name,
        failures=FailedParts(nodes=frozenset({spine.name})),
        pairs=pairs,
        make=lambda: run([*enter, "-f", "-"], text=f"add table inet drill\n{rules}"),
        undo=lambda: run([*enter, "-f", "-"], text="add table inet drill\ndelete table inet drill\n"),
        detection_s=spine.detection_s if watched else spine.hold_s,
        note="noticed by BFD" if watched else "noticed by the hold timer",
    )


_NO_LACP = "routing only, LACP not proven"


def _leaf_death(blueprint: Blueprint, pairs: Sequence[tuple[Endpoint, Endpoint]]) -> Iterator[InjectedFault]:
    """A leaf of a pair dies, and the hosts that bond over both go on over the other one; if the other one can."""
    whole = {nic.leafs for pair in pairs for nic in pair if len(nic.leafs) > 1}
    victim = min(whole, default=("",))[0]
    if not victim:
        return
    left = predict(blueprint, FailedParts(nodes=frozenset({victim})))
    met = [pair for pair in pairs if any(victim in nic.leafs for nic in pair)]
    beyond = [_without(pair, victim) for pair in met]
    if met and all(routers_between(blueprint, left, *pair) > 0 for pair in beyond):
        yield kill_switch("leaf-death", blueprint, blueprint.node(victim), met, note=_NO_LACP)


def _port_down(blueprint: Blueprint, pairs: Sequence[tuple[Endpoint, Endpoint]]) -> Iterator[InjectedFault]:
    """A leaf of a pair loses its port to a host, the prefix of whose bond is connected; if the other one can do."""
    nic = next((nic for pair in pairs for nic in pair if len(nic.leafs) > 1), None)
    if nic is None:
        return
    lower = blueprint.node(nic.place.device).interface(nic.place.interface)
    leaf = blueprint.node(lower.peer)
    port = leaf.interface(lower.peer_interface)
    fault = cut_cable("port-down", blueprint, leaf, port, [pair for pair in pairs if nic in pair])
    left = predict(blueprint, fault.failures)
    beyond = [_without(pair, leaf.name) for pair in fault.pairs]
    if port.announces == port.addresses and all(routers_between(blueprint, left, *pair) > 0 for pair in beyond):
        yield replace(fault, note=_NO_LACP)


def _without(pair: tuple[Endpoint, Endpoint], leaf: str) -> tuple[Endpoint, Endpoint]:
    """Two NICs as they are when a leaf is gone."""
    a, b = (nic._replace(leafs=tuple(name for name in nic.leafs if name != leaf) or nic.leafs) for nic in pair)
    return a, b


def drain(blueprint: Blueprint, node: LabNode, *, ends: bool = False) -> None:
    """Ask the neighbours of a device to use another way, or no longer (RFC 8326)."""
    configure_bgp(blueprint, node, f"{'no ' if ends else ''}{GRACEFUL_SHUTDOWN}")


def configure_bgp(blueprint: Blueprint, node: LabNode, command: str) -> None:
    """Give the BGP daemon of a device a line of its own section."""
    run(vtysh(blueprint, node.name, "configure terminal", f"router bgp {node.asn}", command))


def _drain(blueprint: Blueprint, spine: LabNode, pairs: Sequence[tuple[Endpoint, Endpoint]]) -> InjectedFault:
    """The switch asks its neighbours to use another way before it goes, and nothing is lost."""
    return InjectedFault(
        name="drain",
        victim=spine.name,
        failures=FailedParts(drained=frozenset({spine.name})),
        pairs=pairs,
        make=lambda: drain(blueprint, spine),
        undo=lambda: drain(blueprint, spine, ends=True),
        detection_s=0,
        lossless=True,
        note="by graceful shutdown",
    )


def run_drill(blueprint: Blueprint, fault: InjectedFault, progress: Progress) -> Drilled:
    """Let something fail under traffic, wait until forwarding is as predicted, undo it, wait again."""
    started = time.monotonic()
    whole, partial = predict(blueprint), predict(blueprint, fault.failures)
    findings: list[LabFinding] = []
    with Stream(blueprint, fault.pairs, _FLOWS) as stream:
        time.sleep(_CALM_S)
        failed_at = time.monotonic()
        progress(f"{fault.name}: failing", 0, 2)
        try:
            fault.make()
            findings += _list_late(blueprint, partial, fault)
            healed_at = time.monotonic()
            progress(f"{fault.name}: healing", 1, 2)
        finally:
            fault.undo()
        findings += _list_late(blueprint, whole, fault)
        ended_at = time.monotonic()
        stream.stop()
    progress(f"{fault.name}: healing", 2, 2)
    calm, failing, healing = (
        stream.loss(*span) for span in ((started, failed_at), (failed_at, healed_at), (healed_at, ended_at))
    )
    findings += _judge(fault, calm, failing, healing)
    return Drilled(fault, failing, healing, tuple(findings), time.monotonic() - started)


def settle(blueprint: Blueprint, prediction: Prediction, calm_s: float) -> tuple[Sequence[LabNode], float]:
    """Return the devices that do not forward as predicted in time, and when the last other one was seen to.

    All are looked at once more after a while: a route that comes back as it was is as predicted before it goes, too.
    """
    working = [node for node in blueprint.speakers if node.name in prediction.interfaces]
    left: Sequence[LabNode] = working
    deadline = time.monotonic() + PATIENCE_S
    while True:
        left = routes_differ(blueprint, prediction, left)
        settled = time.monotonic()
        if not left:
            time.sleep(calm_s)
            left = routes_differ(blueprint, prediction, working)
        if not left or time.monotonic() > deadline:
            return left, settled
        time.sleep(0.02)


def _list_late(blueprint: Blueprint, prediction: Prediction, fault: InjectedFault) -> list[LabFinding]:
    """Wait until the kernels forward as predicted; what is wrong if they never do."""
    left, _ = settle(blueprint, prediction, _CALM_S)
    found = check_widths(blueprint, prediction, read_all_routes(blueprint, left)).findings
    return [LabFinding(each.device, each.link, f"{fault.name} of {fault.victim}: {each.reason}") for each in found]


def _judge(fault: InjectedFault, calm: PacketLoss, failing: PacketLoss, healing: PacketLoss) -> Iterable[LabFinding]:
    if calm.lost:
        yield LabFinding(fault.victim, "", f"{calm.lost} of {calm.sent} packets were lost before anything failed")
    if fault.lossless and (failing.lost or healing.lost):
        lost, sent = failing.lost + healing.lost, failing.sent + healing.sent
        yield LabFinding(fault.victim, "", f"{lost} of {sent} packets were lost, and none should be")
    bound = fault.detection_s + _ALLOWANCE_S
    if failing.last_s > bound:
        reason = f"packets were lost for {failing.last_s:.1f} s; planned are {fault.detection_s:.1f} s to notice"
        yield LabFinding(fault.victim, "", reason)
