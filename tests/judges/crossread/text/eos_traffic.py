"""Treatment of traffic by EOS: maps, QoS profiles and the PFC watchdog of a startup-config → each port."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from ..facts import Device, Interface, Qos
from .indented import Block

ACTIONS = {"drop": "drop", "notify-only": "alert", "errdisable": "errdisable"}


@dataclass(slots=True)
class Profile:
    """A qos profile as written."""

    trust: str = ""
    pauses: bool = False
    watched: bool = False
    no_drop: set[int] = field(default_factory=set)
    scheduler: dict[int, int | str] = field(default_factory=dict)
    ecn: dict[int, tuple[int, int, int]] = field(default_factory=dict)


class Traffic:
    """Collects maps and profiles, then says what each port does."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.dscp: dict[int, int] = {}
        self.queues: dict[int, int] = {number: number for number in range(8)}
        self.profiles: dict[str, Profile] = {}
        self.attached: dict[str, str] = {}
        self.treatments: dict[str, Qos] = {}
        self.watchdog: dict[str, str] = {}
        self.at_ports: dict[str, dict[str, list[str]]] = {}
        self.counts_out = False

    def top(self, block: Block) -> bool:
        """Take a top-level command if it belongs here."""
        words = block.words
        if words[:2] == ["qos", "map"]:
            self._map(block.line, words)
        elif words[:2] == ["qos", "profile"]:
            self.profiles[words[2]] = self._profile(block)
        elif words[:3] == ["priority-flow-control", "pause", "watchdog"]:
            self.watchdog[" ".join(words[3:-1])] = words[-1]
        elif block.line == "hardware counter feature ecn out":
            self.counts_out = True
        else:
            return False
        return True

    def finish(self) -> None:
        for name, interface in self.device.interfaces.items():
            interface.qos = self._qos(self.attached.get(name, ""), interface)
            profile, queues = self.profiles.get(self.attached.get(name, ""), Profile()), self.at_ports.get(name, {})
            # Chassis, whose ports have a third number, are Sand (7800R3), and so is what has queues of that name.
            sand = name.count("/") == 2 or any(word.startswith("tx-queue") for word in queues)
            for number in profile.no_drop | profile.ecn.keys():
                lines = [line for word, below in queues.items() if word.endswith(f" {number}") for line in below]
                if number in profile.no_drop and not sand and "bandwidth guaranteed 100" not in lines:
                    self.device.say(f"{name}: the watchdog passes queue {number} over, which nothing is guaranteed to")
                if number in profile.ecn and ("random-detect ecn count" not in lines or sand > self.counts_out):
                    self.device.say(f"{name}: marks of queue {number} are not counted")

    def port_line(self, port: str, line: str, below: list[Block]) -> bool:
        """Take a queue of a port: EOS prints the guarantee and the counter of marks there, and nowhere else."""
        if not line.partition(" ")[0].endswith("tx-queue"):
            return False
        self.at_ports.setdefault(port, {})[line] = [child.line for child in below]
        return True

    def _unknown(self, line: str) -> None:
        self.device.say(f"startup-config: line not understood: {line}")

    def _map(self, line: str, words: list[str]) -> None:
        """``qos map dscp 26 to traffic-class 3``, ``qos map traffic-class 3 to tx-queue 3``."""
        source, target = words[3:-3], int(words[-1])
        table = {("dscp", "traffic-class"): self.dscp, ("traffic-class", "tx-queue"): self.queues}.get(
            (words[2], words[-2])
        )
        if table is None:
            self._unknown(line)
            return
        for number in source:
            if table is self.dscp and int(number) in table:
                self.device.say(f"code point {number} is mapped twice")
            table[int(number)] = target

    def _profile(self, block: Block) -> Profile:
        found = Profile()
        for child in block.below:
            line, words = child.line, child.words
            if words[:2] == ["qos", "trust"]:
                found.trust = words[2]
            elif line == "priority-flow-control on":
                found.pauses = True
            elif line == "priority-flow-control pause watchdog":
                found.watched = True
            elif words[:2] == ["priority-flow-control", "priority"] and words[3] == "no-drop":
                found.no_drop.add(int(words[2]))
            elif words[0] in ("uc-tx-queue", "tx-queue"):
                self._queue(found, int(words[1]), child.below)
            else:
                self._unknown(f"{block.line}: {line}")
        return found

    def _queue(self, profile: Profile, number: int, below: list[Block]) -> None:
        for child in below:
            words = child.words
            if child.line == "priority strict":
                profile.scheduler[number] = "strict"
            elif words[:2] == ["bandwidth", "percent"]:
                profile.scheduler[number] = int(words[2])
            elif words[:2] == ["random-detect", "ecn"] and "minimum-threshold" in words:
                named = dict(pairwise(words))
                units = {words[4], words[7]}
                if units != {"bytes"}:
                    self._unknown(child.line)
                low, high = int(named["minimum-threshold"]), int(named["maximum-threshold"])
                profile.ecn[number] = (low, high, int(named.get("max-mark-probability", "100")))
            elif child.line != "no priority":
                self._unknown(child.line)

    def _qos(self, name: str, port: Interface) -> Qos:
        """Return what the attached profile and the global maps do on a port; one object for all ports of a profile."""
        if name not in self.treatments:
            self.treatments[name] = self._treat(name, port)
        return self.treatments[name]

    def _treat(self, name: str, port: Interface) -> Qos:
        profile = self.profiles.get(name)
        if profile is None:
            if name:
                self.device.say(f"{port.name}: qos profile {name} is not defined")
            return Qos()
        paused = frozenset(profile.no_drop) if profile.pauses else frozenset[int]()
        timers = tuple(
            f"{float(self.watchdog.get(key, '0')) * 1000:.0f}" for key in ("default timeout", "default recovery-time")
        )
        watched = profile.watched and bool(paused)
        return Qos(
            dscp_to_tc=self.dscp if profile.trust == "dscp" else {},
            tc_to_queue=self.queues,
            # EOS keeps a priority group of its own for each no-drop priority, with headroom that it sizes itself.
            tc_to_pg={tc: tc if tc in paused else 0 for tc in range(8)},
            pfc_to_queue=self.queues,
            scheduler=profile.scheduler,
            pfc=paused,
            headroom=paused,
            watchdog=paused if watched else frozenset(),
            watchdog_timers=(*timers, ACTIONS[self.watchdog.get("action", "errdisable")]) if watched else (),
            ecn=profile.ecn,
        )
