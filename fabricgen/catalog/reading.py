"""From the document of a catalog file to its record; the only module of the catalog that loads a validator."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.fault_records import KnownFault
from fabricgen.catalog.host_records import NicModel, NvlinkGeneration, ServerModel
from fabricgen.catalog.library import SHIPPED, known_models
from fabricgen.catalog.records import Asic, EcnProfile
from fabricgen.catalog.switch_file import SwitchFile, build_switch
from fabricgen.diagnostics import Bag
from fabricgen.source import Document, load_data
from fabricgen.validation.faults import Fault, format_keys, list_faults
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.mistakes import BAD_VALUE, Mistake
from fabricgen.validation.reading import DocumentReader, read_guessing
from fabricgen.validation.schema import keys_at, schema_of_file


def complete_nvlink(
    server: ServerModel, faults: FileFaults, find: Callable[[str], NvlinkGeneration | None]
) -> ServerModel:
    """Return a server with the NVLink rate of its generation, unless its file has a lower one.

    A generation that is not known, or has fewer links than the rate needs, is a fault.
    """
    if not server.nvlink:
        return server
    found = find(server.nvlink)
    if found is None:
        hint = f"add or correct nvlink/{server.nvlink}.yaml in the catalog folder"
        faults.add(codes.UNKNOWN_MODEL, f"the catalog has no usable NVLink {server.nvlink}", "nvlink", hint=hint)
        return server
    rate = server.nvlink_gbytes_s or found.links * found.link_gbytes_s
    links, rest = divmod(rate, found.link_gbytes_s)
    if rest or links > found.links:
        fits = f"up to {found.links} links of {found.link_gbytes_s} GB/s"
        faults.add(BAD_VALUE, f"nvlink_gbytes_s is {rate}; {server.nvlink} has {fits}", "nvlink_gbytes_s")
    return server._replace(nvlink_gbytes_s=rate)


_KINDS: dict[str, tuple[type, str]] = {
    "asics": (Asic, "tomahawk5"),
    "ecn": (EcnProfile, "nvidia_default"),
    "known_faults": (KnownFault, ""),
    "nics": (NicModel, "connectx7_400g"),
    "nvlink": (NvlinkGeneration, "nvlink4"),
    "servers": (ServerModel, "dgx_h100_8"),
    "switches": (SwitchFile, "dell_z9664f"),
}
"""By kind its form, and a record whose values stand in for missing ones, so that later stages can go on."""


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[kind][0], config=ConfigDict(strict=True))


@cache
def catalog_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of catalog files of one of ``KINDS``."""
    return schema_of_file(_adapter(kind).json_schema(), f"catalog, {kind}")


def read_record(kind: str, name: str, faults: FileFaults, refer: Callable[[str, str], Any]) -> Any:
    """Read a record of one of ``KINDS`` by the name that its file was found by; None if too little is sound.

    ``refer`` gives the record of a kind and name that a switch or server refers to; None if the catalog has none.
    """
    reported: list[Fault] = []
    reader = DocumentReader(
        _adapter(kind).validate_python,
        lambda document, error: list_faults(
            document, error, lambda path: keys_at(catalog_schema(kind), path), format_keys
        ),
        partial(_report, faults, reported),
        partial(_placeholder, kind),
    )
    record, document, *_ = read_guessing(faults.document, reader)
    if record is None:
        return None
    # What contradicts a value that stands in for a faulty one is no fault of the file.
    guessed = any(fault.mistake is not Mistake.UNKNOWN_KEY for fault in reported)
    faults = faults._replace(document=document, bag=Bag() if guessed else faults.bag)
    written = record[0]
    if written != name:
        faults.add(codes.WRONG_ID, f"id is {written}, the file is named {name}", "id", hint=f"write id: {name}")
    record = record._replace(**{record._fields[0]: name})
    if kind == "servers":
        return complete_nvlink(record, faults, partial(refer, "nvlink"))
    if kind != "switches":
        return record
    return build_switch(record, faults, partial(refer, "asics"), partial(refer, "ecn"))


def _report(faults: FileFaults, reported: list[Fault], document: Document, fault: Fault) -> None:
    reported.append(fault)
    faults._replace(document=document).report(fault)


def _placeholder(kind: str, _document: Document, key: str) -> Any:
    """Return what the example of the kind has for a key."""
    name = _KINDS[kind][1] or known_models(kind)[0]
    example = load_data(Path(SHIPPED / kind / f"{name}.yaml"), Bag())
    return example.value((key,)) if example else None
