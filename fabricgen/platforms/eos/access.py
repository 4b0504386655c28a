"""View of who may open connections to the switch itself: an access list per family, and the files of gNMI's TLS."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from fabricgen.device.model import Services

STEP = 10
"""Distance of sequence numbers, as EOS counts them itself."""


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A rule of an access list, such as ``10 permit 192.168.0.0/16``."""

    number: Annotated[int, "Access.management", "Access.management6"]
    rule: Annotated[str, "Access.management", "Access.management6"]


@dataclass(frozen=True, slots=True)
class AccessList:
    """Prefixes of management in one family.

    Attributes:
        word: ``ip`` or ``ipv6``, with which the commands of lists and groups begin.
        snmp_word: What SNMP calls the family.
        guards_gnmi: gNMI takes a list of this family.
    """

    name: Annotated[str, "Access.acl"]
    word: Annotated[str, "Access.acl"]
    snmp_word: Annotated[str, "Access.acl"]
    guards_gnmi: Annotated[bool, "Access.acl"]
    entries: Annotated[tuple[AccessEntry, ...], "Access.management", "Access.management6"]


@dataclass(frozen=True, slots=True)
class EosGnmiServer:
    """The gNMI server; EOS has certificates and keys in folders of its own and knows them by their file names."""

    port: Annotated[int, "Gnmi.port"]
    certificate: Annotated[str, "Gnmi.server_crt"]
    key: Annotated[str, "Gnmi.server_key"]
    trusted: Annotated[str, "Gnmi.ca_crt"]


def build_gnmi(services: Services) -> EosGnmiServer | None:
    """Return the gNMI server; None where the intent asks for none."""
    gnmi = services.gnmi
    if gnmi is None:
        return None
    files = (gnmi.server_crt, gnmi.server_key, gnmi.ca_crt)
    return EosGnmiServer(gnmi.port, *(PurePosixPath(path).name for path in files))


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
