"""From what a person asks for to requests: names looked up, defaults filled in, what makes no sense refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeVar

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.catalog.host_records import NicModel, ServerModel
from fabricgen.catalog.library import known_models
from fabricgen.diagnostics import Bag, Nearest
from fabricgen.diagnostics.words import or_list
from fabricgen.physics.capacity import SLOT_LANES_MAX, slot_gbps
from fabricgen.platforms.manifest.discover import discover_platforms, find_roots
from fabricgen.sizing.amounts import AskError, read_ratio, read_speed
from fabricgen.sizing.request import LINKS, CableLength, SizingRequest

Record = TypeVar("Record")

_NEAR_SHOWN = 3
PLANES_MAX = 8
"""Ports of a NIC at most."""
_CABLE = re.compile(r"([a-z-]+)=(dac|aec|aoc|mmf|smf):(\d{1,6}(?:\.\d)?)\s*m?")


class SizingOptions(NamedTuple):
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


def make_request(asked: SizingOptions, shelf: Shelf) -> SizingRequest:
    """Turn options into a request.

    Raises:
        AskError: An option cannot be met.
    """
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
    speed = read_speed("--speed", asked.speed) if asked.speed else default_speed(server, nic)
    if speed not in nic.lanes_by_gbps:
        runs = ", ".join(f"{one}G" for one in sorted(nic.lanes_by_gbps, reverse=True))
        raise AskError("--speed", f"{nic.id} does not run {speed}G; it runs {runs}.")
    return SizingRequest(
        gpus=asked.gpus,
        server=server,
        nic=nic,
        speed_gbps=speed,
        uplink_gbps=read_speed("--uplink", asked.uplink) if asked.uplink else speed,
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
    if name not in shelf.catalog.servers:
        _refuse_name(
            "--server", "server", name, [*dict.fromkeys((*gpu_servers(shelf), *shelf.catalog.servers))], "servers"
        )
    server = shelf.catalog.servers[name]
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


def _find_nic(asked: SizingOptions, server: ServerModel, shelf: Shelf, members: int) -> NicModel:
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


def _cables(texts: Sequence[str]) -> dict[str, CableLength]:
    found = {}
    for text in texts:
        match = _CABLE.fullmatch(text.strip().lower())
        if not match or match[1] not in LINKS or float(match[3]) <= 0:
            raise AskError(
                "--cable",
                f"{text!r} is not a cable; write LINK=MEDIUM:METRES, such as leaf-spine=smf:50. "
                f"Links are {', '.join(LINKS)}; media are dac, aec, aoc, mmf and smf.",
            )
        found[match[1]] = CableLength(match[2], float(match[3]))
    return found


def _find(option: str, noun: str, name: str, records: Mapping[str, Record], kind: str) -> Record:
    return records[name] if name in records else _refuse_name(option, noun, name, [*records], kind)


def _refuse_name(option: str, noun: str, name: str, known: Sequence[str], kind: str) -> NoReturn:
    wanted = name.lower().replace("-", "_")
    near = [one for one in known if wanted and wanted in one][:_NEAR_SHOWN]
    near = near or [one for one in [Nearest().find(wanted, known, 0.4)] if one]
    meant = f"; did you mean {or_list(near)}?" if near else "."
    raise AskError(option, f"there is no {noun} {name!r}{meant} See: fabricgen catalog {kind}")
