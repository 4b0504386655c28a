"""Manifest of a platform as frozen picklable records; workers carry these instead of YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, NamedTuple, TypeVar

from fabricgen.plan.model.topology import Release
from fabricgen.platforms.manifest.capabilities import (
    Capabilities,
    HostCapabilities,
    NicCapabilities,
    SpeakerCapabilities,
    SwitchCapabilities,
)
from fabricgen.platforms.manifest.readings import NVUE, Reading, ask_api, read_file_as_it_is
from fabricgen.platforms.platform import Platform
from fabricgen.platforms.values import Line, Mode, Natural, PortPattern, RelativePath, Scalar
from fabricgen.validation.forms import ByName, Key, Misfit, record

R = TypeVar("R", bound=SpeakerCapabilities | NicCapabilities)
ZERO = "0"
UNSURE = "?"
"""Ending of a seed of ``hash_type_seeds`` that the ASIC may not keep as it is."""


@record
class SessionsAnswer(NamedTuple):
    """Places of BGP sessions in the JSON that the state reading ``sessions`` of the platform gives.

    Attributes:
        neighbors: Keys that lead to a map of neighbours, joined by dots, for each map that there may be.
        established: The state in which routes are exchanged.
    """

    neighbors: tuple[Line, ...]
    state: Line
    established: Line


@record
class Automation(NamedTuple):
    """Operation of a device over SSH.

    Attributes:
        shell: ``posix`` where a login takes the commands of a Unix shell; ``cli`` where it has its own command line.
        network_os: Ansible's name of that command line.
        commits: First word of the command by which typed lines take effect.
        abandons: Command that drops them.
        saves: Command that saves a change after its confirmation, where no command of the rollback takes it back from
            then on; empty where the rollback does.
        sessions: How the reading of BGP sessions is understood.
    """

    shell: Literal["posix", "cli"]
    network_os: Line = ""
    commits: Line = ""
    abandons: Line = ""
    saves: Line = ""
    sessions: SessionsAnswer | None = None

    def misfits(self) -> Iterator[Misfit]:
        """Yield what a command line needs and a shell has not."""
        for key in ("network_os", "commits", "abandons"):
            if bool(getattr(self, key)) is not (self.shell == "cli"):
                yield Misfit((key,), "is needed where shell is cli, and only there")


@record
class TemplatePart(NamedTuple):
    """A template and what it may see: ``class`` (shared text, rendered once per class) or ``device``.

    ``template`` is its path below the template root, ``inside`` the member of a JSON file whose members it renders.
    """

    template: RelativePath
    scope: Literal["class", "device"]
    inside: Line = ""


@record
class Output(NamedTuple):
    """One file on the device: where it lies, how it is put together from parts.

    Attributes:
        path: Absolute path on the device without the leading slash.
        format: ``json`` (parts are the members of one object) or ``text`` (parts follow each other).
        semantics: File that says what a difference in this one means, relative to the template root; empty if the
            file is compared by its ending alone.
    """

    path: RelativePath
    format: Literal["json", "text"]
    mode: Mode
    parts: tuple[TemplatePart, ...]
    semantics: RelativePath = ""

    def misfits(self) -> Iterator[Misfit]:
        """Yield an output of nothing, and parts of a text that are to stand inside a member."""
        if not self.parts:
            yield Misfit(("parts",), "must be a list that is not empty")
        for at, part in enumerate(self.parts):
            if part.inside and self.format != "json":
                yield Misfit(("parts", at, "inside"), "applies to the format json only")


@record
class ReleaseEntry(NamedTuple):
    """A release as a manifest lists it; what it has is that of ``plan.model.topology.Release``."""

    name: Line
    schema: Line = ""
    routing: Line = ""
    weight_sum: Natural = 0
    released: Literal["true", "false"] = "true"
    default: Literal["true", "false"] = "false"


@record
class Parameter(NamedTuple):
    """A parameter of a NIC: the value it ships with and what it takes.

    ``per_25gbps``: the value to write for each 25 Gb/s of the port; 0 where the shipped value holds at every rate.
    """

    name: Annotated[str, Key("")]
    default: Natural
    minimum: Annotated[Natural, Key("min")]
    maximum: Annotated[Natural, Key("max")]
    per_25gbps: Natural = 0
    unit: Line = ""

    def misfits(self) -> Iterator[Misfit]:
        """Yield a default that the parameter does not take."""
        if not self.minimum <= self.default <= self.maximum:
            yield Misfit(("default",), f"must be from {self.minimum} to {self.maximum}")


@record
class LibraryVariables(NamedTuple):
    """Names of a collective library's variables by release, blanks between them; ``integers`` ignore other values."""

    integers: dict[str, Line]
    texts: dict[str, Line]
    name: Annotated[str, Key("")] = ""

    def releases(self) -> dict[str, str]:
        """Return each variable with the release that has it first, or the first and the last one, ``A to B``."""
        both = (*self.integers.items(), *self.texts.items())
        return {name: release for release, names in both for name in names.split()}


