"""Catalog records of faults that makers and users of software know."""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from fabricgen.catalog.forms import Count, Text, Words
from fabricgen.catalog.records import Provenance
from fabricgen.validation.forms import Form, Misfit, record

Fact = Literal["", "paused", "next_hops", "parallel_bfd", "weighted", "forced_copper", "nccl"]


@record
class KnownFault(NamedTuple):
    """A known fault; its source is a public issue.

    Attributes:
        platform: Software that has it: a platform of switches, a family of NICs or a system of hosts.
        key: Key of the intent that asks for what fails, dots between its parts; ``values`` of it that do, any that is
            not empty if none is named.
        happens: What happens; ``advice`` is what to do about it.
        looked_up: The day, and the newest ``release`` of the platform on that day.
        fact: What of the plan must hold, too; ``above`` is its limit.
        snippet: A line of a snippet that asks for it, ``*`` for any text; the key is ``exceptions`` then.
        hardware: ASICs, or models of switches, servers or NICs that have it, ``*`` for any text; empty for every one.
        since: First release known to have it, and ``mended`` the first one without it; empty where there is none.
        remark: It loses no traffic, or in rare cases only: shown, but no warning.
    """

    id: Text
    platform: Text
    key: Text
    happens: Text
    advice: Text
    looked_up: Annotated[str, Form(r"\d{4}-\d{2}-\d{2}", "a day as YYYY-MM-DD")]
    release: Text
    provenance: Provenance
    values: Words = ()
    fact: Fact = ""
    snippet: Text = ""
    above: Count = 1
    hardware: Words = ()
    since: Text = ""
    mended: Text = ""
    remark: bool = False

    def misfits(self) -> Iterator[Misfit]:
        """Yield a name without the platform, by which records are found, and a source that is no public issue."""
        if not self.id.startswith(f"{self.platform}_"):
            yield Misfit(("id",), f"must begin with {self.platform}_")
        if not self.provenance.source.startswith("https://"):
            yield Misfit(("source",), "must be the address of a public issue, https://…")
