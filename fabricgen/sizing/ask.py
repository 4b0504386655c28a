"""From what a person asks for to requests: numbers read, names looked up, defaults filled in, refusals and choices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import NamedTuple, NoReturn, TypeVar

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.catalog.host_records import NicModel, ServerModel
from fabricgen.catalog.library import KNOWN_FAULTS, known_models, near_names
from fabricgen.diagnostics import Bag, Diagnostic, Severity
from fabricgen.diagnostics.words import or_list
from fabricgen.physics.capacity import SLOT_LANES_MAX, slot_gbps
from fabricgen.platforms.manifest.discover import discover_platforms, find_roots
from fabricgen.sizing.fabric import FabricSize
from fabricgen.sizing.request import LINKS, CableLength, SizingRequest, Unfit

GPUS_MAX = 1_000_000
"""Far beyond any training fabric; a slip of a few zeros ends here."""
_DIGITS_MAX = 15
_FACTORS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_COUNT = re.compile(rf"[0-9]{{1,{_DIGITS_MAX}}}|[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,4}}")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*([a-z/%]*)", re.IGNORECASE | re.ASCII)
_RATIO = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)(?::(\d{1,4}(?:\.\d{1,3})?))?", re.ASCII)
_SPEED = re.compile(r"(\d{2,4})\s*(?:G(?:bE|bps|b/s|bit/s)?)?", re.IGNORECASE | re.ASCII)


class AskError(ValueError):
    """An option that cannot be met; ``option`` is its name on the command line."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


def read_count(option: str, text: str, most: int = GPUS_MAX) -> int:
    """Return a whole number such as ``2048`` or ``2,048``; raises AskError if it is none, or out of range."""
    count = int(text.replace(",", "")) if _COUNT.fullmatch(text.strip()) else 0
    if not 1 <= count <= most:
        raise AskError(option, f"{text!r} is not a whole number from 1 to {most}.")
    return count


def read_amount(option: str, text: str, example: str) -> float:
    """Return a positive number such as ``70.6B``; raises AskError if it is missing or none."""
    number, unit = _split(text)
    value = number * _FACTORS.get(unit.upper(), 0.0)
    if value <= 0:
        written = f"{text!r} is not a number; write" if text else "is missing; give"
        raise AskError(option, f"{written} one such as {example}.")
    return value


def read_quantity(option: str, text: str, units: tuple[str, ...], example: str) -> float:
    """Return a positive number with a unit in lower case or none; raises AskError, with an example, if it is none."""
    number, unit = _split(text)
    if number <= 0 or unit.lower() not in ("", *units):
        raise AskError(option, f"{text!r} is not a positive number of {units[0]}; write one such as {example}.")
    return number


def read_share(option: str, text: str) -> float:
    """Return a share of a whole, written as ``0.4`` or ``40%``; raises AskError if it is none, or more than all."""
    number, unit = _split(text)
    share = number / 100 if unit == "%" else number
    if not 0 < share <= 1 or unit not in ("", "%"):
        raise AskError(option, f"{text!r} is not a share of the peak; write one such as 0.4 or 40%.")
    return share


def read_ratio(option: str, text: str) -> Fraction:
    """Return a ratio such as ``16:15``, ``2`` or ``1.5``; raises AskError if it is none."""
    match = _RATIO.fullmatch(text.strip())
    if not match or not Fraction(match[1]) or not Fraction(match[2] or 1):
        raise AskError(
            option, f"{text!r} is not a ratio; write downlink to uplink bandwidth, such as 1:1, 2:1 or 16:15."
        )
    return Fraction(match[1]) / Fraction(match[2] or 1)


def read_speed(option: str, text: str) -> int:
    """Return a speed such as ``400G``, Gb/s; raises AskError if it is none."""
    match = _SPEED.fullmatch(text.strip())
    if not match:
        raise AskError(option, f"{text!r} is not a speed; write Gb/s, such as 400G.")
    return int(match[1])


