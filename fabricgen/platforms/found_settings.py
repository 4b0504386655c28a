"""Settings of a found switch in the words of the intent, put together from what its files configure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fabricgen.platforms.found import FoundSetting, FoundSwitch, Spot, secret_reference
from fabricgen.platforms.found_links import is_address
from fabricgen.platforms.reading.reader import number_of

Timers = Mapping[str, tuple[str, int, str]]
"""Word of a platform for a timer, by key of the intent; which of its values it is, and what they are by themselves."""


class Queues(NamedTuple):
    """Queues of a port, by traffic class.

    Attributes:
        points: Traffic class of each code point.
        paused: Under PFC.
        strict: Served first.
        weights: Share of the others, percent.
        marks: Thresholds of those that mark: from and to so many bytes, percent there.
    """

    points: Mapping[int, int]
    paused: Collection[int]
    strict: Collection[int]
    weights: Mapping[int, int]
    marks: Mapping[int, tuple[int, int, int]]


def describe_contract(ports: Mapping[int, tuple[Queues, Spot]]) -> Iterator[FoundSetting]:
    """Yield mode and classes of the first port, and the thresholds of each, by speed.

    Files have no names of classes, so these are named by what they do, as the defaults of the intent are.
    """
    for queues, spot in list(ports.values())[:1]:
        lossless = {*queues.paused, *queues.marks}
        mode = "ecn_only" if not queues.paused else "dcqcn" if queues.marks else "pfc_only"
        if lossless:
            yield FoundSetting("lossless.mode", mode, spot)
        if classes := _classes(queues, lossless):
            yield FoundSetting("lossless.classes", classes, spot)
    for speed, (queues, spot) in ports.items():
        for marks in list(queues.marks.values())[:1] if speed else ():
            values = dict(zip(("kmin_bytes", "kmax_bytes", "pmax_pct"), marks, strict=True))
            yield FoundSetting(f"lossless.ecn.{speed}G", values, spot)


def _classes(queues: Queues, lossless: Collection[int]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    rest = Counter(queues.points.values()).most_common(1)
    for number in sorted({*queues.points.values(), *lossless}) if rest else ():
        is_strict = number in queues.strict
        name = "control" if number == max(queues.strict, default=-1) else "cnp" if is_strict else "class"
        name = "roce" if number in lossless else name
        row: dict[str, Any] = {"dscp": [point for point, at in queues.points.items() if at == number]}
        if number == rest[0][0]:
            name, row = "default", {}
        weight = {} if is_strict or not queues.weights.get(number) else {"weight_pct": queues.weights[number]}
        flags = {key: True for key, on in (("lossless", number in lossless), ("strict", is_strict)) if on}
        found[f"{name}{number}" if name in found else name] = {**row, "priority": number, **flags, **weight}
    return found


def describe_switch(name: str, platform: str, identity: Mapping[str, tuple[Any, Spot]], **parts: Any) -> FoundSwitch:
    """Return a switch, given its own values with their places, and its ports, sessions and settings."""
    values = {key: value for key, (value, _) in identity.items()}
    return FoundSwitch(name, platform, {key: spot for key, (_, spot) in identity.items()}, **values, **parts)


def describe_session(
    timers: Timers, bfd: str, ttl: str, look: Callable[[str], tuple[str, Spot]]
) -> Iterator[FoundSetting]:
    """Yield timers and guards of a session, by their words; ``look`` gives what a word sets and where, or nothing."""
    for key, (word, at, default) in timers.items():
        value, spot = look(word)
        yield FoundSetting(f"routing.timers.{key}", number_of((value or default).split()[at]), spot)
    for key, word in (("routing.bfd", bfd), ("routing.security.ttl", ttl)):
        value, spot = look(word)
        yield FoundSetting(key, "on" if value else "off", spot)
    value, spot = look("password")
    if value:
        yield FoundSetting("routing.security.key", secret_reference(value.rpartition(" ")[2]), spot)


def describe_services(parts: Iterable[tuple[str, Any, Spot]]) -> Iterator[FoundSetting]:
    """Yield the services that have a value; of lists of servers those with an address, which the intent has."""
    for key, value, spot in parts:
        own = list(filter(is_address, value)) if key in ("ntp", "syslog", "dns") else value
        if own:
            yield FoundSetting(f"operations.{key}", own, spot)
        elif key == "access.management":
            yield FoundSetting("operations.access.acl", False, spot)


def tacacs(servers: list[str], key: str) -> dict[str, Any] | None:
    """Return the value of ``operations.tacacs``; None without servers."""
    return {"servers": servers, "key": secret_reference(key)} if servers else None


def snmp(community: str, texts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the value of ``operations.snmp``; None without a community."""
    found = {"community": secret_reference(community)} if community else None
    return found and found | {key: text for key, text in texts.items() if text}


def gnmi(port: int, files: Iterable[str]) -> dict[str, Any] | None:
    """Return the value of ``operations.gnmi``, given certificate, key and authority; None if one is not named.

    Platforms that know files by their names alone do not say in which folder they were.
    """
    names = list(files)
    keys = ("server_crt", "server_key", "ca_crt")
    return {"port": port, **{key: f"/{name}" for key, name in zip(keys, names, strict=True)}} if all(names) else None


def user(name: str, ssh_key: object, password_hash: object) -> dict[str, Any]:
    """Return a login of ``operations.users``."""
    key = {"ssh_key": ssh_key} if ssh_key else {}
    return {"name": name, **key, "password_hash": secret_reference(str(password_hash))}
