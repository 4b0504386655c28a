"""Catalog files of servers: what differs between file and record."""

from __future__ import annotations

from collections.abc import Callable

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.host_records import ServerModel
from fabricgen.catalog.nvlink_records import NvlinkGeneration
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.mistakes import BAD_VALUE


def complete_nvlink(
    server: ServerModel, faults: FileFaults, find: Callable[[str], NvlinkGeneration | None]
) -> ServerModel:
    """Return a server with the NVLink rate of its generation, unless its file has a lower one.

    Args:
        server: The server.
        faults: Takes a generation that is not known, or has fewer links than the rate needs.
        find: Gives the generation of a name; None if the catalog has none.
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
