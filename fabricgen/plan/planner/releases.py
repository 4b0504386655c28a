"""Release of the switches of a tier, and the model at that release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from fabricgen.catalog import Catalog
from fabricgen.catalog.records import SwitchModel, has_board, model_at
from fabricgen.diagnostics import Bag, Related
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.topology import TierIntent
from fabricgen.plan.model.topology import ANY_RELEASE, Release
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.platform_facts import PlatformFacts
from fabricgen.plan.planner.ports import PortPlan


class TierModel(NamedTuple):
    """The switches of a tier: the model as their release knows it, and every release beside it.

    Attributes:
        model: Boards, port profiles and tables of the release only.
        others: Every release of the platform that has the board, oldest first.
    """

    model: SwitchModel
    whole: SwitchModel
    release: Release
    others: tuple[Release, ...] = ()


def choose_releases(
    intent: FabricIntent, catalog: Catalog, platforms: Mapping[str, PlatformFacts], bag: Bag
) -> dict[str, TierModel]:
    """Release and model of every tier; planning goes on with the whole model where a release lacks the board.

    Without ``release`` in the intent it is the platform's default, or the newest published one that has the board.
    """
    return {name: _choose(name, tier, catalog, platforms, bag) for name, tier in intent.tiers.items()}


def _choose(
    name: str, tier: TierIntent, catalog: Catalog, platforms: Mapping[str, PlatformFacts], bag: Bag
) -> TierModel:
    whole = catalog.switches[tier.model]
    known = platforms.get(tier.platform, PlatformFacts()).releases
    if not known:
        return TierModel(model_at(whole, ""), whole, ANY_RELEASE)
    having = tuple(each for each in known if has_board(whole, each.name) and each.knows(f"model > {whole.id}"))
    usable = [release for release in having if release.released]
    # An unknown release is already reported; the usual one stands in for it.
    chosen = {release.name: release for release in known}.get(tier.release or "", _usual(usable or having or known))
    if not usable if tier.release is None else chosen not in having:
        _report_lacking(name, tier, whole, having, bag)
    model = model_at(whole, chosen.name) if chosen in having else whole
    return TierModel(model, whole, chosen, having)


def _usual(releases: Sequence[Release]) -> Release:
    """The default among some releases, or the newest."""
    return next((release for release in releases if release.default), releases[-1])


def find_profiles(box: TierModel, plan: Callable[[SwitchModel], PortPlan]) -> dict[str, list[Release]]:
    """Port profiles with exactly the planned breakouts that published releases have, with those releases."""
    found: dict[str, list[Release]] = {}
    for release in box.others:
        ports = plan(model_at(box.whole, release.name))
        if ports.sku_is_exact and release.released:
            found.setdefault(ports.sku, []).append(release)
    return found


def report_profiles(
    name: str, tier: TierIntent, box: TierModel, found: Mapping[str, Sequence[Release]], bag: Bag
) -> None:
    """Report port profiles that the release of a tier lacks."""
    for sku, releases in found.items():
        bag.add(
            codes.NOT_IN_RELEASE,
            f"release {box.release.name} of {tier.platform} lacks {sku}, the port profile of {tier.model} that has "
            f"these breakouts; {name_releases(releases)} {'has' if len(releases) == 1 else 'have'} it",
            ("tiers", name, "release" if tier.release else "model"),
            hint=f"set tiers.{name}.release to {releases[-1].name}, or choose other speeds",
            related=[Related("the model", ("tiers", name, "model"))] if tier.release else [],
        )


def name_releases(releases: Sequence[Release]) -> str:
    """Releases in a message."""
    return ", ".join(release.name for release in releases) or "no release"


def _report_lacking(name: str, tier: TierIntent, model: SwitchModel, having: Sequence[Release], bag: Bag) -> None:
    """Report a release without the board of the model, or that no published one has it."""
    boards, path = and_list(board.name for board in model.boards), ("tiers", name, "model")
    use = "use" if tier.release else f"set tiers.{name}.release to"
    bag.add(
        codes.NOT_IN_RELEASE,
        f"{f'release {tier.release}' if tier.release else 'no published release'} of {tier.platform} has "
        f"{'no' if tier.release else 'an'} image for {model.id} ({boards}); "
        f"{name_releases(having)} {'has' if len(having) <= 1 else 'have'} one",
        ("tiers", name, "release") if tier.release else path,
        hint=f"{use} {having[-1].name}, or use another model" if having else "use another model",
        related=[Related("the model", path)] if tier.release else [],
    )
