"""Catalog records of NVLink: its generations, and the levels of switches that join the GPUs of a server or rack."""

from typing import Annotated, NamedTuple

from fabricgen.catalog.forms import Count, Text, Words
from fabricgen.catalog.records import Provenance
from fabricgen.validation.forms import Range
from fabricgen.validation.records import record


@record
class NvlinkGeneration(NamedTuple):
    """A generation of NVLink. Rates count both directions, GB/s decimal, as the maker publishes them.

    Attributes:
        generation: Its number.
        gpus: GPUs that have it.
        links: Links of one GPU.
        link_gbytes_s: Rate of one link.
        domain_gpus_max: GPUs that switches of the generation can join; None where none is published.
    """

    id: Text
    generation: Annotated[int, Range(1, 99)]
    gpus: Words
    links: Annotated[int, Range(1, 256)]
    link_gbytes_s: Annotated[int, Range(1, 10_000)]
    provenance: Provenance
    domain_gpus_max: Count | None = None


@record
class NvlinkLevel(NamedTuple):
    """A level of NVLink switches.

    Attributes:
        gpus: GPUs that switches up to this level join.
        switches: Switch chips of the level that join them; None where no public source says.
        links: Links that each GPU has through the level; None if all of them are.
    """

    gpus: Annotated[int, Range(2, 100_000)]
    switches: Annotated[int, Range(1, 10_000)] | None = None
    links: Annotated[int, Range(1, 256)] | None = None
