"""Readings of a device: the commands that ``fabricgen collect`` runs there, and what becomes of each answer.

An answer is either the content of an output, below the device's folder in the layout that ``diff`` reads, or the
state of something that a check judges, one of ``STATES``, below ``state/``, or an output as the next reboot loads it,
below ``state/saved/``. ``fabricgen/collect/readings.py`` says where each lies.

A platform with an API over HTTPS gives the same answers there: eAPI takes the commands themselves, NVUE a path each.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Annotated, Literal, NamedTuple

from fabricgen.platforms.values import Line, RelativePath
from fabricgen.validation.forms import Form, Key, Misfit, record

STATES = {
    "sessions": "BGP neighbors: state, AS number, prefixes received and sent",
    "bfd": "BFD sessions and their state",
    "lldp": "neighbors that LLDP heard, by port",
    "routes": "IPv4 routes with their next hops",
    "routes6": "IPv6 routes with their next hops",
    "ports": "state, speed, FEC and MTU of ports",
    "errors": "errors and discards of ports",
    "queues": "packets and drops of queues",
    "pfc": "PFC frames, by port and priority",
    "watchdog": "storms that the PFC watchdog detected and ended",
    "ecn": "packets marked by ECN, by queue; of hosts, marked packets and CNPs",
    "contract": "settings of NIC ports: trust, PFC, DSCP map, traffic class of RDMA CM, CNPs, DCQCN; their firmware",
    "sysctl": "parameters of the kernel that are in effect",
    "netplan": "network settings of all files of netplan together",
    "units": "units of systemd with their drop-ins",
    "rdma": "RDMA devices of NIC ports, and their state",
    "fec": "codewords that FEC could not correct, by port",
    "fec_modes": "FEC in operation on ports, where that of ports does not have it",
    "optics": "light, temperature and voltage of transceivers, with their alarm thresholds",
    "system": "software version and uptime",
}
"""State readings by name; each answer is in the platform's own form, which a check has to know."""
SUDO = "{sudo}"
"""Word of a command that stands for ``sudo -n`` and a blank, or for nothing where the login may do everything."""
ABSENT = 44
"""Exit status of a command that reads a file, or asks for a state, which the device does not have."""
_READ_FILE = "{sudo}sh -c %s"
SAVED = "saved/"
"""Beginning of the name of an output as the next reboot loads it."""
EAPI, NVUE = "eapi", "nvue"
"""APIs over HTTPS: Arista's eAPI, NVIDIA's NVUE."""


@record
class Reading(NamedTuple):
    """A command and the form of its answer.

    Attributes:
        command: Command line as the device's login shell or CLI takes it; ``{sudo}`` in it is replaced.
        path: Output whose content the answer is; empty for a state reading.
        state: What is read, one of ``STATES``; empty for an output.
        saves: Output that is read as the next reboot loads it, in the form of the one that runs; empty for others.
        form: ``json`` where the whole answer is one JSON document.
        last: Last line of every complete answer; empty where an answer has no mark at its end.
        absent: Exit status that says that the device does not have what is read; 0 for none.
        shows: Output of which the answer shows what is in effect; empty for other answers.
        request: Path of NVUE that gives the same answer as JSON; empty where none does.
    """

    command: Line
    path: RelativePath = ""
    state: Annotated[str, Form("|".join(STATES), f"one of {', '.join(STATES)}")] = ""
    saves: RelativePath = ""
    form: Literal["json", "text"] = "text"
    last: Line = ""
    absent: Annotated[int, Key("")] = 0
    shows: RelativePath = ""
    request: Annotated[str, Form("/[!-~]*", "a path that begins with /, without blanks")] = ""

    def misfits(self) -> Iterator[Misfit]:
        """Yield an answer that is none of an output, a state and what is saved, or several of them."""
        if sum(map(bool, (self.path, self.state, self.saves))) != 1:
            yield Misfit(("command",), "needs one of path, state and saves beside it")

    @property
    def name(self) -> str:
        """Return the path of an output, the state, or the path with ``saved/`` before it; no two readings share it."""
        return self.path or self.state or f"{SAVED}{self.saves}"

    @property
    def output(self) -> str:
        """Return the output that the answer has the form of; empty for a state."""
        return self.path or self.saves

    @property
    def file_name(self) -> str:
        """Return the name of the file that an answer below ``state/`` becomes."""
        return self.name if self.saves else f"{self.state}.{'json' if self.form == 'json' else 'txt'}"


def read_file_as_it_is(path: str) -> Reading:
    """Return a reading of a file that tells an absent file from one that cannot be read; no slash leads its path."""
    name = quote(f"/{path}")
    return Reading(_READ_FILE % quote(f"test -e {name} || exit {ABSENT}; exec cat {name}"), path, absent=ABSENT)


def ask_api(api: str, reading: Reading) -> Reading | None:
    """Return a reading by SSH as an API, ``eapi`` or ``nvue``, is asked for it; None where the API does not give it."""
    if api == EAPI:
        return reading._replace(command=reading.command.replace(SUDO, ""))
    return reading._replace(command=f"GET {reading.request}", form="json", last="") if reading.request else None
