"""Rules on pairs of NICs that stand in for each other: where the fabric lets them meet, and what both hang on."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import HostGroup
from fabricgen.plan.planner.shape import attachment_of, attachment_path

FAULT_TOLERANCE, SM_FREE = ("collectives", "fault_tolerance"), ("collectives", "sm_free")


@rule(
    "FG-HST-009",
    "VCCL connects rails that do not meet",
    why="VCCL numbers the NICs whose link is up when a job starts. Where one is down the pairs of that host shift, and "
    "a backup queue pair connects rail 0 of one host with rail 7 of another. In SM-free mode each GPU sends by its own "
    "NIC to that of any other. A NIC cannot resolve an address that it has no way to, and the job does not start.",
    fix="Add a tier that joins the rails, or remove the feature; waive it if jobs start only on hosts whose NICs are "
    "all up.",
    source="sii-research/VCCL af1ca510, src/transport/net_ib.cc: ports that are not active are left out, the backup "
    "device is the number XOR 1 at both ends; vccl-doc.readthedocs.io, features/sm-free-overlap: NCCL_PXN_DISABLE=1",
    waivable=True,
)
def check_rails_meet(view: PlanView) -> Iterator[Finding]:
    """Rails meet where the library connects NICs of different rails."""
    plan = view.plan
    asked = [FAULT_TOLERANCE] * plan.collectives.fault_tolerance + [SM_FREE] * plan.collectives.sm_free
    apart = [group for group in _with_vccl(plan) if len(group.rails) > group.rails_per_leaf]
    if not asked or not apart or any(link.pattern != "stripe_rail" for link in plan.links[1:]):
        return
    paths: list[IntentPath] = [("links", link.name, "pattern") for link in plan.links[1:]]
    for path in asked:
        yield Finding(
            f"{path[-1]} of vccl needs a way between any two rails; "
            + ("stripe: rail keeps them apart" if paths else f"no tier joins the {plan.tiers[0].name}s"),
            path,
            hint=f"remove {path[-1]}",
            value=None,
            related=tuple(Related("the stripe", each) for each in paths) or (Related("the tiers", ("tiers",)),),
        )


@rule(
    "FG-HST-011",
    "Backup NIC behind the same leaf",
    severity=Severity.WARNING,
    why="The backup queue pair survives a NIC, a cable or a port. A leaf that fails takes both NICs of the pair, and "
    "the job with them.",
    fix="Give neighbouring rails different leafs, or let each NIC meet a pair of leafs.",
    source="sii-research/VCCL af1ca510, src/transport/net_ib.cc: the backup device is the number XOR 1; Qian et al., "
    "Alibaba HPN, SIGCOMM 2024, section 4.2 (one leaf as a single point of failure)",
)
def check_backup_leaf(view: PlanView) -> Iterator[Finding]:
    """NICs 0 and 1, 2 and 3 and so on meet different leafs, unless their bonds outlive a leaf."""
    plan = view.plan
    for group in _with_vccl(plan) if plan.collectives.fault_tolerance else ():
        bond_survives = group.bond and group.leafs_per_group * plan.tiers[0].counts.plane > 1
        shared = [rail for rail in range(0, len(group.rails) - 1, 2) if _leafs(group, rail) == _leafs(group, rail + 1)]
        if shared and not group.spread and not bond_survives:
            yield _of_one_leaf(view, group.name, shared)


def _of_one_leaf(view: PlanView, name: str, shared: list[int]) -> Finding:
    """Return the finding about pairs of rails, by the first of each, that meet the same leaf."""
    others = f" and {counted(len(shared) - 1, 'more pair')}" if len(shared) > 1 else ""
    path = attachment_path(view.intent, name)
    by_host = attachment_of(view.intent, name).group == "host"
    return Finding(
        f"rails {shared[0]} and {shared[0] + 1} of group {name!r}{others} meet the same leaf and back each other up",
        FAULT_TOLERANCE,
        hint="remove group: host of the attachment, so that each rail has a leaf of its own"
        if by_host
        else "use rails_per_leaf: 1",
        related=(
            Related("one leaf has all rails of a host", (*path, "group"))
            if by_host
            else Related("rails per leaf", (*path, "rails_per_leaf")),
        ),
    )


def _with_vccl(plan: FabricPlan) -> list[HostGroup]:
    return [group for group in plan.hosts if group.library == "vccl"]


def _leafs(group: HostGroup, rail: int) -> int:
    """Return the number of the leafs that a rail meets, among those of its unit."""
    return rail // group.rails_per_leaf
