"""Values of records that no public source confirms: those that the hardware shows, and unpublished ones."""

from __future__ import annotations

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.host_records import NicModel, ServerModel
from fabricgen.catalog.records import Asic, EcnProfile, SwitchModel
from fabricgen.diagnostics import Bag, IntentPath

READ_BY = {
    "rails.nic": "lspci -tvD",
    "rails.gpu": "lspci -tvD",
    "rails.switch": "lspci -tvD",
    "rails.pairing": "lspci -tvD",
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
    """Warn about values the user can confirm, and list the unpublished ones.

    Args:
        kind: Folder of the record.
        noun: What a record of that kind is called.
        name: Its name.
        named_at: Where the intent names it.
        record: The record, with the ASIC and the ECN profiles it refers to.
        bag: Takes one diagnostic of each sort.
    """
    fields = _fields(record)
    readable = [field for field in fields if field in READ_BY and kind != "switches"]
    closed = [field for field in fields if field not in readable]
    if readable:
        ways = ", ".join(dict.fromkeys(READ_BY[field] for field in readable))
        bag.add(
            codes.UNCONFIRMED,
            f"{noun} {name} has no public source for {', '.join(readable)}",
            named_at,
            hint=f"compare with one {noun} ({ways}) and write catalog/{kind}/{name}.yaml beside the inventory",
            record=(kind, name, "unconfirmed"),
        )
    if closed:
        bag.add(
            codes.UNPUBLISHED,
            f"no public source has {', '.join(closed)} of {noun} {name}",
            named_at,
            hint="no action needed: missing values are not checked, the others are unconfirmed",
            record=(kind, name, "unconfirmed"),
        )


def _fields(record: Asic | EcnProfile | NicModel | ServerModel | SwitchModel) -> list[str]:
    """Fields without a source, of the record and of what it refers to."""
    fields = record.provenance.unsourced
    if isinstance(record, SwitchModel):
        fields += [f"asic.{name}" for name in record.asic.provenance.unsourced]
        profiles = {profile.name: profile.provenance for profile in record.ecn_profiles}
        fields += [f"ecn.{name}.{item}" for name, provenance in profiles.items() for item in provenance.unsourced]
    return fields
