"""Model of a rule: its declaration, its input and its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, ParamSpec

from fabricgen.analysis.deadlock.analysis import look_for_cycles
from fabricgen.analysis.deadlock.cycles import Cycle
from fabricgen.analysis.deadlock.turns import plan_rules
from fabricgen.analysis.port_groups import SwitchKind, list_reserved
from fabricgen.catalog import Catalog
from fabricgen.catalog.records import Asic
from fabricgen.diagnostics import Code, IntentPath, Nearest, Related, lookup, register
from fabricgen.intent.exceptions import PlacedException
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.topology import HostGroup, Tier
from fabricgen.plan.planner.exceptions.links import Names, find_names, names_of
from fabricgen.plan.planner.factors import Factors
from fabricgen.platforms.manifest.spec import PlatformSpec, find_platform


class Finding(NamedTuple):
    """One violation; ``path`` is the value to change, ``related`` what it conflicts with.

    ``record`` is what of the catalog is wrong, see ``Diagnostic``.
    """

    message: str
    path: IntentPath = ()
    hint: str = ""
    related: tuple[Related, ...] = ()
    on_key: bool = False
    record: IntentPath = ()


def find_unknown(names: Iterable[str], known: Sequence[str], path: IntentPath, message: str) -> Iterator[Finding]:
    """Yield a finding at each key below a path that names nothing known; the message has ``{name!r}`` for the key."""
    nearest = Nearest()
    for name in sorted(set(names) - set(known)):
        near = nearest.find(name, known)
        hint = f"did you mean {near}?" if near else f"use one of {', '.join(known)}"
        yield Finding(message.format(name=name), (*path, name), on_key=True, hint=hint)


class IntentView(NamedTuple):
    """Input of a rule on the intent; the catalog and the platforms may lack models that are reported as missing."""

    intent: FabricIntent
    catalog: Catalog
    platforms: Mapping[str, PlatformSpec]

    def switch(self, platform: str) -> PlatformSpec | None:
        """Return a switch platform; None if there is none of that name."""
        return find_platform(self.platforms, platform, "switch")

    def nic(self, family: str) -> PlatformSpec | None:
        """Return a NIC family; None if there is none of that name."""
        return find_platform(self.platforms, family, "nic")

    def host(self, system: str) -> PlatformSpec | None:
        """Return a host's operating system; None if there is none of that name."""
        return find_platform(self.platforms, system, "host")

    def speaker(self, platform: str) -> PlatformSpec | None:
        """Return a platform of switches or a host's operating system; None if there is none of that name."""
        return find_platform(self.platforms, platform, "switch", "host")


@dataclass(frozen=True)
class PlanView:
    """Input of a rule on the plan."""

    intent: FabricIntent
    catalog: Catalog
    platforms: Mapping[str, PlatformSpec]
    plan: FabricPlan

    @cached_property
    def reserved(self) -> list[SwitchKind]:
        """Every kind of switch as it is when all reserved links exist; worked out once for all rules.

        Another box with the buffers that all of its tier would have is judged as such a tier.
        """
        boxes = {id(tier.buffers) for tier in self.plan.exceptions.kinds}
        return [kind for kind in list_reserved(self.plan) if not (kind.excepted and id(kind.tier.buffers) in boxes)]

    @cached_property
    def cycle(self) -> Cycle | None:
        """Return a cycle of buffers that PFC may close; None if there is none."""
        looked = look_for_cycles(self.plan, plan_rules(self.plan), self.plan.contract.lossless)
        return next((each.cycle for each in looked if each.cycle is not None), None)

    @cached_property
    def names(self) -> Names:
        """Switches and hosts of the regular plan that exceptions name."""
        wanted = names_of(self.intent.placed_exceptions)
        return find_names(self.plan, wanted) if wanted else {}

    @cached_property
    def _exceptions_by_name(self) -> dict[str, list[int]]:
        """Numbers of the exceptions that name a device, as what they are about or as an end of the link."""
        found: dict[str, list[int]] = {}
        for number, (item, _) in enumerate(self.intent.placed_exceptions):
            for name in {item.device, item.host, item.to, *(item.link or ())} - {None}:
                found.setdefault(str(name), []).append(number)
        return found

    def exceptions_of(self, names: Iterable[str]) -> list[PlacedException]:
        """Return the exceptions that name one of some devices: as device, host, an end of a link, or ``to``."""
        return [
            self.intent.placed_exceptions[at]
            for at in sorted({at for name in names for at in self._exceptions_by_name.get(name, ())})
        ]

    def switch(self, platform: str) -> PlatformSpec | None:
        """Return a switch platform; None if there is none of that name."""
        return find_platform(self.platforms, platform, "switch")

    def asic_of(self, tier: Tier) -> Asic:
        """Return the ASIC of a tier's model, or of the stand-in for it."""
        known = self.catalog.switches
        return known[tier.model if tier.model in known else self.intent.tiers[tier.name].model].asic

    def factors(self, *, reserved: bool = False) -> Factors:
        """Return the finder of the keys behind the numbers of the fabric, now or at the reserved maximum."""
        tiers, links = self.plan.tiers, self.plan.links
        return Factors(self.intent, [tier.name for tier in tiers], [link.name for link in links], reserved)

    def host_names(self, group: HostGroup) -> Iterator[str]:
        """Yield the names of a group's hosts, unit after unit, without those that units lack by their kind."""
        lacking = {self.plan.host_name(host) for host in self.plan.planned.hosts}
        for unit in self.plan.units():
            if group.in_unit(unit.unit):
                names = (group.host_name(unit, host) for host in group_hosts(group))
                yield from (name for name in names if name not in lacking)


Check = Callable[..., Iterator[Finding]]
Declared = ParamSpec("Declared")


class Rule(NamedTuple):
    """A registered rule; ``view`` is the name of the class of what it sees, which decides when it runs."""

    id: str
    view: str
    check: Check

    @property
    def code(self) -> Code:
        """Return the code that it reports by; several rules may have one."""
        code = lookup(self.id)
        if code is None:
            raise ValueError(f"no rule declares {self.id}")
        return code


RULES: list[Rule] = []
"""Every rule of the modules imported so far; ``run.load_rules`` imports them all."""


def further(id: str) -> Callable[[Check], Check]:  # noqa: A002 - the field's own word
    """Register the decorated function as one more rule behind a code that is declared elsewhere."""

    def decorate(function: Check) -> Check:
        RULES.append(Rule(id, str(function.__annotations__["view"]), function))
        return function

    return decorate


def _declaring(declare: Callable[Declared, Code]) -> Callable[Declared, Callable[[Check], Check]]:
    """Return what declares a code and registers the decorated function as the rule behind it."""

    def declared(*args: Declared.args, **kwargs: Declared.kwargs) -> Callable[[Check], Check]:
        return further(declare(*args, **kwargs).id)

    return declared


rule = _declaring(register)
"""Registers the decorated function, which takes an IntentView or a PlanView; see ``register`` for the arguments."""
