"""From the hosts that a placement names to jobs on hosts of the plan; no host has two jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Nearest, Place, Related, Severity, register
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.workload import Workload

_DOCS = "docs/training-traffic.md, placement"

ABSENT = register(
    "FG-EXP-011",
    "Placement on a host that takes no job",
    why="The job cannot start there: the host does not exist, is a spare, or is out of service.",
    fix="Name hosts as `fabricgen show INVENTORY devices` has them; leave out spares and hosts out of service.",
    source=_DOCS,
)
TWICE = register(
    "FG-EXP-012",
    "Host placed twice",
    why="A GPU runs one job at a time; a rank has one GPU.",
    fix="Name the host once.",
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
    """Return the jobs with their hosts; those without names of hosts come last to free ones.

    Args:
        plan: The plan.
        requests: The jobs.
        bag: Takes hosts that are absent, taken or left over.
    """
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
                bag.add(ABSENT, f"no host is left for {job.name}", place=request.place)
        placed[at] = job._replace(placed=tuple(found))
    return tuple(placed[at] for at in sorted(placed))


def is_usable(plan: FabricPlan, host: HostId, job: Workload) -> bool:
    """Return whether a host that exists can take a job: it is no spare, in service, and of a group of the job.

    Args:
        plan: The plan.
        host: The host.
        job: The job.
    """
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
            bag.add(ABSENT, message, place=place, hint=hint)
        for host in usable:
            if host in taken:
                other = taken[host]
                where = (Related(f"{other.job} has it", place=other.place),)
                message = f"{plan.host_name(host)} of {job.name} has {other.job} already"
                bag.add(TWICE, message, place=place, related=where, hint=f"remove it from {job.name} or {other.job}")
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
