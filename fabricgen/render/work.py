"""One piece of rendering work: the devices of one manifest shard, lowered, rendered and staged.

Worker processes import this module; it stays free of the intent, the catalog and every YAML library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, Protocol

from fabricgen.device.globs import Globs, is_chosen
from fabricgen.device.transition import lower_plan
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import RenderedFile, Renderer
from fabricgen.render.render_codes import BAD_TOKEN
from fabricgen.render.secrets import SecretToken, find_tokens, resolve_tokens
from fabricgen.render.tree.stager import FileRecord


class RenderJob(NamedTuple):
    """The devices that share a manifest shard: the hosts of a unit, or the switches of a tier in one scope.

    ``tier`` is -1 for hosts; ``where`` says which zone, pod and unit.
    """

    shard: str
    tier: int
    where: Coordinates


class RenderResult(NamedTuple):
    """Result of a job."""

    records: list[FileRecord]
    diagnostics: list[Diagnostic]


class Sink(Protocol):
    """Takes finished files: a stager, or a comparison that writes nothing."""

    def put(self, shard: str, path: str, data: bytes, bag: Bag, *, mode: int = 0o644) -> FileRecord | None:
        """Take one file."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that every worker gets once; picklable.

    ``only`` has globs on device names, empty for all; ``secrets`` are looked up already, None leaves tokens.
    """

    plan: FabricPlan
    specs: Mapping[str, PlatformSpec]
    only: Globs = ()
    verify: bool = False
    secrets: Mapping[SecretToken, str] | None = None


def list_jobs(plan: FabricPlan) -> list[RenderJob]:
    """All the work there is, in manifest order."""
    jobs = []
    for tier in plan.tiers:
        counts = tier.counts
        for zone in range(counts.zone):
            for pod in range(counts.pod):
                for unit in range(counts.unit):
                    where = Coordinates(zone, pod, unit)
                    jobs.append(RenderJob(_shard(plan, tier.name, tier.scope, where), tier.number, where))
    jobs += [RenderJob(_shard(plan, "hosts", "unit", where), -1, where) for where in plan.units()]
    return jobs


def _shard(plan: FabricPlan, name: str, scope: str, where: Coordinates) -> str:
    parts = [name]
    if plan.zone_name and scope != "fabric":
        parts.append(f"z{where.zone + 1:02}")
    if plan.pod_name and scope in ("pod", "unit"):
        parts.append(f"p{where.pod + 1:02}")
    if scope == "unit":
        parts.append(f"u{where.unit + 1:03}")
    return "-".join(parts)


class Worker:
    """Does jobs of one plan; keeps classes, fragments and names between them."""

    def __init__(self, settings: Settings, sink: Sink) -> None:
        """Prepare for any number of jobs."""
        self._settings = settings
        self._sink = sink
        self._bag = Bag()
        self._lowering = lower_plan(settings.plan)
        self._renderer = Renderer(settings.specs, self._bag, verify=settings.verify)

    def run(self, job: RenderJob) -> RenderResult:
        """Lower, render and stage every device of a job."""
        records = []
        for files in self._render(job):
            for file in files:
                data = self._resolved(file)
                record = self._sink.put(job.shard, file.path, data, self._bag, mode=file.mode)
                if record is not None:
                    records.append(record)
        found = list(self._bag)
        self._bag.clear()
        return RenderResult(records, found)

    def _render(self, job: RenderJob) -> Iterator[list[RenderedFile]]:
        plan, lowering, only = self._settings.plan, self._lowering, self._settings.only
        irregular = plan.exceptions.touched_hosts
        if job.tier < 0:
            for host_id in plan.hosts_of_unit(job.where):
                if is_chosen(plan.host_name(host_id), only):
                    host = lowering.lower_host(host_id)
                    yield self._renderer.render_host(host, excepted=host_id in irregular or bool(host.state))
            return
        for device in devices_of(plan, job):
            name = lowering.name(device.tier, device.where)
            if is_chosen(name, only) and not plan.exceptions.is_absent(device):
                yield self._renderer.render_switch(lowering.lower_switch(device), excepted=device in lowering.touched)

    def _resolved(self, file: RenderedFile) -> bytes:
        """The file's bytes, with secrets in place of their tokens if they were looked up."""
        secrets = self._settings.secrets
        if secrets is None or not find_tokens(file.data):
            return file.data
        form: Literal["json", "text"] = "json" if file.path.endswith(".json") else "text"
        resolved = resolve_tokens(file.data, partial(_look_up, secrets), format=form, bag=self._bag)
        return file.data if resolved is None else resolved


def _look_up(secrets: Mapping[SecretToken, str], token: SecretToken, bag: Bag) -> str | None:
    """Return a secret; a reference of the text that the plan does not have is no secret that could be looked up."""
    if token not in secrets:
        bag.add(BAD_TOKEN, f"{token} is in rendered text, and no key of the intent refers to it")
    return secrets.get(token)


def devices_of(plan: FabricPlan, job: RenderJob) -> Iterator[DeviceId]:
    """The switches of a job."""
    counts = plan.tiers[job.tier].counts
    for plane in range(counts.plane):
        for group in range(counts.group):
            for index in range(counts.index):
                yield DeviceId(job.tier, job.where._replace(plane=plane, group=group, index=index))


def run_jobs(settings: Settings, sink: Sink, jobs: Iterable[RenderJob], processes: int) -> Iterator[RenderResult]:
    """Do jobs here or in several processes, whose sink is picklable; results come in the order of the jobs."""
    if processes <= 1:
        worker = Worker(settings, sink)
        yield from map(worker.run, jobs)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A fresh interpreter per worker: a fork would inherit the parent's lock and whatever its threads hold.
    with ProcessPoolExecutor(processes, get_context("spawn"), _start_worker, (settings, sink)) as pool:
        yield from pool.map(_run_job, jobs)


_worker: list[Callable[[RenderJob], RenderResult]] = []


def _start_worker(settings: Settings, sink: Sink) -> None:
    _worker[:] = [Worker(settings, sink).run]


def _run_job(job: RenderJob) -> RenderResult:
    return _worker[0](job)
