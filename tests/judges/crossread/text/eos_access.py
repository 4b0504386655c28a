"""EOS: whom the switch itself takes connections from → what is wrong with it."""

from __future__ import annotations

import re

from ..facts import Device
from .indented import Block

LIST = re.compile(r"(ip|ipv6) access-list standard (\S+)")
ENTRY = re.compile(r"\d+ (permit|deny) (any|[\da-f:.]+/\d+)")
GROUP = re.compile(r"(ip|ipv6) access-group (\S+)(?: vrf (\S+) in)?")
SNMP = re.compile(r"snmp-server (ipv[46]) access-list (\S+) vrf (\S+)")
IPV4 = "ip"


class Access:
    """Standard access lists, and who names them."""

    def __init__(self) -> None:
        self.lists: dict[tuple[str, str], list[str]] = {}
        self.used: set[tuple[str, str]] = set()
        self.ssh: set[str] = set()
        self.odd: list[str] = []

    def top(self, block: Block) -> bool:
        """Take a top-level command if it belongs here alone; SSH and services are looked at and left to others."""
        found = LIST.fullmatch(block.line)
        if found:
            self.lists[found[1], found[2]] = [child.line for child in block.below]
            self.odd += [f"{block.line}: {child.line}" for child in block.below if not ENTRY.fullmatch(child.line)]
            return True
        named = SNMP.fullmatch(block.line)
        if named:
            self.used.add((IPV4 if named[1] == "ipv4" else named[1], named[2]))
        if block.line.startswith("management "):
            self._management(block)
        return False

    def _management(self, block: Block) -> None:
        for path in block.paths():
            group = GROUP.fullmatch(path[-1])
            if group:
                self.used.add((group[1], group[2]))
            if path[0] == "management ssh":
                self.ssh.add(" > ".join(path[1:]))

    def finish(self, device: Device) -> None:
        """Say which lists are missing, unused or end without a refusal, and where SSH answers but should not."""
        for line in self.odd:
            device.say(f"startup-config: line not understood: {line}")
        for family, name in sorted(self.used ^ set(self.lists)):
            device.say(f"{family} access list {name} is named or defined, not both")
        for (family, name), entries in self.lists.items():
            if not entries[-1:] or not entries[-1].endswith(" deny any"):
                device.say(f"{family} access list {name} does not end with a refusal")
        if "shutdown" not in self.ssh or "vrf MGMT > no shutdown" not in self.ssh:
            device.say("SSH answers outside of the management VRF, or not in it")
