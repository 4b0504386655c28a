"""ECMP settings of a tier: its own where it has them, else the fabric's. No rules."""

from __future__ import annotations

from fabricgen.checks.model import IntentView, PlanView
from fabricgen.diagnostics import IntentPath
from fabricgen.intent.topology import Ecmp, HashWord


def tier_key(view: IntentView | PlanView, tier: str, key: str) -> IntentPath:
    """Path of an ECMP setting: the tier's own if it has one, else the fabric's."""
    own = view.intent.tiers[tier].ecmp
    if own is not None and getattr(own, key) is not None:
        return ("tiers", tier, "ecmp", key)
    return ("routing", "ecmp", key)


def ecmp_of(view: IntentView | PlanView, tier: str) -> Ecmp:
    """Multipath settings of a tier."""
    return view.intent.routing.ecmp.with_own(view.intent.tiers[tier].ecmp)


def hash_of(view: IntentView, tier: str) -> list[HashWord]:
    """Hash words of a tier."""
    return ecmp_of(view, tier).hash
