"""Real packets between devices of a lab: sockets that live in their namespaces, all held by this one process."""

from __future__ import annotations

import ipaddress
import select
import socket
import struct
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.lab.lifecycle.kernel import inside
from fabricgen.lab.model.blueprint import PROBE_PORT

_SENT_TTL = 64
_STAMP = struct.Struct("!QI")
_RECEIVE_BYTES = 16 << 20
_SO_RCVBUFFORCE, _IP_MTU_DISCOVER, _IP_RECVTTL, _IPV6_MTU_DISCOVER, _PROBE = 33, 10, 12, 23, 3
"""Linux names that the socket module lacks; with PROBE a datagram carries don't-fragment and no MTU is remembered."""
_IP_TTL, _IPV6_HOPLIMIT = (socket.IPPROTO_IP, socket.IP_TTL), (socket.IPPROTO_IPV6, socket.IPV6_HOPLIMIT)
_IP_UNICAST_IF, _IPV6_UNICAST_IF = (socket.IPPROTO_IP, 50), (socket.IPPROTO_IPV6, 76)
_UDP_BYTES = 8


class PacketEnd(NamedTuple):
    """Start or end of a packet's path: an address of an interface of a device.

    Attributes:
        pinned: What it sends leaves by the interface, as what a queue pair sends does, whatever other routes there are.

    Source:
        Linux drivers/infiniband/core/addr.c: the route of a RoCE address is looked up with its interface.
    """

    device: str
    interface: str
    address: str
    pinned: bool = False

    @property
    def header_bytes(self) -> int:
        """Length of IP and UDP headers in this address family."""
        return (40 if ":" in self.address else 20) + _UDP_BYTES

    def __str__(self) -> str:
        return f"{self.device} {self.interface}"


class Arrival(NamedTuple):
    """A datagram that arrived: its number, and how many routers it passed."""

    number: int
    routers: int


class UdpSocket:
    """One UDP socket of one place."""

    def __init__(self, namespace: str, place: PacketEnd, number: int = PROBE_PORT, *, forward: bool = True) -> None:
        """Open a UDP port of a place; OSError without its address. One for a link does not ``forward``."""
        self.place = place
        family = socket.AF_INET6 if ":" in place.address else socket.AF_INET
        with inside(namespace):
            self.socket = socket.socket(family, socket.SOCK_DGRAM)
            index = socket.if_nametoindex(place.interface)
        scope = index if place.address.startswith("fe80") else 0
        self._address: tuple[object, ...] = (place.address, number, 0, scope) if ":" in place.address else (
            place.address, number,
        )  # fmt: skip
        self.number = number
        self.scope = scope
        try:
            if place.pinned:
                option = _IPV6_UNICAST_IF if family == socket.AF_INET6 else _IP_UNICAST_IF
                self.socket.setsockopt(*option, socket.htonl(index))
            self._set_up(family, place, forward)
            self.socket.bind(self._address)
        except OSError:
            self.socket.close()
            raise
        self.socket.setblocking(False)

    def _set_up(self, family: int, place: PacketEnd, forward: bool) -> None:
        sock = self.socket
        sock.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BYTES)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, _IPV6_MTU_DISCOVER, _PROBE)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, _SENT_TTL)
        else:
            sock.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _PROBE)
            sock.setsockopt(socket.IPPROTO_IP, _IP_RECVTTL, 1)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, _SENT_TTL)
        if not forward:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_DONTROUTE, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, place.interface.encode())

    def target(self, other: UdpSocket) -> tuple[object, ...]:
        """The address of another port as this one sends to it."""
        if ":" in other.place.address:
            return (other.place.address, other.number, 0, self.scope)
        return (other.place.address, other.number)

    def send(self, stream: int, number: int, target: tuple[object, ...], padding_bytes: int = 0) -> str:
        """Send one datagram; why not, or an empty text."""
        try:
            self.socket.sendto(_STAMP.pack(stream, number).ljust(padding_bytes, b"\0"), target)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def receive(self, stream: int) -> Iterable[Arrival]:
        """Everything of one stream that has arrived."""
        while True:
            try:
                data, extra, _, _ = self.socket.recvmsg(64, 64)
            except OSError:
                return
            if len(data) < _STAMP.size:
                continue
            found, number = _STAMP.unpack_from(data)
            if found != stream:
                continue
            ttl = next((int.from_bytes(item[2][:4], "little") for item in extra if item[:2] in _TTLS), _SENT_TTL)
            yield Arrival(number, _SENT_TTL - ttl)

    def close(self) -> None:
        """Close."""
        self.socket.close()