def _split(text: str) -> tuple[float, str]:
    """A number and its unit; 0 if it is none, or has more digits than any amount needs."""
    match = _NUMBER.fullmatch(text.strip())
    return (float(match[1]), match[2]) if match and len(match[1]) <= _DIGITS_MAX else (0.0, "")


Record = TypeVar("Record")

PLANES_MAX = 8
"""Ports of a NIC at most."""
_CABLE = re.compile(r"([a-z-]+)=(dac|aec|aoc|mmf|smf):(\d{1,6}(?:\.\d)?)\s*m?", re.ASCII)


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
        switches=_named("switches", own), nics=_named("nics", own), servers=_named("servers", own), bag=found, own=own
    )
    bag.extend([item for item in found if item.severity.value == "error"])
    return Shelf(catalog, sorted(discover_platforms("switch", find_roots(Bag()), Bag())), own)


def _named(kind: str, own: Sequence[OwnFolder]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(known_models(kind, own), ())


def make_request(asked: SizingOptions, shelf: Shelf) -> SizingRequest:
    """Turn options into a request; raises AskError if an option cannot be met."""
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
    """Return a server with GPUs; raises AskError if there is none of that name."""
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
    near = near_names(name, known)
    meant = f"; did you mean {or_list(near)}?" if near else "."
    raise AskError(option, f"there is no {noun} {name!r}{meant} See: fabricgen catalog {kind}")


_SHOWN = 3
_WEIGHT = {Severity.INFO: 1, Severity.WARNING: 2, Severity.ERROR: 3}


class Option(NamedTuple):
    """A switch and a platform on which the request fits, with what checks find, apart for the servers."""

    size: FabricSize
    remarks: tuple[Diagnostic, ...]
    of_hosts: tuple[Diagnostic, ...]

    def key(self, shared: Set[str]) -> tuple[int, int, int, int, str, str]:
        """Order of options: without remarks first, then by switches and optics; known faults are mended in time.

        Codes that every option has are no reason to prefer one.
        """
        remarks = [item for item in self.remarks if item.code not in shared and item.record[:1] != (KNOWN_FAULTS,)]
        worst = max((_WEIGHT[item.severity] for item in remarks), default=0)
        size = self.size
        return worst, size.switches, size.optics, len(remarks), size.boxes.platform, size.boxes.leaf.id


class UnfitSwitch(NamedTuple):
    """A switch and a platform on which the request does not fit, and why."""

    switch: str
    platform: str
    unfit: Unfit


class Ranking(NamedTuple):
    """Every choice, and the best of those that meet all options; None if none does."""

    best: Option | None
    options: list[Option]
    refused: list[UnfitSwitch]


def explain_refusal(asked: SizingOptions, ranking: Ranking) -> Iterator[str]:
    """Yield lines that say why nothing meets the options, and which alternatives do."""
    named = [one for one in ranking.refused if _is_asked(one, asked)]
    if not asked.switch:
        platform = f" under {asked.platform}" if asked.platform else ""
        yield f"No switch of the catalog holds {asked.gpus} GPUs of {asked.server}{platform} with these options."
        named = sorted(named, key=lambda one: "too many" not in one.unfit.why)[:_SHOWN]
    elif not named:
        yield f"No platform of this catalog runs on {asked.switch}: see fabricgen catalog switches {asked.switch}."
    for one in named:
        yield f"{one.switch} under {one.platform}: {one.unfit.why}."
        if one.unfit.remedy:
            yield f"  What would: {one.unfit.remedy}."
    if ranking.options:
        best = ranking.options[0].size.boxes
        yield f"Fits: --switch {best.leaf.id} --platform {best.platform}."


def _is_asked(one: UnfitSwitch, asked: SizingOptions) -> bool:
    return asked.switch in ("", one.switch) and asked.platform in ("", one.platform)
