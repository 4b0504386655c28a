"""The catalog folders of a user: that of the inventory, then those that the command line names."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.catalog.catalog_codes import BROKEN_REFERENCE
from fabricgen.catalog.fault_records import KnownFault
from fabricgen.catalog.library import KINDS, KNOWN_FAULTS, find_file, known_models
from fabricgen.catalog.loader import SHARED
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Nearest, Place, Related, register
from fabricgen.intent.fabric import FabricIntent, legal_keys, legal_words
from fabricgen.platforms.manifest.discover import KINDS as PLATFORM_KINDS
from fabricgen.platforms.manifest.discover import discover_platforms
from fabricgen.source import is_folder, load_data

FILES_MAX = 1_000
"""Files of one kind that a catalog folder may hold."""
NO_CATALOG = register(
    "FG-CAT-022",
    "A catalog folder without records, or with more than there are models",
    why="No record would be found in it, and those that ship with fabricgen used in their place; or to read "
    "all of them would take minutes.",
    fix=f"Name the folder that holds {', '.join(KINDS[:-1])} or {KINDS[-1]}, and in it the models that are in use.",
    source="docs/intent.md, hosts",
)


def find_catalogs(inventory: Path, shared: Sequence[Path], bag: Bag) -> list[OwnFolder]:
    """The catalog folders in which records are looked up, the first one first; the bag takes what is no such folder.

    No file of the inventory's own is outside of the inventory; those that the command line names may be anywhere.
    """
    own = OwnFolder(inventory / "catalog", inventory)
    found = [own] if os.path.lexists(own.path) and _is_catalog(own, bag) else []
    return found + find_shared(shared, bag)


def find_shared(shared: Sequence[Path], bag: Bag) -> list[OwnFolder]:
    """Return the catalog folders that the command line names; ``bag`` takes what is no such folder."""
    found = []
    for path in shared:
        folder = OwnFolder(path, path)
        if not _is_catalog(folder, bag):
            continue
        if not any(os.path.lexists(path / kind) for kind in KINDS):
            bag.add(NO_CATALOG, f"{path} holds none of {', '.join(KINDS)}")
            continue
        found.append(folder)
    return found


def _is_catalog(folder: OwnFolder, bag: Bag) -> bool:
    """Return whether records can be looked up in a folder and in its subfolders; the bag gets the reason if not."""
    inside = folder.inside if folder.inside != folder.path else None
    if not is_folder(folder.path, bag, inside=inside, hint=SHARED):
        return False
    kinds = [folder.path / kind for kind in KINDS if os.path.lexists(folder.path / kind)]
    if [kind for kind in kinds if not is_folder(kind, bag, inside=folder.inside, hint=SHARED)]:
        return False
    full = [kind for kind in kinds if next(islice(kind.iterdir(), FILES_MAX, None), None)]
    for kind in full:
        bag.add(NO_CATALOG, f"{kind} holds more than {FILES_MAX} files")
    return not full


def check_faults(faults: Mapping[str, KnownFault], roots: Sequence[Path], own: Sequence[OwnFolder], bag: Bag) -> None:
    """Report what the user's own known faults name and nothing can have: such a fault would never be met."""
    for name in known_models(KNOWN_FAULTS, own):
        path, inside = find_file(KNOWN_FAULTS, name, own) or (Path(), None)
        document = load_data(path, Bag(), inside=inside) if inside else None
        for key, word, message, known in _list_named(name, faults.get(name), roots, own) if document else ():
            if document and not fnmatch.filter(known, word):
                near = Nearest().find(word, known)
                hint = f"did you mean {near}?" if near else f"use one of {', '.join(known)}" * (0 < len(known) < 30)
                bag.add(BROKEN_REFERENCE, message, place=document.place((key,)), hint=hint)


def _list_named(
    name: str, fault: KnownFault | None, roots: Sequence[Path], own: Sequence[OwnFolder]
) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield the key of a known fault, a word of its value, what is wrong where it is none of some, and those."""
    if fault is None:
        platforms = [each for kind in PLATFORM_KINDS for each in discover_platforms(kind, roots, Bag())]
        if not name.startswith(tuple(f"{each}_" for each in platforms)):
            yield "id", name.rpartition("_")[0], f"{name} begins with no platform", platforms
        return
    path = tuple(fault.key.split("."))
    bad = next((at for at in range(len(path)) if legal_words(path[: at + 1]) is None), None)
    if bad is not None:
        legal = [".".join((*path[:bad], key)) for key in legal_keys(path[:bad])]
        yield "key", ".".join(path[: bad + 1]), f"no intent has {fault.key}", legal
    yield from (("values", word, f"{fault.key} is never {word}", legal_words(path) or [word]) for word in fault.values)
    models = [model for kind in ("asics", "switches", "nics", "servers") for model in known_models(kind, own)]
    yield from (("hardware", word, f"no ASIC, switch, NIC or server is {word}", models) for word in fault.hardware)


def place_at_record(diagnostic: Diagnostic, own: Sequence[OwnFolder]) -> Diagnostic:
    """Return a diagnostic with a ``record`` at its line in the catalog file, if that file is the user's own."""
    if not diagnostic.record and not any(item.record for item in diagnostic.related):
        return diagnostic
    related = []
    for item in diagnostic.related:
        place = _find_place(item.record, own) if item.record else None
        if place is not None or not item.record:
            related.append(replace(item, place=place) if place else item)
    place = _find_place(diagnostic.record, own) if diagnostic.record else None
    if place is None:
        return replace(diagnostic, related=tuple(related))
    asked = Related("the record is used here", diagnostic.path)
    return replace(diagnostic, place=place, related=(asked, *related))


def _find_place(record: IntentPath, own: Sequence[OwnFolder]) -> Place | None:
    """Return the place of a key of a record; None if the record ships with fabricgen, or does not exist."""
    kind, name, *keys = record
    # A known fault is no fault of its record.
    file = find_file(kind, name, own) if kind != KNOWN_FAULTS else None
    document = load_data(file[0], Bag(), inside=file[1]) if file and file[1] else None
    if document is None:
        return None
    return document.place(tuple(keys), on_key=True) if document.has(tuple(keys[:1])) else document.end


def complete_catalog(catalog: Catalog, intent: FabricIntent) -> Catalog:
    """Return the catalog with a record for every model the intent names.

    An unknown model is taken for another one of the intent, else for one that ships with fabricgen and could stand in
    its place. The error about the name is in the bag already, so that nothing is written.
    """
    switches, nics, servers = dict(catalog.switches), dict(catalog.nics), dict(catalog.servers)
    for tier in intent.tiers.values():
        if tier.model not in switches:
            models = chain(catalog.switches.values(), _shipped("switches"))
            fitting = (model for model in models if tier.platform in model.platforms)
            switches[tier.model] = next(fitting, None) or next(_shipped("switches"))
    speeds = {link.speed for name, link in intent.links.items() if name.partition("-")[0] not in intent.tiers}
    for group in intent.hosts.values():
        if group.nic not in nics:
            cards = chain(catalog.nics.values(), _shipped("nics"))
            running = (card for card in cards if speeds & set(card.lanes_by_gbps))
            nics[group.nic] = next(running, None) or next(_shipped("nics"))
        if group.server not in servers:
            servers[group.server] = next(chain(catalog.servers.values(), _shipped("servers")))
    return replace(catalog, switches=switches, nics=nics, servers=servers)


def _shipped(kind: str) -> Iterator[Any]:
    """Every record of a kind that ships with fabricgen, by name."""
    for name in known_models(kind):
        wanted: dict[str, Any] = {"switches": {}, "nics": {}, "servers": {}, kind: {name: ()}}
        yield from getattr(load_catalog(**wanted, bag=Bag()), kind).values()