_TTLS = (_IP_TTL, _IPV6_HOPLIMIT)


@dataclass(frozen=True, slots=True)
class Shot:
    """One datagram to send: from where, to where, how long in all; 0 for as short as can be."""

    source: UdpSocket
    target: UdpSocket
    length_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ShotResult:
    """Result of a shot: routers passed, or -1; ``error`` is that of the sender's kernel."""

    routers: int
    error: str = ""

    @property
    def arrived(self) -> bool:
        """Return whether it arrived."""
        return self.routers >= 0


class Listener:
    """Waits for datagrams at many ports at once."""

    def __init__(self, ports: Iterable[UdpSocket]) -> None:
        self._ports = {port.socket.fileno(): port for port in ports}
        self._poll = select.epoll()
        for number in self._ports:
            self._poll.register(number, select.EPOLLIN)

    def take(self, stream: int, wait_s: float, receive: Callable[[Arrival], None]) -> int:
        """Take what is there, waiting for the first if nothing is; how many there were."""
        found = 0
        for number, _ in self._poll.poll(wait_s, 256):
            for arrival in self._ports[number].receive(stream):
                receive(arrival)
                found += 1
        return found

    def close(self) -> None:
        """Forget the ports, which stay open."""
        self._poll.close()


_BATCH = 64
_SILENCE_S = 0.7


def shoot(shots: Sequence[Shot], *, tries: int = 3, silence_s: float = _SILENCE_S) -> list[ShotResult]:
    """Send datagrams and see which arrive; the others are tried again, as a first one may wait for ARP too long."""
    outcomes = [ShotResult(-1)] * len(shots)
    with closing(Listener({shot.target.socket.fileno(): shot.target for shot in shots}.values())) as listener:
        for attempt in range(tries):
            left = [at for at, outcome in enumerate(outcomes) if not outcome.arrived]
            if not left:
                break
            _shoot_once(shots, left, outcomes, listener, attempt, silence_s)
    return outcomes


def _shoot_once(
    shots: Sequence[Shot],
    left: list[int],
    outcomes: list[ShotResult],
    listener: Listener,
    attempt: int,
    silence_s: float,
) -> None:
    stream = time.monotonic_ns() + attempt

    def receive(arrival: Arrival) -> None:
        outcomes[arrival.number] = ShotResult(arrival.routers)

    waiting = 0
    for sent, at in enumerate(left, 1):
        shot = shots[at]
        padding = max(0, shot.length_bytes - shot.source.place.header_bytes)
        error = shot.source.send(stream, at, shot.source.target(shot.target), padding)
        if error:
            outcomes[at] = ShotResult(-1, error)
        else:
            waiting += 1
        if sent % _BATCH == 0:
            waiting -= listener.take(stream, 0, receive)
    last = time.monotonic()
    while waiting > 0 and time.monotonic() - last < silence_s:
        if found := listener.take(stream, 0.05, receive):
            waiting -= found
            last = time.monotonic()


def echo(namespace: str, source: PacketEnd, targets: Sequence[str], wait_s: float = 1.0) -> set[str]:
    """Return which addresses answer an ICMP echo request from a place; targets have one address family."""
    family6 = ":" in source.address
    with inside(namespace):
        if family6:
            sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        else:
            sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    request, reply = (128, 129) if family6 else (8, 0)
    answered: set[str] = set()
    with sock:
        sock.bind((source.address, 0))
        for number, target in enumerate(targets):
            packet = struct.pack("!BBHHH", request, 0, 0, PROBE_PORT, number)
            packet = struct.pack("!BBHHH", request, 0, _checksum(packet), PROBE_PORT, number)
            try:
                sock.sendto(packet, (target, 0))
            except OSError:
                continue
        deadline = time.monotonic() + wait_s
        while (left := deadline - time.monotonic()) > 0 and len(answered) < len(targets):
            sock.settimeout(left)
            try:
                data, origin = sock.recvfrom(256)
            except OSError:
                break
            body = data if family6 else data[(data[0] & 15) * 4 :]
            if len(body) >= 8 and body[0] == reply and int.from_bytes(body[4:6], "big") == PROBE_PORT:
                answered.add(str(ipaddress.ip_address(str(origin[0]).partition("%")[0])))
    return answered


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF
