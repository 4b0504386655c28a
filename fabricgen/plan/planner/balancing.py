"""Load balancing that ``auto`` stands for: the advice of makers for RoCE on the hardware of a fabric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.catalog import Catalog
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.topology import Ecmp, Links, TierEcmp
from fabricgen.physics.path_delay import gap_above_us, path_spread_us
from fabricgen.plan.planner.platform_facts import PlatformFacts
from fabricgen.plan.planner.shape import attachment_of


def settle_balancing(intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformFacts]) -> FabricIntent:
    """Return the intent in which every tier has its own load balancing and flowlet gap, none of them ``auto``.

    Args:
        intent: The intent.
        catalog: Every model the intent names.
        platforms: Facts per switch platform and NIC family.
    """
    advice = advised_balancing(intent, catalog, platforms)
    spread_us = path_spread_us(link.cable.length_m for _, link in fabric_links(intent))
    tiers = {}
    for name, tier in intent.tiers.items():
        ecmp = intent.routing.ecmp.with_own(tier.ecmp)
        gap_us = platforms.get(tier.platform, PlatformFacts()).flowlet_gap_us
        own = (tier.ecmp or TierEcmp()).model_copy(update=_settled(ecmp, advice, gap_above_us(spread_us, gap_us)))
        tiers[name] = tier.model_copy(update={"ecmp": own})
    return intent.model_copy(update={"tiers": tiers})


def _settled(ecmp: Ecmp, advice: str, gap_us: int) -> dict[str, object]:
    """Values of one tier; resilient hashing keeps to the hash."""
    word = ecmp.load_balancing
    if word == "auto":
        word = "static" if ecmp.resilient else advice  # type: ignore[assignment]
    return {
        "load_balancing": word,
        "flowlet_gap_us": gap_us if ecmp.flowlet_gap_us == "auto" else ecmp.flowlet_gap_us,
    }


def advised_balancing(intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformFacts]) -> str:
    """Return what the makers advise for RoCE: adaptive routing where switches, NICs and links all can, else the hash.

    Source:
        NVIDIA, Cumulus Linux 5.16, Equal Cost Multipath Load Sharing, Adaptive Routing: RoCE on the Spectrum-X
        platform, 200G and 400G, no bonds; Spectrum-X network operator configuration: ConnectX-8 and BlueField-3.
        Otherwise hash and queue pairs: Gangidi et al., SIGCOMM 2024 (Meta's E-ECMP); Habana, Expected Switch
        Configuration (Arista's default hash fields).
    """
    bonds = any(attachment_of(intent, group).bond != "none" for group in intent.hosts)
    speeds = {link.speed for _, link in fabric_links(intent)}
    switches = all(_adapts(catalog, platforms, tier.model, tier.platform, speeds) for tier in intent.tiers.values())
    nics = [catalog.nics[group.nic] for group in intent.hosts.values()]
    reorder = all(nic.out_of_order and platforms.get(nic.family, PlatformFacts()).adapts for nic in nics)
    return "adaptive" if switches and reorder and speeds and not bonds else "static"


def _adapts(
    catalog: Catalog, platforms: Mapping[str, PlatformFacts], model: str, platform: str, speeds: set[int]
) -> bool:
    """Return whether a box with its platform runs adaptive routing on links of all these speeds."""
    facts, box = platforms.get(platform, PlatformFacts()), catalog.switches.get(model)
    if box is None or not box.asic.id.startswith(facts.balancing_asics):
        return False
    return speeds <= set(facts.adaptive_gbps)


def fabric_links(intent: FabricIntent) -> Iterator[tuple[str, Links]]:
    """Yield the groups of links between two tiers of switches by name, in the order of their names."""
    between = {f"{lower}-{upper}" for lower in intent.tiers for upper in intent.tiers}
    yield from ((name, link) for name, link in sorted(intent.links.items()) if name in between)
