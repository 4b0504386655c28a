"""Rules on the gNMI server of switches: where its files are, whom it admits, what guards it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.platforms import platform_of, platforms_with
from fabricgen.diagnostics import IntentPath, Severity
from fabricgen.platforms.manifest.capabilities import Rendered, SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec

NOTES = "The platform's NOTES.md"
GNMI: IntentPath = ("operations", "gnmi")
CLIENTS: IntentPath = (*GNMI, "clients")
POOL: IntentPath = ("addressing", "management", "pool")
FILES = (("server_crt", 0), ("server_key", 1), ("ca_crt", 0))
"""Keys that name files, with which of a platform's endings is theirs: that of certificates or that of keys."""


def _serving(
    view: IntentView, answer: Callable[[SwitchCapabilities], object], value: object
) -> list[tuple[PlatformSpec, list[str]]]:
    """Return the platforms that render gNMI and give an answer, with their tiers; none where it is not asked for."""
    asked = view.intent.operations.gnmi is not None
    return platforms_with(view, lambda can: can.gnmi is Rendered.YES and answer(can) == value, True) if asked else []


def _of_each(
    served: Iterable[tuple[PlatformSpec, list[str]]],
    said: str,
    path: IntentPath,
    hint: str = "",
    *,
    on_key: bool = False,
) -> Iterator[Finding]:
    """One finding per platform that says the same of each."""
    for spec, tiers in served:
        yield Finding(f"{spec.name} {said}", path, hint=hint, related=platform_of(*tiers), on_key=on_key)


@rule(
    "FG-PLT-070",
    "gNMI's files where the platform does not find them",
    why="The server of the platform sees one folder of the switch only, or refuses the name: it does not start.",
    fix="Put the files into the platform's folder, with its endings.",
    source="sonic-net/sonic-buildimage 202405 to 202605, rules/docker-gnmi.mk (folders that the container mounts), "
    "sonic-gnmi.yang (patterns of certs)",
)
def check_gnmi_files(view: IntentView) -> Iterator[Finding]:
    """Every file of gNMI lies where each platform looks for it, under a name it takes."""
    gnmi = view.intent.operations.gnmi
    for spec, tiers in _serving(view, lambda can: bool(can.gnmi_folder), True):
        folder, endings = spec.switch.gnmi_folder, spec.switch.gnmi_endings
        for key, kind in FILES:
            path = getattr(gnmi, key)
            ending = endings[kind] if kind < len(endings) else ""
            if path.startswith(folder) and path.endswith(ending):
                continue
            taken = f"files below {folder}" + (f" that end in {ending}" if ending else "")
            name = PurePosixPath(path).stem + ending if ending else PurePosixPath(path).name
            yield Finding(
                f"{key} is {path}; {spec.name} takes {taken}",
                (*GNMI, key),
                hint=f"use {folder}{name}",
                value=f"{folder}{name}",
                related=platform_of(*tiers),
            )


@rule(
    "FG-PLT-071",
    "gNMI that admits no client",
    why="The platform looks up the common name of a client's certificate in a list, and refuses whom it does not find.",
    fix="Name the collectors by the common names of their certificates.",
    source="sonic-net/sonic-gnmi, gnmi_server/clientCertAuth.go (47a3b00e, dd99be18); sonic-net/sonic-buildimage "
    "dockers/docker-sonic-gnmi/gnmi-native.sh",
)
def check_gnmi_clients(view: IntentView) -> Iterator[Finding]:
    """At least one client may read where the platform admits clients by name."""
    gnmi = view.intent.operations.gnmi
    if gnmi is not None and not gnmi.clients:
        said = "admits clients by the common names of their certificates; none is named"
        hint = "add clients: [collector.example.net] to operations.gnmi"
        yield from _of_each(_serving(view, lambda can: can.gnmi_clients, True), said, GNMI, hint, on_key=True)


@rule(
    "FG-PLT-970",
    "gNMI admits more clients than are named",
    severity=Severity.WARNING,
    why="The platform asks for a certificate that the authority signed; no list of common names is known of it.",
    fix="Let the authority sign certificates of collectors only, and waive this.",
    source=NOTES,
)
def check_gnmi_clients_rendered(view: IntentView) -> Iterator[Finding]:
    """Name the clients that a platform does not tell from others."""
    gnmi = view.intent.operations.gnmi
    if gnmi is None or not gnmi.clients:
        return
    first, *others = sorted(gnmi.clients)
    named = f"{first} and {len(others)} more" if others else first
    said = f"admits every client with a certificate signed by ca_crt, not {named} alone"
    yield from _of_each(_serving(view, lambda can: can.gnmi_clients, False), said, CLIENTS)


@rule(
    "FG-PLT-971",
    "gNMI's private key is imported with its certificate",
    severity=Severity.INFO,
    why="The configuration names certificates by the ids under which they were imported; a key has none of its own.",
    fix="Import certificate and key together, and the authority's certificate, before the configuration is applied.",
    source=NOTES,
)
def check_gnmi_key(view: IntentView) -> Iterator[Finding]:
    """Say under which ids certificates have to be imported."""
    gnmi = view.intent.operations.gnmi
    if gnmi is None:
        return
    own, authority = (PurePosixPath(path).stem for path in (gnmi.server_crt, gnmi.ca_crt))
    said = f"takes {gnmi.server_key} with the import of its certificate under the id {own}, and the authority's "
    said += f"certificate under {authority}"
    yield from _of_each(_serving(view, lambda can: can.gnmi_imports_key, True), said, (*GNMI, "server_key"))


@rule(
    "FG-PLT-072",
    "Two certificates of gNMI under one name",
    why="Platforms that know certificates by their names would have one of them in both places.",
    fix="Give the files different names.",
    source=NOTES,
)
def check_gnmi_names(view: IntentView) -> Iterator[Finding]:
    """The switch's certificate and the authority's have different names."""
    gnmi = view.intent.operations.gnmi
    if gnmi and PurePosixPath(gnmi.server_crt).stem == PurePosixPath(gnmi.ca_crt).stem:
        own = PurePosixPath(gnmi.ca_crt)
        other = str(own.with_name(f"ca_{own.name}"))
        yield Finding(
            f"ca_crt is {gnmi.ca_crt}, which has the name of server_crt, {gnmi.server_crt}",
            (*GNMI, "ca_crt"),
            hint=f"use another file name, for example ca_crt: {other}",
            value=other,
        )


@rule(
    "FG-PLT-968",
    "gNMI over IPv6 is not guarded",
    severity=Severity.WARNING,
    why="The platform's gNMI server takes an access list for IPv4 only. Over IPv6 nothing but the certificates of its "
    "clients guards it.",
    fix="Give switches IPv4 management addresses, or guard gNMI in the management network and waive this.",
    source=NOTES,
)
def check_gnmi_guarded(view: IntentView) -> Iterator[Finding]:
    """Name platforms that serve gNMI in a family for which they have no access list."""
    operations, pool = view.intent.operations, view.intent.addressing.management.pool
    if operations.gnmi is None or pool.version == 4 or not operations.access.acl:
        return
    said = f"has no access list for gNMI over IPv6; it answers every client that reaches {pool}"
    yield from _of_each(_serving(view, lambda can: can.access_gnmi6, False), said, POOL)
