"""Rules on the table of host routes that bonds of hosts fill."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import Related, Severity
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.shape import attachment_path

_WHY = (
    "Each leaf announces every host of a bond as a route, and every switch of a plane takes all of them. One that does "
    "not fit its table is missing: traffic follows the block of the leaf, which may have lost the host."
)
_SOURCE = "Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2 (a /32 per host); {}"


@rule(
    "FG-TOP-046",
    "More host routes than the ASIC takes",
    why=_WHY,
    fix="Use another model, or no bonds; waive it where the platform keeps host routes in the table of prefixes.",
    source=_SOURCE.format("the ASIC's file in the catalog"),
    waivable=True,
)
def check_host_routes(view: PlanView) -> Iterator[Finding]:
    """The host routes of all bonded NICs of a plane fit the ASIC of each tier."""
    if _are_routed(view):
        return
    for tier, routes, routes_max in _tables(view):
        if routes_max is not None and routes > routes_max:
            asic = view.catalog.switches[tier.model].asic.id
            yield Finding(
                f"bonds of hosts make {routes} host routes in tier {tier.name!r}; {asic} takes {routes_max}",
                ("tiers", tier.name, "model"),
                hint="use another model, or bond: none",
                related=(Related("the limit of its ASIC", record=("asics", asic)), *_bonds(view)),
            )


@rule(
    "FG-TOP-981",
    "Host routes against a table of unpublished size",
    severity=Severity.INFO,
    why=_WHY,
    fix="Compare the number with the table that the running release reports, on one switch of each model.",
    source=_SOURCE.format("the ASIC's file in the catalog, which has no number"),
)
def check_host_routes_known(view: PlanView) -> Iterator[Finding]:
    """Say how many host routes a table must take whose size the catalog does not have, once for each ASIC."""
    tiers: dict[str, list[Tier]] = {}
    for tier, _, routes_max in _tables(view):
        if routes_max is None or _are_routed(view):
            tiers.setdefault(view.catalog.switches[tier.model].asic.id, []).append(tier)
    routes = "routes to prefixes of their own; how many routes" if _are_routed(view) else "host routes; how many"
    for asic, (first, *others) in tiers.items():
        yield Finding(
            f"bonds of hosts make {_count_routes(view)} {routes} {asic} takes is not known",
            ("tiers", first.name, "model"),
            hint="compare it with the table that a switch of this model reports",
            related=(*(Related("the same", ("tiers", tier.name, "model")) for tier in others), *_bonds(view)),
        )


def _tables(view: PlanView) -> Iterator[tuple[Tier, int, int | None]]:
    """Yield each tier with the host routes that one of its switches takes at most, and the size of its table."""
    routes = _count_routes(view)
    for tier in view.plan.tiers if routes else ():
        model = view.catalog.switches.get(tier.model)
        # A model that the catalog does not have is reported as such.
        if model is not None:
            yield tier, routes, model.asic.host_routes_max


def _count_routes(view: PlanView) -> int:
    """Return the host routes of a plane: one for each bonded NIC, spares included, in each family."""
    plan = view.plan
    leafs = plan.tiers[0].counts
    pods = leafs.zone * leafs.pod
    nics = sum(
        (group.per_unit + group.backup_per_unit) * len(group.rails) * sum(map(group.in_unit, range(leafs.unit)))
        for group in plan.hosts
        if group.bond
    )
    return nics * pods * len(view.intent.addressing.families)


def _are_routed(view: PlanView) -> bool:
    """Return whether each bond has a prefix, which is a route like any other and no entry of the table of hosts."""
    return any(group.routed for group in view.plan.hosts)


def _bonds(view: PlanView) -> tuple[Related, ...]:
    """Return where the bonds are asked for."""
    paths = {(*attachment_path(view.intent, group.name), "bond"): None for group in view.plan.hosts if group.bond}
    return tuple(Related("the bond", path) for path in paths)
