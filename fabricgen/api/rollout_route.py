"""The way of a rollout: which plans lead from the deployed intent to the intended one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions
from fabricgen.api.render import CONTRACT_KEY
from fabricgen.api.rollout_legs import Leg, PassStep
from fabricgen.api.rollout_steps import LegChanges
from fabricgen.api.sides import Opened, Where, open_side, render_devices
from fabricgen.compiler.between import LinkContract, StateBetween, describe_moved, list_states
from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.device.transition import lower_plan
from fabricgen.diagnostics import Bag, Severity
from fabricgen.diagnostics.words import name_few
from fabricgen.diff.sides import File, Side, SideDevice
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.cabling import with_drained
from fabricgen.plan.model.fabric import FabricPlan, Transition
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import Renderer
from fabricgen.render.tree.access import load_manifest
from fabricgen.rollout.model import ChangedDevice
from fabricgen.rollout.passes import APART, NoPass, find_moving, find_quiet
from fabricgen.rollout.rollout_codes import DRIFTED, NO_DEPLOYED_INTENT, NO_STATE_BETWEEN, ONE_VALUE
from fabricgen.rollout.waves import plan_waves

_CONTRACT, _SESSIONS = "classes, PFC, ECN, marks or MTU", "addresses or AS numbers"
_RULE = "no neighbor uses its sessions with a drained switch, so both ends of them change meanwhile"


class DeployedIntent(NamedTuple):
    """All that is known of the deployed intent: what both ends of links agree on, and its plan; None if unknown."""

    contract: LinkContract | None = None
    plan: FabricPlan | None = None


def find_deployed_intent(deployed: Opened, named: str, where: Where, bag: Bag) -> DeployedIntent | None:
    """Return what is known of the deployed intent; None with a diagnostic if what the user names is none.

    An inventory is one, and the manifest of a rendered tree has its contract; otherwise the user names the inventory,
    tree or git revision.
    """
    opened = open_side(named, where, bag) if named else deployed
    if opened is None:
        return None
    if opened.compiled is not None and opened.compiled.intent is not None:
        return DeployedIntent(LinkContract.of(opened.compiled.intent), opened.compiled.plan)
    manifest = load_manifest(opened.tree, Bag()) if opened.tree is not None else None
    contract = LinkContract.read(manifest.header.get(CONTRACT_KEY)) if manifest is not None else None
    return DeployedIntent(contract) if contract is not None or not named else None


def plan_legs(
    wanted: Opened, compiled: Compiled, before: DeployedIntent, options: DiffOptions, bag: Bag
) -> list[Leg] | None:
    """Return the legs of a rollout; None with a diagnostic of an intent in between, or of what no pass carries."""
    if compiled.intent is None or compiled.plan is None:
        return None
    after, contract = LinkContract.of(compiled.intent), before.contract
    moved = describe_moved(contract, after) if contract is not None else ""
    if moved:
        hint = "give the new priority a code point of its own, and let NICs mark that"
        bag.add(NO_STATE_BETWEEN, f"{moved} at both ends of every link at once", hint=hint)
        return None
    states = list_states(compiled.document, after, contract)
    between = _list_between(states[:-1], wanted, compiled, options, bag)
    passes = _plan_passes(wanted, compiled, before.plan, bag) if before.plan is not None else []
    if between is None or passes is None:
        return None
    if between and passes:
        bag.add(ONE_VALUE, "classes, PFC, ECN, marks or MTU change together with addresses or AS numbers", hint=APART)
        return None
    state = states[-1]
    title = state.name or ("contract" if passes else "")
    last = Leg(compiled.plan, compiled.platforms or {}, wanted.side, title, state.reason, state.order, state.kinds)
    last = last._replace(document=state.document if between else None, is_last=True)
    return [*between, *passes, last]


def _list_between(
    states: Sequence[StateBetween], wanted: Opened, compiled: Compiled, options: DiffOptions, bag: Bag
) -> list[Leg] | None:
    """Return the legs to intents in between; None with a diagnostic where one is not valid."""
    legs = []
    for state in states:
        found = Bag()
        other = compile_document(state.document, compiled.folder, found, options.catalogs)
        faults = [item for item in found if item.severity is Severity.ERROR and not item.waived]
        if faults or other.plan is None:
            reason, kinds = faults[0].message if faults else "it has no plan", ", ".join(state.kinds)
            message = f"{kinds}: the intent of {state.name}, which has what both intents take, is not valid: {reason}"
            hint = "change one thing at a time in rollouts of their own, or all of it while no jobs run"
            bag.add(NO_STATE_BETWEEN, message, hint=hint)
            return None
        devices = partial(render_devices, other, options.only, bag)
        side = Side(f"{wanted.side.shown} ({state.name})", devices, is_ours=True)
        leg = Leg(other.plan, other.platforms or {}, side, state.name, state.reason, state.order, state.kinds)
        legs.append(leg._replace(document=state.document))
    return legs


def report_unordered(
    found: LegChanges, legs: Sequence[Leg], deployed: str, before: DeployedIntent, intent: FabricIntent | None, bag: Bag
) -> None:
    """Report two-ended changes without a plan in between: errors without a deployed intent, warnings of drift."""
    contract = before.contract
    # Classes that are lossy in both intents change on devices that have not drifted, too.
    is_same = contract is not None and intent is not None and LinkContract.of(intent).to_data() == contract.to_data()
    if found.contract and is_same:
        message = f"{name_few(found.contract)}: {_CONTRACT} are not those of the deployed intent"
        hint = "no action is needed where this is drift; otherwise name what is deployed with --from"
        bag.add(DRIFTED, message, device=found.contract[0], hint=hint)
    if found.sessions and any(leg.step for leg in legs):
        message = f"{name_few(found.sessions)}: {_SESSIONS} are not those of the deployed intent"
        hint = "continue a rollout that is under way with fabricgen rollout resume, or repair these first"
        bag.add(ONE_VALUE, message, device=found.sessions[0], hint=hint)
    unknown = ((_CONTRACT, found.contract, contract is None), (_SESSIONS, found.sessions, before.plan is None))
    for what, names, is_unknown in unknown:
        if names and is_unknown:
            message = f"{name_few(names)}: {what} change, and no intent of {deployed} is known"
            hint = "name it: --from INVENTORY or --from REV:INVENTORY; the intended one where devices drifted from it"
            bag.add(NO_DEPLOYED_INTENT, message, device=names[0], hint=hint)


def _plan_passes(wanted: Opened, compiled: Compiled, former: FabricPlan, bag: Bag) -> list[Leg] | None:
    """Return the legs over drained switches, none if neither addresses nor numbers change; None with a diagnostic."""
    plan, specs = compiled.plan, compiled.platforms or {}
    if plan is None:
        return None
    at_start = [name for name, spec in specs.items() if spec.platform.procedures().reads_at_start]
    try:
        moving = find_moving(former, plan, at_start)
    except NoPass as refusal:
        bag.add(ONE_VALUE, str(refusal), hint=refusal.hint)
        return None
    if not moving:
        return []
    names = {plan.device_name(device): device for device in moving}
    waves = plan_waves(plan, [ChangedDevice(name, "drain") for name in names], bag)
    if waves is None:
        return None
    transition = Transition(former)
    states = _States(wanted.side.shown, Renderer(specs, bag), specs)
    found = [states.leg(plan._replace(transition=transition), "expand", None)]
    found[0] = found[0]._replace(reason="lists permit the prefixes of both plans")
    passed: frozenset[DeviceId] = frozenset()
    for number, wave in enumerate(waves.waves, 1):
        group = frozenset(map(names.__getitem__, wave.devices))
        passed |= group
        title = f"pass {number} of {len(waves.waves)}"
        after = plan._replace(transition=transition._replace(passed=passed))
        drained = with_drained(after, group, title)
        quiet = find_quiet(drained, group)
        stranded = tuple(each for each in waves.stranded if each.device in wave.devices)
        step = PassStep("change", number, wave, found[-1].plan, quiet, stranded)
        for part, state, chosen in (
            ("change", drained, frozenset(wave.devices)),
            ("neighbors", drained, frozenset(quiet)),
            ("return", after, frozenset(wave.devices)),
        ):
            leg = states.leg(state, f"{title}: {part}", chosen)
            found.append(leg._replace(reason=_RULE, step=step._replace(part=part)))
    return found


class _States:
    """Plans between two plans, rendered in memory."""

    def __init__(self, shown: str, renderer: Renderer, specs: Mapping[str, PlatformSpec]) -> None:
        self._shown, self._renderer, self._specs = shown, renderer, specs

    def leg(self, plan: FabricPlan, title: str, names: frozenset[str] | None) -> Leg:
        """Return the leg to a plan."""
        side = Side(f"{self._shown} ({title})", partial(self._devices, plan, names), is_ours=True)
        return Leg(plan, self._specs, side, title, names=names)

    def _devices(self, plan: FabricPlan, names: frozenset[str] | None) -> Iterator[SideDevice]:
        lowering = lower_plan(plan)
        identities: Iterator[DeviceId | HostId] = chain(plan.switches(), plan.all_hosts())
        for identity in identities:
            name = plan.host_name(identity) if isinstance(identity, HostId) else plan.device_name(identity)
            if names is not None and name not in names:
                continue
            if isinstance(identity, HostId):
                files = self._renderer.render_host(lowering.lower_host(identity))
            else:
                files = self._renderer.render_switch(lowering.lower_switch(identity))
            kind = "hosts" if isinstance(identity, HostId) else "switches"
            found = {file.path.split("/", 2)[2]: File(partial(bytes, file.data), file.path) for file in files}
            yield SideDevice(name, kind, found)