@record
class PlatformSpec(NamedTuple):
    """One platform: its folder, what it can do, what it writes.

    Attributes:
        kind: ``switch``, ``host`` or ``nic``.
        folder: Template folder relative to the template root, such as ``switch/sonic``.
        parameters: NIC parameters the platform pins, with the values they ship with.
        variables: Variables by collective library; ``decided`` are those that another key of the intent decides.
        root: Template root the folder lies in; empty for the one that comes with fabricgen.
        target: Oldest release of the target the output is written for.
        listed: Releases as the manifest has them; ``since`` is the first one that takes a path of a file's tree.
        port_pattern: Name of a port from ``{cage}``, ``{lane}``, ``{subport}``; empty if the catalog names the ports.
        subport_pattern: Name of one of several ports of a cage; empty if ``port_pattern`` names it, too.
        sfp_pattern: Name of the port of an SFP cage; empty if ``port_pattern`` names it, too.
        capabilities: What it can do, of the record of its kind; ``switch``, ``host`` and ``nic`` are the same, typed.
        lacks: Capability name to the reason why the platform does not have it, half a sentence.
        container: How containerlab runs the vendor's image: kind, image, interface names; empty if it cannot.
        releases: Releases of the target the output can be written for, oldest first; empty where it does not depend
            on them.
        hash_algorithms: ECMP hash algorithm per hash rank, most preferred first; empty if there is no choice.
        hash_seeds: ECMP hash seed per hash rank; empty if none is written.
        hash_type_seeds: Seed that the target takes from a switch's place in the Clos, from the leaf up; the last one
            holds above. One that ends in ``?`` may not be kept by the ASIC.
        next_steps: What to do with rendered files, a line each; ``{folder}`` stands for the folder of a device.
        collect: Commands of ``fabricgen collect``; outputs that none of them reads are read as files. Empty where the
            platform does not say how its devices are read.
        api: API over HTTPS that gives what ``collect`` reads; empty for none.
        exports: Formats of ``fabricgen export`` that are for one platform's devices, of those that are for its own.
        lldp_port: What its LLDP calls a port: ``name``, or ``alias`` where the port has one.
        automation: How a rollout is carried out; None where the platform does not say.
        own_control: What a NIC family needs beside what is rendered to run its maker's own congestion control instead
            of DCQCN; empty where there is none.
    """

    name: Annotated[Line, Key("platform")]
    kind: Literal["switch", "host", "nic"]
    target: Line
    outputs: tuple[Output, ...]
    capabilities: Capabilities
    platform: Annotated[Platform, Key("")] = Platform()
    port_pattern: Annotated[PortPattern, Key("ports")] = ""
    lacks: dict[str, Line] = {}  # noqa: RUF012 - never written to
    hash_algorithms: tuple[Line, ...] = ()
    folder: Annotated[str, Key("")] = ""
    root: Annotated[str, Key("")] = ""
    parameters: Annotated[tuple[Parameter, ...], ByName()] = ()
    variables: Annotated[tuple[LibraryVariables, ...], ByName()] = ()
    decided: dict[str, Line] = {}  # noqa: RUF012 - never written to
    subport_pattern: Annotated[PortPattern, Key("subports")] = ""
    container: dict[str, Scalar] = {}  # noqa: RUF012 - never written to
    releases: Annotated[tuple[Release, ...], Key("")] = ()
    listed: Annotated[tuple[ReleaseEntry, ...], Key("releases")] = ()
    since: dict[str, Line] = {}  # noqa: RUF012 - never written to
    sfp_pattern: Annotated[PortPattern, Key("sfp_ports")] = ""
    hash_seeds: tuple[Line, ...] = ()
    hash_type_seeds: tuple[Line, ...] = ()
    next_steps: tuple[Line, ...] = ()
    collect: tuple[Reading, ...] = ()
    api: Literal["", "eapi", "nvue"] = ""
    exports: tuple[Line, ...] = ()
    lldp_port: Literal["name", "alias"] = "name"
    automation: Automation | None = None
    own_control: Line = ""

    def misfits(self) -> Iterator[Misfit]:
        """Yield what is listed twice, and releases that are not listed."""
        if not self.outputs:
            yield Misfit(("outputs",), "must be a list that is not empty")
        names = [release.name for release in self.listed]
        lists: dict[str, tuple[tuple[str, ...], str]] = {
            "outputs": (tuple(output.path for output in self.outputs), "path"),
            "releases": (tuple(names), "name"),
            **{
                key: (getattr(self, key), "")
                for key in ("hash_algorithms", "hash_seeds", "hash_type_seeds", "next_steps")
            },
        }
        yield from self._misread()
        for key, (values, field) in lists.items():
            for index, value in enumerate(values):
                if value in values[:index]:
                    where: tuple[str | int, ...] = (key, index, field) if field else (key, index)
                    yield Misfit(where, f"has {value!r} twice; each may be there only once")
        for path, first in self.since.items():
            if first not in names:
                yield Misfit(("since", path), f"is {first!r}; it must be one of {', '.join(names)}")

    def _misread(self) -> Iterator[Misfit]:
        """Yield readings of no output, and what is read twice."""
        outputs = {output.path for output in self.outputs}
        seen: set[str] = set()
        for at, reading in enumerate(self.collect):
            key, name = "path" if reading.path else "saves" if reading.saves else "state", reading.name
            if name in seen:
                yield Misfit(("collect", at, key), f"has {name!r} twice; each may be there only once")
            elif reading.output and reading.output not in outputs:
                yield Misfit(("collect", at, key), "must be the path of one of outputs")
            seen.add(name)
            if reading.request and self.api != NVUE:
                yield Misfit(("collect", at, "request"), "needs 'api: nvue'")
        if self.api and (missing := sorted(outputs - {reading.path for reading in self.readings_by_api()})):
            yield Misfit(("api",), f"does not give the output {missing[0]}")

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Return everything to read from a device, outputs first; none if its manifest does not say how.

        An output that no reading of the manifest has is read as the file it is; so are all outputs of a NIC family,
        which the host's system keeps.
        """
        if not self.collect and self.kind != "nic":
            return ()
        read = {reading.path for reading in self.collect}
        files = (read_file_as_it_is(output.path) for output in self.outputs if output.path not in read)
        return (*files, *self.collect)

    def readings_by_api(self) -> tuple[Reading, ...]:
        """Return what its API gives, outputs first; none if it has no API."""
        found = [ask_api(self.api, reading) for reading in self.collect] if self.api else []
        return tuple(sorted((reading for reading in found if reading), key=lambda reading: not reading.path))

    def because(self, capability: str) -> str:
        """Return why it lacks a capability, to follow a sentence that says so; empty where no reason is given."""
        reason = self.lacks.get(capability, "")
        return f": {reason}" if reason else ""

    @property
    def switch(self) -> SwitchCapabilities:
        """Return what the platform of a switch can do; asking any other one is a programming error."""
        return _typed(self.capabilities, SwitchCapabilities)

    @property
    def host(self) -> HostCapabilities:
        """Return what a host's operating system can do; asking any other platform is a programming error."""
        return _typed(self.capabilities, HostCapabilities)

    @property
    def nic(self) -> NicCapabilities:
        """Return what a NIC family can do; asking any other platform is a programming error."""
        return _typed(self.capabilities, NicCapabilities)

    @property
    def speaker(self) -> SpeakerCapabilities:
        """Return what a switch platform or host system can do; to ask a NIC family is a programming error."""
        return _typed(self.capabilities, SpeakerCapabilities)


