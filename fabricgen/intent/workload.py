"""A training workload in a file beside the intent, and the placement of jobs on hosts in a file that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, model_validator

from fabricgen.diagnostics import Bag, Place
from fabricgen.intent.types import FabricName, FilePath, Identifier, Intent
from fabricgen.validation.forms import Form, Or, refuse
from fabricgen.validation.reading import load_strictly
from fabricgen.validation.schema import schema_of_file

Dimension = Literal["tensor", "context", "pipeline", "data", "expert"]
_USE = Or(("auto",), Annotated[int, Field(ge=1, le=100)], "a whole number from 1 to 100, percent")
_Degree = Annotated[int, Field(ge=1, le=1_000_000)]


class Experts(Intent):
    """A mixture of experts: layers of which each token passes a few experts only."""

    per_token: Annotated[int, Field(ge=1, le=1024, description="Experts that a token passes in a layer")]
    layers: Annotated[int, Field(ge=1, le=10_000, description="Layers that have experts")]
    parameters_billion: Annotated[float, Field(gt=0, le=1e6, description="Parameters of all experts together")]


class Model(Intent):
    """A transformer, as far as its traffic goes."""

    parameters_billion: Annotated[float, Field(gt=0, le=1e6, description="All parameters, those of experts included")]
    layers: Annotated[int, Field(ge=1, le=10_000, description="Layers")]
    hidden: Annotated[int, Field(ge=1, le=1_000_000, description="Width of the activations")]
    key_value_hidden: Annotated[
        int | None, Field(ge=1, le=1_000_000, description="Width of keys, and of values; hidden if left out")
    ] = None
    value_bytes: Annotated[int, Field(ge=1, le=8, description="Bytes of a parameter, gradient or activation")] = 2
    experts: Annotated[Experts | None, Field(description="Mixture of experts")] = None


class Parallelism(Intent):
    """Division of the job over its GPUs; the product, expert apart, is the number of GPUs."""

    gpus: Annotated[int | None, Field(ge=1, le=10**9, description="GPUs of the job, which the product must be")] = None
    tensor: Annotated[_Degree, Field(description="GPUs that share each layer")] = 1
    context: Annotated[_Degree, Field(description="GPUs that share each sequence")] = 1
    pipeline: Annotated[_Degree, Field(description="Stages of consecutive layers")] = 1
    data: Annotated[_Degree, Field(description="Replicas that share the batch")] = 1
    expert: Annotated[_Degree, Field(description="GPUs that share the experts; divides data")] = 1
    sharded: Annotated[bool, Field(description="Replicas share parameters too (ZeRO 3, FSDP)")] = False
    order: Annotated[
        list[Literal["tensor", "context", "pipeline", "data"]],
        Field(min_length=3, max_length=4, description="Neighbouring GPUs differ in the first; context may be left out"),
    ] = ["tensor", "pipeline", "data"]

    @model_validator(mode="after")
    def _fit(self) -> Parallelism:
        if len(set(self.order)) < len(self.order):
            raise refuse("names a dimension of order twice; write each of tensor, pipeline, data once")
        if not {"tensor", "pipeline", "data"} <= set(self.order):
            raise refuse("has an order that leaves out a dimension; write each of tensor, pipeline, data once")
        if self.data % self.expert:
            raise refuse(f"has expert {self.expert}, which does not divide data {self.data}")
        ranks = self.tensor * self.context * self.pipeline * self.data
        if self.gpus not in (None, ranks):
            raise refuse(
                f"has tensor {self.tensor} x context {self.context} x pipeline {self.pipeline} x data {self.data} = "
                f"{ranks} ranks for {self.gpus} GPUs; {_mended(self, ranks)}"
            )
        return self


def _mended(p: Parallelism, ranks: int) -> str:
    """Return the advice with which the degrees multiply to the GPUs: another data where one divides, other GPUs."""
    others, gpus = ranks // p.data, p.gpus or ranks
    if gpus % others:
        return f"set gpus to {ranks}, or choose tensor, context and pipeline that divide {gpus}"
    return f"set data to {gpus // others}, or gpus to {ranks}"


class Step(Intent):
    """One training step."""

    sequences: Annotated[
        int | None, Field(ge=1, le=10**9, description="Sequences of the global batch; a model needs it")
    ] = None
    sequence_tokens: Annotated[
        int | None, Field(ge=1, le=10**9, description="Tokens of a sequence; a model needs it")
    ] = None
    seconds: Annotated[
        float, Field(gt=0, le=1e6, description="Time for the traffic of a step: all of it, or what computing leaves")
    ]
    overlap_seconds: Annotated[
        float, Field(ge=0, le=1e6, description="Seconds of computing in a step during which traffic flows")
    ] = 0.0


class Run(Intent):
    """The training of which the step is a part."""

    epoch_sequences: Annotated[int, Field(ge=1, le=10**15, description="Sequences of an epoch")]
    epoch_tokens: Annotated[
        int | None,
        Field(ge=1, le=10**18, description="Tokens of an epoch, where sequences are shorter than sequence_tokens"),
    ] = None
    epochs: Annotated[int, Field(ge=1, le=1_000_000, description="Epochs of the run")] = 1


class MessageIntent(Intent):
    """A collective of the job beyond those of its model."""

    name: Annotated[FabricName, Field(description="What it is called in tables")]
    collective: Annotated[
        Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "exchange"],
        Field(description="What is done; exchange sends to the next and the previous rank"),
    ]
    over: Annotated[Dimension, Field(description="The dimension whose GPUs take part")]
    payload_bytes: Annotated[
        int, Field(ge=1, le=10**18, description="Bytes to reduce, to gather in the end, or to hand out, of each rank")
    ]
    times: Annotated[int, Field(ge=1, le=10**9, description="How often in a step")] = 1


class WorkloadIntent(Intent):
    """A training job on all of its GPUs."""

    name: Annotated[FabricName, Field(description="What the job is called")]
    hosts: Annotated[
        list[Identifier] | None,
        Field(min_length=1, max_length=64, description="Host groups it runs on; all that have GPUs if left out"),
    ] = None
    model: Annotated[Model | None, Field(description="The model; its collectives are computed")] = None
    parallelism: Parallelism = Field(default_factory=Parallelism)
    step: Step
    run: Annotated[Run | None, Field(description="The whole training; only a step if left out")] = None
    placement: Annotated[FilePath | None, Field(description="File of the hosts that this and other jobs run on")] = None
    messages: Annotated[list[MessageIntent], Field(max_length=1000, description="Further collectives of a step")] = []
    link_use_max_pct: Annotated[
        Literal["auto"] | int,
        _USE,
        Field(description="Share of a link's rate that traffic can fill on average; auto follows the load balancing"),
    ] = "auto"

    @model_validator(mode="after")
    def _complete(self) -> WorkloadIntent:
        if self.model is None:
            if not self.messages:
                raise refuse("has neither model nor messages, so it sends nothing; add one of them")
            return self
        if "parallelism" not in self.model_fields_set:
            raise refuse("has a model without parallelism, which its traffic follows from; add it")
        if self.step.sequences is None or self.step.sequence_tokens is None:
            raise refuse("has a model, whose traffic follows from step.sequences and step.sequence_tokens; add both")
        experts = self.model.experts
        if experts and experts.parameters_billion > self.model.parameters_billion:
            raise refuse("gives model.experts more parameters than the model, which includes them")
        return self


def workload_schema() -> dict[str, Any]:
    """JSON Schema of workload files."""
    return schema_of_file(WorkloadIntent.model_json_schema(), "workload")


def load_workload(path: Path, bag: Bag, *, inside: Path | None = None) -> WorkloadIntent | None:
    """Read a workload; None with diagnostics. No link may lead out of the folder ``inside``."""
    workload: WorkloadIntent | None
    _, workload = load_strictly(path, TypeAdapter(WorkloadIntent), bag, inside=inside)
    return workload


HostNames = Annotated[
    str, Form(r"^[A-Za-z0-9*][A-Za-z0-9.*-]{0,62}$", "the name of a host, in which * stands for any text")
]


class PlacedJob(Intent):
    """A job and its hosts."""

    workload: Annotated[
        FilePath | None, Field(description="Workload file of another job; the one that names this file if left out")
    ] = None
    hosts: Annotated[
        list[HostNames] | None,
        Field(
            min_length=1,
            max_length=100_000,
            description="Hosts in the order of its ranks, * for any text; the first that no job has if left out",
        ),
    ] = None


class Placement(Intent):
    """Jobs that run at the same time."""

    jobs: Annotated[list[PlacedJob], Field(min_length=1, max_length=1000, description="A job for each item")]


class JobHosts(NamedTuple):
    """An item of a placement: its workload file, names of its hosts with their places, and its own place."""

    workload: str | None
    names: tuple[tuple[str, Place | None], ...]
    place: Place | None


def placement_schema() -> dict[str, Any]:
    """JSON Schema of placement files."""
    return schema_of_file(Placement.model_json_schema(), "placement")


def load_placement(path: Path, bag: Bag, *, inside: Path | None = None) -> list[JobHosts]:
    """Read the jobs of a placement; none with diagnostics. No link may lead out of the folder ``inside``."""
    placement: Placement | None
    document, placement = load_strictly(path, TypeAdapter(Placement), bag, inside=inside)
    if document is None or placement is None:
        return []
    return [
        JobHosts(
            job.workload,
            tuple(
                (name, document.place(document.to_path(("jobs", at, "hosts", number))))
                for number, name in enumerate(job.hosts or ())
            ),
            document.place(document.to_path(("jobs", at))),
        )
        for at, job in enumerate(placement.jobs)
    ]
