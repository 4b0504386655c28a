"""Loading the records an intent names, and only those; values without a public source are reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.fault_records import KnownFault
from fabricgen.catalog.host_records import NicModel, NvlinkGeneration, ServerModel
from fabricgen.catalog.library import KNOWN_FAULTS, OwnFolder, find_file, is_plain_name, known_models, near_names
from fabricgen.catalog.records import Asic, EcnProfile, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.diagnostics.words import or_list
from fabricgen.validation.file_faults import FileFaults

if TYPE_CHECKING:
    from fabricgen.source import Document


READ_BY = {
    **dict.fromkeys(("rails.nic", "rails.gpu", "rails.switch", "rails.pairing"), "lspci -tvD"),
    "rails.numa": "lstopo",
    "numa_nodes": "lstopo",
    "cpu_vendor": "lscpu",
    "pcie_gen": "lspci -vv, LnkCap",
    "pcie_lanes": "lspci -vv, LnkCap",
    "mtu_max_bytes": "ip -d link, maxmtu",
    "lanes": "ethtool of a link at each speed",
    "every field": "lspci -tvD and lstopo",
}
"""Commands that show a value on the hardware itself. Everything else only the maker can publish."""


def report_unconfirmed(
    kind: str,
    noun: str,
    name: str,
    named_at: IntentPath,
    record: Asic | EcnProfile | NicModel | ServerModel | SwitchModel,
    bag: Bag,
) -> None:
    """Warn about values of a record the user can confirm, and list the unpublished ones: one diagnostic of each."""
    fields = _fields(record)
    readable = [field for field in fields if field in READ_BY and kind != "switches"]
    closed = [field for field in fields if field not in readable]
    if readable:
        ways = ", ".join(dict.fromkeys(READ_BY[field] for field in readable))
        message = f"{noun} {name} has no public source for {', '.join(readable)}"
        hint = f"compare with one {noun} ({ways}) and write catalog/{kind}/{name}.yaml beside the inventory"
        bag.add(codes.UNCONFIRMED, message, named_at, hint=hint, record=(kind, name, "unconfirmed"))
    if closed:
        message = f"no public source has {', '.join(closed)} of {noun} {name}"
        hint = "no action needed: missing values are not checked, the others are unconfirmed"
        bag.add(codes.UNPUBLISHED, message, named_at, hint=hint, record=(kind, name, "unconfirmed"))


def _fields(record: Asic | EcnProfile | NicModel | ServerModel | SwitchModel) -> list[str]:
    """Fields without a source, of the record and of what it refers to."""
    fields = record.provenance.unsourced
    if isinstance(record, SwitchModel):
        fields += [f"asic.{name}" for name in record.asic.provenance.unsourced]
        profiles = {profile.name: profile.provenance for profile in record.ecn_profiles}
        fields += [f"ecn.{name}.{item}" for name, provenance in profiles.items() for item in provenance.unsourced]
    return fields


_NOUNS = {"switches": "switch", "nics": "NIC", "servers": "server", "ecn": "ECN profile"}
SHARED = "name a folder that inventories share on the command line: --catalog DIR"
_PLACEHOLDER_CUTOFF = 0.8
"""Above this likeness a misspelt name is read as its neighbour, so that later stages have something to check."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The records an intent names, by the name it uses.

    A name that is missing here has a diagnostic in the bag. A misspelt name may lead to the record of its nearest
    neighbour, and a faulty file to a record without what is faulty, so that later stages can report more; the error
    in the bag keeps anything from being written.
    """

    switches: dict[str, SwitchModel] = field(default_factory=dict)
    nics: dict[str, NicModel] = field(default_factory=dict)
    servers: dict[str, ServerModel] = field(default_factory=dict)
    ecn_profiles: dict[str, EcnProfile] = field(default_factory=dict)
    nvlink: dict[str, NvlinkGeneration] = field(default_factory=dict)
    known_faults: dict[str, KnownFault] = field(default_factory=dict)


def load_catalog(
    *,
    switches: Mapping[str, IntentPath],
    nics: Mapping[str, IntentPath],
    servers: Mapping[str, IntentPath],
    bag: Bag,
    own: Sequence[OwnFolder] = (),
    ecn_profiles: Mapping[str, IntentPath] | None = None,
) -> Catalog:
    """Read the files of the models that intent paths name, with the ASICs, ECN profiles and NVLink they refer to.

    The first of the user's own folders that has a record takes precedence; every fault of a name or a file is reported.
    """
    shelf = _Shelf(own, bag)
    return Catalog(
        switches=_load_all("switches", switches, shelf),
        nics=_load_all("nics", nics, shelf),
        servers=_load_all("servers", servers, shelf),
        ecn_profiles=shelf.referred["ecn"] | _load_all("ecn", ecn_profiles or {}, shelf),
        nvlink=shelf.referred["nvlink"],
    )


def load_named(kind: str, names: Iterable[str], bag: Bag, own: Sequence[OwnFolder] = ()) -> dict[str, Any]:
    """Read the files of some ASICs or generations of NVLink, whether a record refers to them or not."""
    shelf = _Shelf(own, bag)
    return {name: record for name in names if (record := shelf.take(kind, name, ())) is not None}


def load_faults(platforms: Iterable[str], bag: Bag, own: Sequence[OwnFolder] = ()) -> dict[str, KnownFault]:
    """Read the known faults of some platforms, the user's own among them."""
    begins = tuple(f"{platform}_" for platform in platforms)
    names = [name for name in known_models(KNOWN_FAULTS, own) if name.startswith(begins)]
    return load_named(KNOWN_FAULTS, names, bag, own)


