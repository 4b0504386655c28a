"""Figures that mend a fabric with too few ports, or with another oversubscription than expected, in the hints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from fabricgen.catalog import Catalog
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.intent.fabric import FabricIntent
from fabricgen.sizing.fabric import FabricSize, TierSize, size_fabric
from fabricgen.sizing.intent_text import ratio_text
from fabricgen.sizing.request import CableLength, SizingRequest, SwitchModels

TOO_FEW_PORTS, NOT_THE_RATIO = "FG-TOP-009", "FG-EXP-002"


def add_sizes(bag: Bag, intent: FabricIntent, catalog: Catalog) -> None:
    """Add to both diagnostics what sizing comes to: keys with the values of a fabric that holds.

    Args:
        bag: What the stages found; revised.
        intent: The intent.
        catalog: Its records.
    """
    bag.revise(lambda item: _advised(item, intent, catalog))


def _advised(item: Diagnostic, intent: FabricIntent, catalog: Catalog) -> Diagnostic:
    ratio = None
    if item.code == NOT_THE_RATIO and item.path[-1] in _tiers(intent)[:1]:
        wanted = intent.expect.oversubscription[item.path[-1]]
        ratio = Fraction(wanted.numerator, wanted.denominator)
    elif item.code != TOO_FEW_PORTS:
        return item
    request = _request(intent, catalog, ratio)
    if request is None:
        return item
    size = size_fabric(*request)
    if not isinstance(size, FabricSize):
        advice = f"{size.why}; use {size.remedy}"
    elif ratio is not None and size.tiers[0].ratio != ratio:
        advice = _nearest(size.tiers[0], ratio)
    else:
        advice = _keys(size, intent)
    return replace(item, hint=f"{item.hint}; {advice}" if item.hint else advice)


def _tiers(intent: FabricIntent) -> list[str]:
    """Names of the tiers from the leaf up; fewer where links do not form a chain."""
    above = {name.partition("-")[0]: name.partition("-")[2] for name in intent.links}
    found: list[str] = []
    tier = above.get("host", "")
    while tier in intent.tiers and tier not in found:
        found.append(tier)
        tier = above.get(tier, "")
    return found


def _request(
    intent: FabricIntent, catalog: Catalog, ratio: Fraction | None
) -> tuple[SizingRequest, SwitchModels] | None:
    """The fabric of an intent at its reserved maximum as a request; None where it is not one group on regular tiers."""
    tiers, groups = _tiers(intent), list(intent.hosts.values())
    if len(groups) != 1:
        return None
    (group,) = groups
    server, nic = catalog.servers.get(group.server), catalog.nics.get(group.nic)
    boxes = _boxes(intent, catalog, tiers)
    if server is None or nic is None or not server.gpus or boxes is None:
        return None
    attachment = group.attachment or intent.attachment
    planes = intent.planes.count if intent.planes else 1
    names = [f"host-{tiers[0]}", f"{tiers[0]}-{tiers[1]}"]
    if any(name not in intent.links for name in names) or nic.ports != planes * attachment.leafs_per_group:
        return None
    links = [intent.links[name] for name in names]
    request = SizingRequest(
        gpus=_reserved(intent) * server.gpus,
        server=server,
        nic=nic,
        speed_gbps=links[0].speed,
        uplink_gbps=links[1].speed,
        ratio=ratio or _ratio(intent, tiers[0]),
        planes=planes,
        leafs_per_group=attachment.leafs_per_group,
        whole_hosts=attachment.group == "host",
        per_unit=group.per_unit.count if attachment.group == "host" or ratio else 0,
        cables={"host-leaf": CableLength(links[0].cable.media, links[0].cable.length_m)},
    )
    return request, boxes


def _boxes(intent: FabricIntent, catalog: Catalog, tiers: list[str]) -> SwitchModels | None:
    """The switches of two or three tiers, the last one in place of a core; None for other numbers or models."""
    models = [model for tier in tiers if (model := catalog.switches.get(intent.tiers[tier].model))]
    if len(models) != len(tiers) or not 2 <= len(tiers) <= 3:
        return None
    leaf, spine, core = (*models, models[-1])[:3]
    return SwitchModels(leaf, spine, core, intent.tiers[tiers[0]].platform)


def _reserved(intent: FabricIntent) -> int:
    """Servers of the fabric at the maxima that the intent writes."""
    (group,) = intent.hosts.values()
    hosts = 1
    for count in (group.per_unit, intent.units, intent.pods, intent.zones):
        hosts *= (count.max or count.count) if count is not None else 1
    return hosts


def _ratio(intent: FabricIntent, leaf: str) -> Fraction:
    wanted = intent.expect.oversubscription.get(leaf)
    return Fraction(wanted.numerator, wanted.denominator) if wanted is not None else Fraction(1)


def _keys(size: FabricSize, intent: FabricIntent) -> str:
    """The counts of a sized fabric by their keys."""
    tiers = _tiers(intent)
    found = list(_counts(size, [*tiers, "core"]))
    return (
        f"{size.gpus} GPUs at {ratio_text(size.request.ratio)} fit on "
        f"{('one tier', 'two tiers', 'three tiers')[size.shape.tiers - 1]}: {', '.join(found)}"
    )


def _nearest(leaf: TierSize, ratio: Fraction) -> str:
    """Uplinks that come next to a ratio that no whole number of them gives."""
    actual = ratio_text(leaf.ratio) if leaf.ratio is not None else "none"
    return (
        f"{leaf.down} x {leaf.down_gbps}G down give {ratio_text(ratio)} with no number of uplinks that divides evenly; "
        f"{leaf.up} x {leaf.up_gbps}G up give {actual}"
    )


def _counts(size: FabricSize, names: list[str]) -> Iterator[str]:
    shape = size.shape
    yield f"units {shape.units}"
    if shape.pods:
        yield f"pods {shape.pods}"
    yield f"per_unit {shape.per_unit}"
    if shape.rails_per_leaf > 1 and not size.request.whole_hosts:
        yield f"rails_per_leaf {shape.rails_per_leaf}"
    if shape.spines:
        yield f"tiers.{names[1]}.count {shape.spines}"
        yield f"links.{names[0]}-{names[1]}.per_pair {shape.spine_pair}"
    if shape.cores:
        yield f"tiers.{names[2]}.count {shape.cores}"
        yield f"links.{names[1]}-{names[2]}.per_pair {shape.core_pair}"
        if shape.core_groups > 1:
            yield f"links.{names[1]}-{names[2]}.pattern {{stripe: index}}"
