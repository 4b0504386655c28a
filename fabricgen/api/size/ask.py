"""From what a person asks for to requests: names looked up, defaults filled in, what makes no sense refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, NoReturn, TypeVar

from fabricgen.api.size.request import LINKS, Cable, Request
from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.catalog.host_records import NicModel, ServerModel
from fabricgen.catalog.library import known_models
from fabricgen.diagnostics import Bag, Nearest
from fabricgen.physics.pcie import SLOT_LANES_MAX, slot_gbps
from fabricgen.platforms.manifest.discover import discover_platforms, find_roots

Record = TypeVar("Record")

GPUS_MAX = 1_000_000
"""Far beyond any training fabric; a slip of a few zeros ends here."""
PLANES_MAX = 8
_RATIO = re.compile(r"(\d{1,4})(?::(\d{1,4}))?")
_CABLE = re.compile(r"([a-z-]+)=(dac|aec|aoc|mmf|smf):(\d{1,6}(?:\.\d)?)m?")
_SPEED = re.compile(r"(\d{2,4})G?", re.IGNORECASE)


class AskError(ValueError):
    """An option that cannot be met; ``option`` is its name on the command line."""

    def __init__(self, option: str, message: str) -> None:
        """Say what is wrong with an option."""
        super().__init__(message)
        self.option = option


class Asked(NamedTuple):
    """Options of a person; empty and 0 where something is left to fabricgen."""

    gpus: int
    server: str
    nic: str = ""
    switch: str = ""
    spine: str = ""
    core: str = ""
    platform: str = ""
    speed: str = ""
    uplink: str = ""
    ratio: str = "1:1"
    pod_ratio: str = "1:1"
    attachment: str = "rail"
    per_unit: int = 0
    pod_gpus: int = 0
    planes: int = 0
    dual_tor: bool = False
    cables: Sequence[str] = ()


class Shelf(NamedTuple):
    """Every record that a fabric can be sized with, and the platforms that are installed."""

    catalog: Catalog
    platforms: Sequence[str]
    own: Sequence[OwnFolder]


def load_shelf(own: Sequence[OwnFolder], bag: Bag) -> Shelf:
    """Read the whole catalog; ``bag`` takes what is wrong with the user's own records."""
    found = Bag()
    catalog = load_catalog(
        switches=_named("switches", own),
        nics=_named("nics", own),
        servers=_named("servers", own),
        bag=found,
        own=own,
    )
    bag.extend([item for item in found if item.severity.value == "error"])
    return Shelf(catalog, sorted(discover_platforms("switch", find_roots(Bag()), Bag())), own)


