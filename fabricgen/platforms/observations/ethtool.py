"""Answers of ``ethtool`` about the ports of a Linux system, each under a line ``port NAME``.

Source:
    ethtool 6.11 (pmachata/ethtool 891500fc59): sff-common.c, sff-common.h, qsfp.c, cmis.c, sfpdiag.c for modules;
    netlink/fec.c for FEC; ethtool(8), option -S for the statistics of a driver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fabricgen.platforms.observations.content import MisreadError, as_measure, as_number, decode_text, refuse_nothing
from fabricgen.platforms.observations.records import (
    BIAS,
    RX_POWER,
    TEMPERATURE,
    TX_POWER,
    UNCORRECTED,
    VOLTAGE,
    Counter,
    Level,
    Module,
    Observation,
    PortState,
)

_PORT = re.compile(r"^port (\S+)$", re.MULTILINE)
_IDENTITY = re.compile(r"^\tIdentifier +:", re.MULTILINE)
_MEASURE = re.compile(
    r"^\t(Laser tx bias current|Laser bias current|Transmit avg optical power|Laser output power"
    r"|Rcvr signal avg optical power|Receiver signal average optical power|Receiver signal OMA"
    r"|Module temperature|Module voltage)(?: \(Channel ([0-9]+)\))? +: (?:[0-9.]+ mW / )?(-?[0-9.]+|-inf)\b",
    re.MULTILINE,
)
_ALARM = re.compile(
    r"^\t(Laser bias current|Laser output power|Laser rx power|Module temperature|Module voltage) (high|low) alarm"
    r" threshold +: (?:[0-9.]+ mW / )?(-?[0-9.]+|-inf)\b",
    re.MULTILINE,
)
_QUANTITIES = {
    "Laser tx bias current": BIAS,
    "Laser bias current": BIAS,
    "Transmit avg optical power": TX_POWER,
    "Laser output power": TX_POWER,
    "Laser rx power": RX_POWER,
    "Rcvr signal avg optical power": RX_POWER,
    "Receiver signal average optical power": RX_POWER,
    "Receiver signal OMA": RX_POWER,
    "Module temperature": TEMPERATURE,
    "Module voltage": VOLTAGE,
}
_NOTHING = (0.0, float("-inf"))
_UNCORRECTED = re.compile(r"^ +uncorrectable_blocks: ([0-9]+)$", re.MULTILINE)
_MODE = re.compile(r"^Active FEC encodings?: *(\S+)", re.MULTILINE)
_MODES = {"RS": "rs", "BaseR": "fc", "Off": "none"}
_STATISTIC = re.compile(r"^ *(\S+): ([0-9]+)$", re.MULTILINE)


def split_ports(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield what an answer says of each port.

    Raises:
        MisreadError: It names no port.
    """
    text = decode_text(data)
    heads = list(_PORT.finditer(text))
    if not heads:
        raise MisreadError("it has no line that names a port")
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return ((head[1], text[head.end() : end]) for head, end in zip(heads, ends, strict=True))


def read_statistics(data: bytes) -> list[tuple[str, dict[str, int]]]:
    """Return the statistics of each port, by their names, of ``ethtool -S``; a port may have none.

    Raises:
        MisreadError: What is said of a port is no statistic.
    """
    found = []
    for port, text in split_ports(data):
        values = {match[1]: as_number(match[2], f"{port} {match[1]}") for match in _STATISTIC.finditer(text)}
        if text.strip() and not values:
            raise MisreadError(f"what it has of {port} is no statistic")
        found.append((port, values))
    return found


def read_optics(data: bytes) -> list[Observation]:
    """Return what the modules of ``ethtool -m`` measure; a copper cable measures nothing."""
    ports = list(split_ports(data))
    found: list[Observation] = []
    for port, text in ports:
        if _IDENTITY.search(text):
            found += [Module(port), *_levels(port, text)]
    refuse_nothing(found, "module with an identity", _lack(ports, "Offset\t", "no module answers"))
    return found


def _lack(ports: Sequence[tuple[str, str]], sign: str, reason: str) -> str:
    """Return the reason why no port has something; empty where what is said of ports has no sign of their command."""
    return "" if any(text.strip() and sign not in text for _, text in ports) else reason


def _levels(port: str, text: str) -> Iterator[Level]:
    """Yield the levels of a module; a lane that neither sends nor receives, and has no bias, is none of its lanes."""
    limits = {
        (_QUANTITIES[match[1]], match[2]): as_measure(match[3], f"{port} {match[1]}") for match in _ALARM.finditer(text)
    }
    found = []
    for match in _MEASURE.finditer(text):
        name, value = _QUANTITIES[match[1]], as_measure(match[3], f"{port} {match[1]}")
        lane = None if name in (TEMPERATURE, VOLTAGE) else int(match[2] or 1)
        found.append(Level(port, name, value, limits.get((name, "low")), limits.get((name, "high")), lane))
    lit = {level.lane for level in found if level.value not in _NOTHING}
    yield from (level for level in found if level.lane in lit)


def read_fec(data: bytes) -> list[Observation]:
    """Return the codewords of ``ethtool -I --show-fec`` that FEC could not correct."""
    ports = list(split_ports(data))
    counts = [(port, _UNCORRECTED.search(text)) for port, text in ports]
    found: list[Observation] = [
        Counter(port, UNCORRECTED, as_number(match[1], f"{port} uncorrectable_blocks"))
        for port, match in counts
        if match
    ]
    refuse_nothing(found, "codewords of FEC", _lack(ports, "FEC", "no port counts codewords of FEC"))
    return found


def read_fec_modes(data: bytes) -> list[Observation]:
    """Return the FEC in operation of ``ethtool --show-fec``, in words of the catalog."""
    ports = list(split_ports(data))
    modes = ((port, _MODE.search(text)) for port, text in ports)
    found: list[Observation] = [PortState(port, fec=_MODES.get(match[1], "")) for port, match in modes if match]
    refuse_nothing(found, "FEC in operation", _lack(ports, "FEC", "no port has its FEC in operation"))
    return found
