"""State that the plan expects of a device, as far as a lab can have it."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.lab.model.planned import linux_name
from fabricgen.state.expected import Expected, ExpectedLink
from fabricgen.state.sessions import ExpectedSession

UNFIT = "speed, FEC and RDMA devices of ports"
"""State within a check that a lab cannot have; checks of which it has nothing are named by themselves."""


def as_in_lab(expected: Expected) -> Expected:
    """Return the expectations of a device of a lab: cables without speed and FEC, ports as Linux can name them.

    Args:
        expected: The expectations of the device itself.
    """
    return replace(
        expected,
        release="",
        links=tuple(map(_to_link, expected.links)),
        sessions=tuple(map(_to_session, expected.sessions)),
        ports=frozenset(map(linux_name, expected.ports)),
        aliases={alias: linux_name(port) for alias, port in expected.aliases.items()},
    )


def _to_link(link: ExpectedLink) -> ExpectedLink:
    return replace(
        link,
        port=linux_name(link.port),
        peer_port=linux_name(link.peer_port),
        peer_names=frozenset(map(linux_name, link.peer_names)),
        speed_gbps=0,
        fec="",
    )


def _to_session(session: ExpectedSession) -> ExpectedSession:
    return replace(
        session,
        neighbor=linux_name(session.neighbor),
        port=linux_name(session.port),
        peer_port=linux_name(session.peer_port),
    )