def _named(kind: str, own: Sequence[OwnFolder]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(known_models(kind, own), ())


def make_request(asked: Asked, shelf: Shelf) -> Request:
    """Turn options into a request.

    Raises:
        AskError: An option cannot be met.
    """
    _check_numbers(asked)
    server = find_server(asked.server, shelf)
    for option, name in (("--switch", asked.switch), ("--spine", asked.spine), ("--core", asked.core)):
        if name:
            _find(option, "switch", name, shelf.catalog.switches, "switches")
    if asked.platform and asked.platform not in shelf.platforms:
        _refuse_name("--platform", "platform", asked.platform, shelf.platforms, "platforms")
    members = 2 if asked.dual_tor else 1
    nic = _find_nic(asked, server, shelf, members)
    planes = asked.planes or nic.ports // members
    if planes * members != nic.ports:
        raise AskError("--planes" if asked.planes else "--dual-tor", _ports_message(nic, planes, members))
    speed = _speed("--speed", asked.speed) or default_speed(server, nic)
    return Request(
        gpus=asked.gpus,
        server=server,
        nic=nic,
        speed_gbps=speed,
        uplink_gbps=_speed("--uplink", asked.uplink) or speed,
        ratio=read_ratio("--ratio", asked.ratio),
        pod_ratio=read_ratio("--pod-ratio", asked.pod_ratio),
        planes=planes,
        leafs_per_group=members,
        whole_hosts=_is_top_of_rack(asked.attachment),
        per_unit=asked.per_unit,
        pod_gpus=_pod_gpus(asked.pod_gpus, server),
        cables=_cables(asked.cables),
    )


def find_server(name: str, shelf: Shelf) -> ServerModel:
    """Return a server with GPUs.

    Raises:
        AskError: There is none of that name.
    """
    server = _find("--server", "server", name, shelf.catalog.servers, "servers")
    if not server.gpus:
        raise AskError("--server", f"{name} has no GPUs; with some are {', '.join(gpu_servers(shelf))}.")
    return server


def gpu_servers(shelf: Shelf) -> list[str]:
    """Names of the servers with GPUs, those whose PCI addresses are public first."""
    servers = [server for server in shelf.catalog.servers.values() if server.gpus]
    return [
        server.id for server in sorted(servers, key=lambda one: (not has_pci_map(one), one.id != "dgx_h100_8", one.id))
    ]


def has_pci_map(server: ServerModel) -> bool:
    """Return whether the catalog knows where every NIC sits, which the names of rails come from."""
    return all(slot.nic_bdf for slot in server.rails)


def default_speed(server: ServerModel, nic: NicModel) -> int:
    """Return the fastest speed of a NIC that its slot carries on all ports, Gb/s; else its slowest."""
    room = slot_gbps(server.pcie_gen, server.pcie_lanes or SLOT_LANES_MAX)
    fitting = [speed for speed in nic.lanes_by_gbps if room is None or speed * nic.ports <= room]
    return max(fitting, default=min(nic.lanes_by_gbps))


def _find_nic(asked: Asked, server: ServerModel, shelf: Shelf, members: int) -> NicModel:
    """The NIC that is named, else the fastest that the slot carries and that files can be rendered for."""
    if asked.nic:
        return _find("--nic", "NIC", asked.nic, shelf.catalog.nics, "nics")
    families = discover_platforms("nic", find_roots(Bag()), Bag())
    ports = (asked.planes or 1) * members
    fitting = [nic for nic in shelf.catalog.nics.values() if nic.family in families and nic.ports == ports]
    if not fitting:
        option = "--planes" if asked.planes else "--dual-tor"
        raise AskError(option, f"the catalog has no NIC with {ports} ports; name one with --nic.")
    return min(fitting, key=lambda nic: (-default_speed(server, nic), len(nic.provenance.unconfirmed), nic.id))


def _check_numbers(asked: Asked) -> None:
    if not 1 <= asked.gpus <= GPUS_MAX:
        raise AskError("--gpus", f"{asked.gpus} is not a number of GPUs; give one from 1 to {GPUS_MAX}.")
    for option, value in (("--per-unit", asked.per_unit), ("--pod-gpus", asked.pod_gpus), ("--planes", asked.planes)):
        if value < 0:
            raise AskError(option, f"{value} is negative; give a number from 1, or leave it out.")
    if asked.planes > PLANES_MAX:
        raise AskError("--planes", f"{asked.planes} are too many: NICs have at most {PLANES_MAX} ports.")


def _pod_gpus(gpus: int, server: ServerModel) -> int:
    if gpus and gpus < server.gpus:
        raise AskError("--pod-gpus", f"{gpus} GPUs are less than one {server.id}, which has {server.gpus}.")
    return gpus


def _ports_message(nic: NicModel, planes: int, members: int) -> str:
    need = f"{planes} plane{'s' * (planes > 1)}" + (" of paired leafs" if members > 1 else "")
    return (
        f"{nic.id} has {nic.ports} port{'s' * (nic.ports > 1)}; {need} need {planes * members}: "
        "one port goes to each leaf that a rail meets. Name another NIC with --nic, or another number of planes."
    )


def _is_top_of_rack(attachment: str) -> bool:
    if attachment not in ("rail", "host"):
        raise AskError(
            "--attachment", f"{attachment!r} is unknown; use rail (one leaf per rail) or host (top-of-rack leafs)."
        )
    return attachment == "host"


def read_ratio(option: str, text: str) -> Fraction:
    """Return a ratio such as ``16:15``.

    Raises:
        AskError: It is none.
    """
    match = _RATIO.fullmatch(text)
    if not match or not int(match[1]) or not int(match[2] or 1):
        raise AskError(
            option, f"{text!r} is not a ratio; write downlink to uplink bandwidth, such as 1:1, 2:1 or 16:15."
        )
    return Fraction(int(match[1]), int(match[2] or 1))


def _speed(option: str, text: str) -> int:
    match = _SPEED.fullmatch(text) if text else None
    if text and not match:
        raise AskError(option, f"{text!r} is not a speed; write Gb/s, such as 400G.")
    return int(match[1]) if match else 0


def _cables(texts: Sequence[str]) -> dict[str, Cable]:
    found = {}
    for text in texts:
        match = _CABLE.fullmatch(text)
        if not match or match[1] not in LINKS or float(match[3]) <= 0:
            raise AskError(
                "--cable",
                f"{text!r} is not a cable; write LINK=MEDIUM:METRES, such as leaf-spine=smf:50. "
                f"Links are {', '.join(LINKS)}; media are dac, aec, aoc, mmf and smf.",
            )
        found[match[1]] = Cable(match[2], float(match[3]))
    return found


def _find(option: str, noun: str, name: str, records: Mapping[str, Record], kind: str) -> Record:
    return records[name] if name in records else _refuse_name(option, noun, name, [*records], kind)


def _refuse_name(option: str, noun: str, name: str, known: Sequence[str], kind: str) -> NoReturn:
    near = Nearest().find(name.lower().replace("-", "_"), known, 0.4)
    meant = f"; did you mean {near}?" if near else "."
    raise AskError(option, f"there is no {noun} {name!r}{meant} See: fabricgen catalog {kind}")
