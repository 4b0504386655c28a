"""View of who may open connections to the switch itself: one standard access list per family."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.device.model import Services

STEP = 10
"""Distance of sequence numbers, as EOS counts them itself."""


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A rule of an access list, such as ``10 permit 192.168.0.0/16``."""

    number: int
    rule: str


@dataclass(frozen=True, slots=True)
class AccessList:
    """Where management comes from, in one family.

    Attributes:
        word: ``ip`` or ``ipv6``, with which the commands of lists and groups begin.
        snmp_word: What SNMP calls the family.
        guards_gnmi: gNMI takes a list of this family.
    """

    name: str
    word: str
    snmp_word: str
    guards_gnmi: bool
    entries: tuple[AccessEntry, ...]


def build_access(services: Services) -> tuple[AccessList, ...]:
    """Return the lists of both families; none where the intent turns them off.

    A family without a prefix is refused in words: what EOS makes of a list without a rule is not published.
    """
    access = services.access
    if not access.acl:
        return ()
    return (
        AccessList("MANAGEMENT", "ip", "ipv4", True, _entries(access.management)),
        AccessList("MANAGEMENT6", "ipv6", "ipv6", False, _entries(access.management6)),
    )


def _entries(prefixes: tuple[str, ...]) -> tuple[AccessEntry, ...]:
    rules = [*(f"permit {prefix}" for prefix in prefixes), "deny any"]
    return tuple(AccessEntry(STEP * place, rule) for place, rule in enumerate(rules, 1))


ACCESS_ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "AccessEntry": {
        "number": ("Access.management", "Access.management6"),
        "rule": ("Access.management", "Access.management6"),
    },
    "AccessList": {
        "name": "Access.acl",
        "word": "Access.acl",
        "snmp_word": "Access.acl",
        "guards_gnmi": "Access.acl",
        "entries": ("Access.management", "Access.management6"),
    },
}
"""View field to the device-model fields it derives from."""
