"""From a model and its parallelism to the collectives of a step."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.intent.workload import Model, Parallelism, Step
from fabricgen.intent.workload import WorkloadIntent as WorkloadFile
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
    """The job with the collectives that its model and parallelism bring, and those the file adds.

    Args:
        file: What the user wrote.
    """
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
