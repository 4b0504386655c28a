"""The asset list by host name."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics import Bag
from fabricgen.intent.assets import BAD_ASSET, AssetRow
from fabricgen.plan.model.fabric import Asset


def build_assets(rows: Sequence[AssetRow], bag: Bag) -> dict[str, Asset]:
    """Fold the rows of each host into one asset; a MAC that stands twice is diagnosed."""
    found: dict[str, Asset] = {}
    owner: dict[str, str] = {}
    for row in rows:
        if row.mac and owner.setdefault(row.mac, row.hostname) != row.hostname:
            bag.add(
                BAD_ASSET,
                f"MAC {row.mac} belongs to {owner[row.mac]} and to {row.hostname}",
                ("assets",),
                hint="correct one of the rows",
            )
        old = found.get(row.hostname, Asset())
        if row.rail is None:
            address = row.management_ip or old.management_ip
            new = old._replace(serial=row.serial or old.serial, mac=row.mac or old.mac, management_ip=address)
        else:
            macs = old.rail_macs + (((row.rail, row.port, row.mac),) if row.mac else ())
            bdfs = old.rail_bdfs + (((row.rail, row.port, row.pci),) if row.pci else ())
            new = old._replace(serial=row.serial or old.serial, rail_macs=macs, rail_bdfs=bdfs)
        found[row.hostname] = new
    return found