class _Shelf:
    """Reads files for one load; what several switches refer to is read once."""

    __slots__ = ("bag", "own", "referred")

    def __init__(self, own: Sequence[OwnFolder], bag: Bag) -> None:
        self.own = own
        self.bag = bag
        self.referred: dict[str, dict[str, Any]] = {"asics": {}, "ecn": {}, "nvlink": {}}

    def take(self, kind: str, name: str, named_at: IntentPath) -> Any:
        """Read one file; None if there is none, or if it cannot be read as a record at all.

        A record with faults, which are then in the bag, is better than none: later stages have something to check,
        and the errors keep anything from being written.
        """
        file = find_file(kind, name, self.own)
        document = None if file is None else _load_file(*file, named_at, self.bag)
        if document is None:
            return None
        from fabricgen.catalog.reading import read_record

        return read_record(kind, name, FileFaults(self.bag, document, named_at), partial(self._refer, named_at))

    def _refer(self, named_at: IntentPath, kind: str, name: str) -> Any:
        """Return a record that a switch or server refers to; None if the catalog has none."""
        known = self.referred[kind]
        if name not in known and (record := self.take(kind, name, named_at)) is not None:
            known[name] = record
        return known.get(name)


def _load_file(path: Path, inside: Path | None, named_at: IntentPath, bag: Bag) -> Document | None:
    """Read the text of a record; its faults say what asks for it."""
    from fabricgen.source import load_data
    from fabricgen.source.source_codes import OUTSIDE

    found = Bag()
    document = load_data(path, found, inside=inside)
    asked = (Related("the record is used here", path=named_at),) if named_at else ()
    for fault in found:
        hint = SHARED if fault.code == OUTSIDE.id else fault.hint
        bag.extend([replace(fault, hint=hint, related=(*fault.related, *asked))])
    return document


def _load_all(kind: str, names: Mapping[str, IntentPath], shelf: _Shelf) -> dict[str, Any]:
    records = {}
    for name, named_at in names.items():
        if find_file(kind, name, shelf.own) is not None:
            record = shelf.take(kind, name, named_at)
            if record is not None:
                report_unconfirmed(kind, _NOUNS[kind], name, named_at, record, shelf.bag)
        else:
            record = _placeholder(kind, name, named_at, shelf)
        if record is not None:
            records[name] = record
    return records


def _placeholder(kind: str, name: str, named_at: IntentPath, shelf: _Shelf) -> Any:
    """Report a name without a file; the record of its nearest neighbour if that is near enough."""
    if not is_plain_name(name):
        message = f"{name!r} cannot be the name of a {_NOUNS[kind]}"
        shelf.bag.add(codes.UNSAFE_NAME, message, named_at, hint="use letters, digits, '_' and '-' only")
        return None
    known = known_models(kind, shelf.own)
    near = near_names(name, known)
    meant = f"did you mean {or_list(near)}? " if near else ""
    written = f"write catalog/{kind}/{name}.yaml beside the inventory to add it"
    hint = f"{meant}{written}, or name the folder that has it with --catalog"
    nearest = get_close_matches(name, known, 1, _PLACEHOLDER_CUTOFF)
    shelf.bag.add(codes.UNKNOWN_MODEL, f"the catalog has no {_NOUNS[kind]} {name}", named_at, hint=hint)
    # The faults of an unused record would only hide the misspelt name.
    return _Shelf(shelf.own, Bag()).take(kind, nearest[0], ()) if nearest else None
