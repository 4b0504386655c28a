"""EOS: access lists, classes and policies that mark packets by what they are → what each port does to unmarked RoCE."""

from __future__ import annotations

import re

from ..facts import Device
from .indented import Block

ROCE = re.compile(r"\d+ permit udp any any eq 4791 dscp 0$")
"""RoCE v2 (UDP port 4791) without a code point: the one kind of packet that is marked."""


class Marking:
    """Policies of a switch and the ports they stand at."""

    def __init__(self) -> None:
        self.lists: set[tuple[str, str]] = set()
        self.classes: dict[str, tuple[str, str]] = {}
        self.policies: dict[str, list[Block]] = {}
        self.ports: dict[str, str] = {}
        self.odd: list[str] = []

    def top(self, block: Block) -> bool:
        """Take a top-level command if it belongs here."""
        words = block.words
        if words[0] in ("ip", "ipv6") and words[1] == "access-list":
            self.lists.add((words[0], words[2]))
            self.odd += [f"{block.line}: {child.line}" for child in block.below if not ROCE.match(child.line)]
        elif words[:4] == ["class-map", "type", "qos", "match-any"]:
            ((family, name),) = [(c.words[1], c.words[3]) for c in block.below if c.words[2] == "access-group"]
            self.classes[words[4]] = (family, name)
        elif words[:3] == ["policy-map", "type", "quality-of-service"]:
            self.policies[words[3]] = block.below
        else:
            if words[0] == "interface" and words[1].startswith("Port-Channel"):
                for child in block.below:
                    self.port_line(words[1], child.line)
            return False
        return True

    def port_line(self, port: str, line: str) -> bool:
        match = re.fullmatch(r"service-policy type qos input (\S+)", line)
        if match:
            self.ports[port] = match[1]
        return match is not None

    def finish(self, device: Device) -> None:
        """Give every port with a policy what it does, by family: code point and traffic class."""
        for line in self.odd:
            device.say(f"startup-config: line not understood: {line}")
        for port, name in self.ports.items():
            if name not in self.policies:
                device.say(f"{port}: policy {name} is not defined")
            for chosen in self.policies.get(name, []):
                family, access_list = self.classes.get(chosen.words[1], ("", ""))
                if (family, access_list) not in self.lists:
                    device.say(f"{port}: class {chosen.words[1]} matches nothing that is defined")
                values = {child.words[1]: int(child.words[2]) for child in chosen.below if child.words[0] == "set"}
                marked = (values.get("dscp", -1), values.get("traffic-class", -1))
                target = device.interfaces.get(port) or device.bonds.get(port)
                if target is not None:
                    target.unmarked["ipv6" if family == "ipv6" else "ipv4"] = marked
