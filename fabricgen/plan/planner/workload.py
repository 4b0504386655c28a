"""Training jobs: the collectives of a step from a model and its parallelism, and the hosts that a placement names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Nearest, Place, Related, Severity, register
from fabricgen.diagnostics.words import counted
from fabricgen.intent.workload import Model, Parallelism, Step
from fabricgen.intent.workload import WorkloadIntent as WorkloadFile
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.workload import Message, Training, Workload

ACTIVATION_PASSES = 2
"""Once forwards and once backwards."""
REDUCTIONS_PER_PASS = 2
"""All-reduces of a layer in each pass: Shoeybi et al., Megatron-LM (2019), section 3."""
EXCHANGES_PER_PASS = 2
"""All-to-alls of an expert layer in each pass, there and back: Lepikhin et al., GShard (2020), section 3."""
SHARDED_GATHERS = 2
"""Parameters are gathered for each pass: Rajbhandari et al., ZeRO (SC 2020), section 7."""
KEY_VALUE_GATHERS = 2
"""Keys and values pass all ranks of a sequence forwards and backwards: Liu et al., Ring Attention (2023), section 3."""


def build_workload(file: WorkloadFile) -> Workload:
    """The job with the collectives that its model and parallelism bring, and those the file adds."""
    p = file.parallelism
    derived = _of_model(file.model, p, file.step) if file.model else ()
    added = (Message(m.name, m.collective, m.over, float(m.payload_bytes), m.times) for m in file.messages)
    return Workload(
        name=file.name,
        tensor=p.tensor,
        pipeline=p.pipeline,
        data=p.data,
        expert=p.expert,
        order=_order(p),
        messages=(*derived, *added),
        step_s=file.step.seconds,
        use_max_pct=0 if file.link_use_max_pct == "auto" else file.link_use_max_pct,
        hosts=tuple(file.hosts or ()),
        context=p.context,
        overlap_s=file.step.overlap_seconds,
        training=_training(file),
    )


def _order(p: Parallelism) -> tuple[str, ...]:
    """Return the order of the dimensions; ranks of a sequence are beside those of a layer unless it says otherwise."""
    if p.context == 1 or "context" in p.order:
        return tuple(p.order)
    at = p.order.index("tensor") + 1
    return (*p.order[:at], "context", *p.order[at:])


def _training(file: WorkloadFile) -> Training | None:
    """Return the model with its run; one step where the file has no run."""
    model, step, run = file.model, file.step, file.run
    if model is None:
        return None
    sequences, length = step.sequences or 0, step.sequence_tokens or 0
    trained = run.epoch_sequences if run else sequences
    return Training(
        parameters=model.parameters_billion * 1e9,
        expert_parameters=model.experts.parameters_billion * 1e9 if model.experts else 0.0,
        layers=model.layers,
        hidden=model.hidden,
        value_bytes=model.value_bytes,
        sharded=file.parallelism.sharded,
        steps=trained / sequences,
        sequences=trained,
        tokens=float((run.epoch_tokens if run else None) or trained * length),
        epochs=run.epochs if run else 0,
    )


def _of_model(model: Model, p: Parallelism, step: Step) -> Iterator[Message]:
    """Collectives of the dimensions that have more than one rank."""
    tokens = (step.sequences or 0) * (step.sequence_tokens or 0) / p.data / p.context
    activation = tokens * model.hidden * model.value_bytes
    shown = f"{tokens:g} tokens x {model.hidden} x {model.value_bytes} B"
    if p.tensor > 1:
        times = ACTIVATION_PASSES * REDUCTIONS_PER_PASS * -(-model.layers // p.pipeline)
        yield Message("activations of layers", "all_reduce", "tensor", activation, times, shown)
    if p.pipeline > 1:
        between = f"{shown} / {p.tensor}"
        yield Message("activations between stages", "exchange", "pipeline", activation / p.tensor, 1, between)
    if model.experts and p.expert > 1:
        times = ACTIVATION_PASSES * EXCHANGES_PER_PASS * -(-model.experts.layers // p.pipeline)
        payload = activation * model.experts.per_token / p.tensor
        between = f"{shown} x {model.experts.per_token} experts / {p.tensor}"
        yield Message("tokens to experts", "all_to_all", "expert", payload, times, between)
    if p.context > 1:
        yield from _of_sequences(model, p, tokens * p.context)
    yield from _of_parameters(model, p)


def _of_sequences(model: Model, p: Parallelism, tokens: float) -> Iterator[Message]:
    """Keys and values of the tokens that the ranks of a sequence share, and their gradients."""
    width, layers = model.key_value_hidden or model.hidden, -(-model.layers // p.pipeline)
    payload = 2 * tokens * width * model.value_bytes / p.tensor
    shown = f"2 x {tokens:g} tokens x {width} x {model.value_bytes} B / {p.tensor}"
    yield Message("keys and values", "all_gather", "context", payload, KEY_VALUE_GATHERS * layers, shown)
    yield Message("gradients of keys and values", "reduce_scatter", "context", payload, layers, shown)


def _of_parameters(model: Model, p: Parallelism) -> Iterator[Message]:
    """Gradients, and parameters where replicas share them; experts are shared by fewer replicas than the rest."""
    of_experts = model.experts.parameters_billion if model.experts else 0.0
    shared = ("copy", p.data * p.context) if p.context > 1 else ("data", p.data)
    parts = [("", *shared, model.parameters_billion - of_experts, p.tensor * p.pipeline)]
    if of_experts:
        copies, of_expert = p.data // p.expert * p.context, p.tensor * p.pipeline * p.expert
        parts.append((" of experts", "replica", copies, of_experts, of_expert))
    for suffix, over, replicas, billion, shards in parts:
        payload = billion * 1e9 * model.value_bytes / shards
        shown = f"{billion:g} x 10^9 x {model.value_bytes} B / {shards}"
        if replicas < 2 or payload <= 0:
            continue
        if p.sharded:
            yield Message(f"gradients{suffix}", "reduce_scatter", over, payload, 1, shown)
            yield Message(f"parameters{suffix}", "all_gather", over, payload, SHARDED_GATHERS, shown)
        else:
            yield Message(f"gradients{suffix}", "all_reduce", over, payload, 1, shown)


_DOCS = "docs/training-traffic.md, placement"

UNUSABLE = register(
    "FG-EXP-011",
    "Placement on a host that the job cannot have",
    why="The job cannot start there: the host does not exist, is a spare, is out of service, or has a job already.",
    fix="Name hosts once, as `fabricgen show INVENTORY devices` has them; leave out spares and hosts out of service.",
    source=_DOCS,
)
TOO_MANY = register(
    "FG-EXP-013",
    "Placement has more hosts than the job needs",
    severity=Severity.WARNING,
    why="The last hosts stay idle, and no other job of the placement can have them.",
    fix="Leave out the hosts behind the last rank, or raise parallelism.data of the workload.",
    source=_DOCS,
)


class JobRequest(NamedTuple):
    """A job, the names of its hosts with their places, and its own place; without names it takes free ones."""

    workload: Workload
    names: tuple[tuple[str, Place | None], ...]
    place: Place | None


class _Taken(NamedTuple):
    """The job and the place that a host is taken by."""

    job: str
    place: Place | None


def place_jobs(plan: FabricPlan, requests: Sequence[JobRequest], bag: Bag) -> tuple[Workload, ...]:
    """Return the jobs with their hosts; those without names of hosts come last to free ones."""
    hosts = {plan.host_name(host): host for host in plan.all_hosts()}
    taken: dict[HostId, _Taken] = {}
    placed: dict[int, Workload] = {}
    names = [*_unique_names(request.workload.name for request in requests)]
    for at, request in sorted(enumerate(requests), key=lambda item: not item[1].names):
        job = request.workload._replace(name=names[at])
        if request.names:
            found = [*_named(plan, request._replace(workload=job), hosts, taken, bag)]
            _report_idle(plan, job, found, request.place, bag)
        else:
            free = (host for host in hosts.values() if host not in taken and is_usable(plan, host, job))
            found = [*_first(plan, job, free)]
            taken |= dict.fromkeys(found, _Taken(job.name, request.place))
            if not found:
                bag.add(UNUSABLE, f"no host is left for {job.name}", place=request.place)
        placed[at] = job._replace(placed=tuple(found))
    return tuple(placed[at] for at in sorted(placed))


def is_usable(plan: FabricPlan, host: HostId, job: Workload) -> bool:
    """Return whether a host that exists can take a job: it is no spare, in service, and of a group of the job."""
    group, exception = plan.hosts[host.group], plan.exceptions.of(host)
    is_out = host.host >= group.per_unit or (exception is not None and bool(exception.state))
    return not is_out and group.gpus > 0 and (not job.hosts or group.name in job.hosts)


def _named(
    plan: FabricPlan, request: JobRequest, hosts: dict[str, HostId], taken: dict[HostId, _Taken], bag: Bag
) -> Iterator[HostId]:
    """Yield the hosts that a job names, and report those that it cannot have."""
    job = request.workload
    nearest = Nearest()
    for name, place in request.names:
        matching = [each for each in hosts if fnmatchcase(each, name)] if "*" in name else [name]
        usable = [hosts[each] for each in matching if each in hosts and is_usable(plan, hosts[each], job)]
        if not usable:
            message, hint = _describe_unusable(name, matching, hosts, job, nearest)
            bag.add(UNUSABLE, message, place=place, hint=hint)
        for host in usable:
            if host in taken:
                other = taken[host]
                where = (Related(f"{other.job} has it", place=other.place),)
                message = f"{plan.host_name(host)} of {job.name} has {other.job} already"
                bag.add(UNUSABLE, message, place=place, related=where, hint=f"remove it from {job.name} or {other.job}")
                continue
            taken[host] = _Taken(job.name, place)
            yield host


def _describe_unusable(
    name: str, matching: Sequence[str], hosts: Mapping[str, HostId], job: Workload, nearest: Nearest
) -> tuple[str, str]:
    """Return why no host of a name, or of a pattern, can take a job, and the hint."""
    known = [each for each in matching if each in hosts]
    if known:
        subject = name if known == [name] else f"every host of {name}"
        return f"{subject} is a spare, out of service, or no host of {job.name}", f"use other hosts for {job.name}"
    if "*" in name:
        return f"no host matches {name}", f"write names such as {next(iter(hosts), 'none')}, with * for any text"
    meant = nearest.find(name, hosts)
    return f"no host is {name}", f"write {meant}, or another name of fabricgen show INVENTORY devices" if meant else ""


def _first(plan: FabricPlan, job: Workload, hosts: Iterator[HostId]) -> Iterator[HostId]:
    """Yield as many of the hosts as the ranks of a job need."""
    ranks = job.ranks
    for host in hosts:
        if ranks <= 0:
            return
        ranks -= plan.hosts[host.group].gpus
        yield host


def _report_idle(plan: FabricPlan, job: Workload, hosts: Sequence[HostId], place: Place | None, bag: Bag) -> None:
    """Report the hosts behind the last rank of a job."""
    needed = sum(1 for _ in _first(plan, job, iter(hosts)))
    if needed < len(hosts):
        message = (
            f"{job.name} has {counted(len(hosts), 'host')}; its {counted(job.ranks, 'rank')} need {needed}, "
            f"{plan.host_name(hosts[needed])} is the first one left over"
        )
        bag.add(TOO_MANY, message, place=place)


def _unique_names(names: Iterator[str]) -> Iterator[str]:
    """Yield names; the second job of a name gets a number."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}-{seen[name]}"