def _typed(capabilities: Capabilities, record: type[R]) -> R:
    if isinstance(capabilities, record):
        return capabilities
    raise TypeError(f"{type(capabilities).__name__} is no {record.__name__}")


def find_platform(platforms: Mapping[str, PlatformSpec], name: str, *kinds: str) -> PlatformSpec | None:
    """Return a platform of one of some kinds; None if there is none, which is reported where it is loaded.

    A name may be that of another kind of platform by mistake.
    """
    spec = platforms.get(name)
    return spec if spec is not None and spec.kind in kinds else None


class TierHash(NamedTuple):
    """The choice of one tier.

    Attributes:
        algorithm: The maker's word; empty if none is configured.
        seed: The seed that is written; empty where none is.
        type_seed: The seed that the software takes from the switch's place; empty where it takes none, or zero.
        by_rank: What is written differs by hash rank.
    """

    algorithm: str
    seed: str
    type_seed: str
    by_rank: tuple[str, ...]

    @property
    def choice(self) -> tuple[str, str, str]:
        """Return what tiers that choose alike have in common; a seed that the ASIC may not keep counts as zero."""
        return self.algorithm, self.seed, "" if self.type_seed.endswith(UNSURE) else self.type_seed

    @property
    def seed_shown(self) -> str:
        """The seed in words; empty where nothing is known of it."""
        if not self.type_seed:
            return self.seed
        kept = self.type_seed.removesuffix(UNSURE)
        doubt = "" if kept == self.type_seed else ", if the ASIC keeps it"
        return f"{kept} by device type{doubt}"


def find_hash(spec: PlatformSpec | None, tier: int, rank: int, asic: str) -> TierHash:
    """Return how a tier chooses, by its number from the leaf up, its hash rank and the name of its ASIC."""
    if spec is None:
        return TierHash("", "", "", ())
    legal = spec.switch.hash_asics
    written = legal is None or asic.startswith(legal)
    seeds = spec.hash_seeds if written else ()
    algorithms = spec.hash_algorithms if written else ()
    types = spec.hash_type_seeds
    means = [word for word, values in (("algorithm", algorithms), ("seed", seeds)) if len(values) > 1]
    return TierHash(
        algorithm=algorithms[rank % len(algorithms)] if algorithms else "",
        seed=seeds[rank % len(seeds)] if seeds else "",
        type_seed=types[min(tier, len(types) - 1)].removeprefix(ZERO) if types else "",
        by_rank=tuple(means),
    )
