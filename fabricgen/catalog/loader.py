"""Loading the records an intent names, and only those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.asic_file import read_asic
from fabricgen.catalog.ecn_file import read_ecn_profile
from fabricgen.catalog.library import OwnFolder, RecordFile, find_file, is_plain_name, near_names
from fabricgen.catalog.nic_file import read_nic
from fabricgen.catalog.reader import CatalogFile, Table
from fabricgen.catalog.records import Asic, EcnProfile, NicModel, ServerModel, SwitchModel
from fabricgen.catalog.server_file import read_server
from fabricgen.catalog.switch_file import read_switch
from fabricgen.catalog.unconfirmed import report_unconfirmed
from fabricgen.diagnostics import Bag, IntentPath, Related, set_to

if TYPE_CHECKING:
    from fabricgen.source import Document

Record = TypeVar("Record", Asic, EcnProfile, NicModel, ServerModel, SwitchModel)
Read = Callable[["_Shelf", Table, str], Record | None]

_NOUNS = {"switches": "switch", "nics": "NIC", "servers": "server", "ecn": "ECN profile"}
SHARED = "a folder that inventories share is named on the command line: --catalog DIR"
_HINT_CUTOFF = 0.4
_STAND_IN_CUTOFF = 0.8
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


def load_catalog(
    *,
    switches: Mapping[str, IntentPath],
    nics: Mapping[str, IntentPath],
    servers: Mapping[str, IntentPath],
    bag: Bag,
    own: Sequence[OwnFolder] = (),
    ecn_profiles: Mapping[str, IntentPath] | None = None,
) -> Catalog:
    """Read the files of the named models, with the ASICs and ECN profiles they refer to.

    Args:
        switches: Switch models by name, each with the intent path where it is named.
        nics: The same for NICs.
        servers: The same for servers.
        bag: Takes every fault of a name or a file.
        own: The user's own catalog folders; the first that has a record takes precedence.
        ecn_profiles: ECN profiles the intent names itself.

    Returns:
        The records; the ECN profiles include those the switches refer to.
    """
    shelf = _Shelf(own, bag)
    return Catalog(
        switches=_load_all("switches", switches, shelf, _Shelf.read_switch),
        nics=_load_all("nics", nics, shelf, lambda _, root, name: read_nic(root, name)),
        servers=_load_all("servers", servers, shelf, lambda _, root, name: read_server(root, name)),
        ecn_profiles=shelf.ecn_profiles | _load_all("ecn", ecn_profiles or {}, shelf, _Shelf.read_ecn_profile),
    )


def load_asics(names: Iterable[str], bag: Bag, own: Sequence[OwnFolder] = ()) -> dict[str, Asic]:
    """Read the files of some ASICs, whether a switch refers to them or not; ``bag`` takes every fault of a file."""
    shelf = _Shelf(own, bag)
    found = ((name, shelf.take("asics", name, (), lambda _, root, file_id: read_asic(root, file_id))) for name in names)
    return {name: asic for name, asic in found if asic is not None}


class _Shelf:
    """Reads files for one load; what several switches refer to is read once."""

    __slots__ = ("_asics", "_named_at", "bag", "ecn_profiles", "own")

    def __init__(self, own: Sequence[OwnFolder], bag: Bag) -> None:
        self.own = own
        self.bag = bag
        self.ecn_profiles: dict[str, EcnProfile] = {}
        self._asics: dict[str, Asic] = {}
        self._named_at: IntentPath = ()

    def take(self, kind: str, name: str, named_at: IntentPath, read: Read[Record]) -> Record | None:
        """Read one file; None if there is none, or if it cannot be read as a record at all.

        A record with faults, which are then in the bag, is better than none: later stages have something to check,
        and the errors keep anything from being written.
        """
        file = find_file(kind, name, self.own)
        document = None if file is None else _load_file(file, named_at, self.bag)
        if document is None:
            return None
        self._named_at = named_at
        root = CatalogFile(document, self.bag, named_at).root()
        record = read(self, root, name)
        root.close()
        return record

    def read_switch(self, root: Table, name: str) -> SwitchModel | None:
        """Read a switch file with the ASIC and the ECN profiles it refers to."""
        return read_switch(root, name, self._asic, self._ecn_profile)

    def read_ecn_profile(self, root: Table, name: str) -> EcnProfile:
        """Read an ECN profile file."""
        return read_ecn_profile(root, name)

    def _asic(self, name: str) -> Asic | None:
        if name not in self._asics:
            asic = self.take("asics", name, self._named_at, lambda _, root, name: read_asic(root, name))
            if asic is None:
                return None
            self._asics[name] = asic
        return self._asics[name]

    def _ecn_profile(self, name: str) -> EcnProfile | None:
        if name not in self.ecn_profiles:
            profile = self.take("ecn", name, self._named_at, _Shelf.read_ecn_profile)
            if profile is None:
                return None
            self.ecn_profiles[name] = profile
        return self.ecn_profiles[name]


def _load_file(file: RecordFile, named_at: IntentPath, bag: Bag) -> Document | None:
    """Read the text of a record; its faults say what asks for it."""
    from fabricgen.source import load_data
    from fabricgen.source.source_codes import OUTSIDE

    found = Bag()
    document = load_data(file.path, found, inside=file.inside)
    asked = (Related("the record is asked for here", path=named_at),) if named_at else ()
    for fault in found:
        hint = SHARED if fault.code == OUTSIDE.id else fault.hint
        bag.extend([replace(fault, hint=hint, related=(*fault.related, *asked))])
    return document


def _load_all(kind: str, names: Mapping[str, IntentPath], shelf: _Shelf, read: Read[Record]) -> dict[str, Record]:
    records: dict[str, Record] = {}
    for name, named_at in names.items():
        if find_file(kind, name, shelf.own) is not None:
            record = shelf.take(kind, name, named_at, read)
            if record is not None:
                report_unconfirmed(kind, _NOUNS[kind], name, named_at, record, shelf.bag)
        else:
            record = _stand_in(kind, name, named_at, shelf, read)
        if record is not None:
            records[name] = record
    return records


def _stand_in(kind: str, name: str, named_at: IntentPath, shelf: _Shelf, read: Read[Record]) -> Record | None:
    """Report a name without a file; the record of its nearest neighbour if that is near enough."""
    if not is_plain_name(name):
        message = f"{name!r} cannot be the name of a {_NOUNS[kind]}"
        shelf.bag.add(codes.UNSAFE_NAME, message, named_at, hint="names are letters, digits, '_' and '-'")
        return None
    near = near_names(kind, name, shelf.own, cutoff=_HINT_CUTOFF)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    written = f"to add it, write catalog/{kind}/{name}.yaml beside the inventory"
    hint = f"{meant}{written}, or name the folder that has it with --catalog"
    nearest = near_names(kind, name, shelf.own, cutoff=_STAND_IN_CUTOFF)
    fixes = set_to(named_at, nearest[0], to_try=True) if nearest else ()
    shelf.bag.add(codes.UNKNOWN_MODEL, f"the catalog has no {_NOUNS[kind]} {name}", named_at, hint=hint, fixes=fixes)
    # The faults of a record nobody asked for would only hide the misspelt name.
    return _Shelf(shelf.own, Bag()).take(kind, nearest[0], (), read) if nearest else None
