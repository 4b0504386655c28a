"""Automation of a platform: login, typing and answers of a device, for a tool that carries a rollout out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from fabricgen.platforms.manifest.values import Line
from fabricgen.validation.records import Misfit, record


@record
class SessionsAnswer(NamedTuple):
    """Places of BGP sessions in the JSON that the state reading ``sessions`` of the platform gives.

    Attributes:
        neighbors: Keys that lead to a map of neighbours, joined by dots, for each map that there may be.
        state: Key of a neighbour's state in it.
        established: The state in which routes are exchanged.
    """

    neighbors: tuple[Line, ...]
    state: Line
    established: Line


@record
class Automation(NamedTuple):
    """Operation of a device over SSH.

    Attributes:
        shell: ``posix`` where a login takes the commands of a Unix shell; ``cli`` where it has its own command line.
        network_os: Ansible's name of that command line.
        commits: First word of the command by which typed lines take effect.
        abandons: Command that drops them.
        saves: Command that saves a change after its confirmation, where no command of the rollback takes it back from
            then on; empty where the rollback does.
        sessions: How the reading of BGP sessions is understood.
    """

    shell: Literal["posix", "cli"]
    network_os: Line = ""
    commits: Line = ""
    abandons: Line = ""
    saves: Line = ""
    sessions: SessionsAnswer | None = None

    def misfits(self) -> Iterator[Misfit]:
        """Yield what a command line needs and a shell has not."""
        for key in ("network_os", "commits", "abandons"):
            if bool(getattr(self, key)) is not (self.shell == "cli"):
                yield Misfit((key,), "is needed where shell is cli, and only there")
