"""Table of what management and the board ask of a platform: services, logins, gNMI, samples, data of the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import PurePosixPath

from fabricgen.checks.beyond import LACKING, NOTES, TOO_MUCH, Asked, Row, Who, is_absent, is_at_most, stated, table
from fabricgen.checks.model import Finding, IntentView, further
from fabricgen.checks.rules.platforms import each_platform, each_tier
from fabricgen.checks.rules.services import services_asked
from fabricgen.diagnostics import IntentPath, Related, Severity, register
from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.manifest.capabilities import GnmiFiles, Rendered

GNMI: IntentPath = ("operations", "gnmi")


@further("FG-PLT-070")
def check_gnmi_names(view: IntentView) -> Iterator[Finding]:
    """The switch's certificate and the authority's have different names."""
    gnmi = view.intent.operations.gnmi
    if gnmi and PurePosixPath(gnmi.server_crt).stem == PurePosixPath(gnmi.ca_crt).stem:
        own = PurePosixPath(gnmi.ca_crt)
        other = str(own.with_name(f"ca_{own.name}"))
        message = f"ca_crt is {gnmi.ca_crt}, which has the name of server_crt, {gnmi.server_crt}"
        yield Finding(message, (*GNMI, "ca_crt"), hint=f"use another file name, for example ca_crt: {other}")


_FILES = (("server_crt", 0), ("server_key", 1), ("ca_crt", 0))
"""Keys that name files, with which of a platform's endings is theirs: that of certificates or that of keys."""


def _services(view: IntentView, _: Who) -> Iterator[Asked]:
    """Every service that the intent asks for, but for who may open connections."""
    yield from (Asked(path, key) for key, paths in services_asked(view).items() for path in paths if key != "access")


def _services_and_management(view: IntentView, who: Who) -> Iterator[Asked]:
    """Every service, and the addresses of management ports."""
    yield from (Asked(path, key) for key, paths in services_asked(view).items() for path in paths)
    if "management" in view.intent.addressing.model_fields_set:
        yield Asked(("addressing", "management"), "management")


def _access(view: IntentView, _: Who) -> Iterator[Asked]:
    """Keys of the control-plane ACL that are written."""
    access = view.intent.operations.access
    path = ("operations", "access")
    if "acl" in access.model_fields_set:
        yield Asked((*path, "acl"), "acl")
    yield from (Asked((*path, "management", f"[{prefix}]"), "management") for prefix in access.management or ())


def _guards(view: IntentView, who: Who) -> Iterator[Asked]:
    """Guards that are neither written nor stock, where the intent guards access, of what there is to be guarded."""
    ops, can = view.intent.operations, who.can
    wanted = {
        "anti_spoofing": next(iter(view.intent.tiers)) in {who.key, *(path[1] for path in who.also)},
        "bfd_policing": can.bfd and view.intent.routing.bfd != "off",
        "accounting": ops.tacacs and can.tacacs is Rendered.YES,
        "snmpv3": ops.snmp and can.snmp is Rendered.YES,
        "syslog_tls": ops.syslog and can.syslog is Rendered.YES,
    }
    lacking = [_GUARDS[name] for name, there in wanted.items() if there and name not in can.guards]
    if "access" in ops.model_fields_set:
        yield Asked(("operations", "access"), lacking, {"lacking": and_list(lacking)})


_GUARDS = {
    "anti_spoofing": "anti-spoofing at ports to hosts",
    "bfd_policing": "a policer for BFD alone",
    "accounting": "accounting of commands",
    "snmpv3": "SNMPv3",
    "syslog_tls": "syslog over TLS",
}


def _logins(view: IntentView, _: Who) -> Iterator[Asked]:
    """Logins without the hash of a password."""
    named = (user.name for user in view.intent.operations.users if user.password_hash is None)
    yield from (Asked(("operations", "users", f"[{name}]"), name) for name in named)


def _rates(view: IntentView, _: Who) -> Iterator[Asked]:
    """Sampling rates, for all switches and for each that has its own."""
    leaf, sflow = ("operations", "sflow", "sampling_rate"), view.intent.operations.sflow
    if sflow:
        yield Asked(leaf, sflow.sampling_rate)
        own = ((each.value, each.path) for each in view.intent.settings if each.leaf == leaf)
        yield from (Asked(path, rate) for rate, path in own if isinstance(rate, int))


def _numbers(view: IntentView, who: Who) -> Iterator[Asked]:
    """Models whose ASIC, or whose ports, have no number by which the platform knows them."""
    model, numbered = view.catalog.switches.get(view.intent.tiers[who.key].model), who.can.numbered_asics
    if model is None or not numbered:
        return
    lacks, key = f"has a number for {and_list(numbered)}, and none for {model.asic.id}", "asic"
    if model.asic.id in numbered:
        lacks, key = f"needs the number and the profiles of every port; the catalog has none for {model.id}", "cages"
    if key == "asic" or not all(cage.numbered for cage in model.cages):
        yield Asked(("tiers", who.key, "model"), lacks, {"model": model.id}, record=("switches", model.id, key))


def _no_board_data(view: IntentView, who: Who) -> Iterator[Asked]:
    tier = view.intent.tiers[who.key]
    if tier.board_data is None:
        yield Asked(("tiers", who.key), None, {"model": tier.model})


def _gnmi(*path: str, when: Callable[[IntentView], object] = bool) -> Callable[[IntentView, Who], Iterator[Asked]]:
    """Asked where gNMI is, of platforms that render it."""

    def asks(view: IntentView, who: Who) -> Iterator[Asked]:
        gnmi, pool = view.intent.operations.gnmi, view.intent.addressing.management.pool
        if gnmi is None or who.can.gnmi is not Rendered.YES or not when(view):
            return
        first, *others = (*sorted(gnmi.clients), "")
        words = {"named": f"{first} and {len(others) - 1} more" if len(others) > 1 else first, "pool": pool}
        yield Asked(path or GNMI, None, words)

    return asks


def _has_clients(view: IntentView) -> bool:
    gnmi = view.intent.operations.gnmi
    return gnmi is not None and bool(gnmi.clients)


def _answers_ipv6(view: IntentView) -> bool:
    return view.intent.addressing.management.pool.version != 4 and view.intent.operations.access.acl


def _files(view: IntentView, who: Who) -> Iterable[Asked]:
    """Files of gNMI, each with the folder and ending that a platform asks for, and the name that it takes."""
    folder, endings = who.can.gnmi_folder, who.can.gnmi_endings
    for key, kind in _FILES if folder else ():
        for asked in _gnmi(*GNMI, key)(view, who):
            path = getattr(view.intent.operations.gnmi, key)
            ending = endings[kind] if kind < len(endings) else ""
            name = PurePosixPath(path).stem + ending if ending else PurePosixPath(path).name
            words = {
                "setting": key,
                "taken": f"files below {folder}" + (f" that end in {ending}" if ending else ""),
                "other": f"{folder}{name}",
                "path": path,
            }
            yield asked._replace(value=path.startswith(folder) and path.endswith(ending), words=words)


def _file_names(view: IntentView, who: Who) -> Iterator[Asked]:
    """The files of gNMI, with what a platform that does not write their paths knows them by."""
    for asked in _gnmi(*GNMI, "server_key")(view, who):
        paths = [getattr(view.intent.operations.gnmi, key) for key, _ in _FILES]
        certificate, key, authority = map(PurePosixPath, paths)
        names = f"the names {and_list([certificate.name, key.name, authority.name])}"
        if who.can.gnmi_files is GnmiFiles.ID:
            names = f"the ids of their import, {certificate.stem} with its key and {authority.stem}"
        related = tuple(Related("a certificate", (*GNMI, name)) for name in ("server_crt", "ca_crt"))
        yield asked._replace(words={"paths": and_list(paths), "names": names}, related=related)


_noted = partial(register, source=NOTES)
BENEATH = _noted(
    "FG-PLT-901",
    "Left to the system beneath the platform",
    severity=Severity.INFO,
    why="The platform is a program on a general-purpose system that owns this; nothing is rendered for it.",
    fix="Set it up where that system is installed from, and keep the intent as the record; or choose another platform.",
)
UNGUARDED = _noted(
    "FG-PLT-955",
    "Access is not rendered",
    severity=Severity.WARNING,
    why="The platform is rendered without it: its switches take connections from wherever they did before. gNMI over "
    "IPv6 without an access list is guarded by nothing but the certificates of its clients.",
    fix="Guard these switches by hand or in the management network, and waive this; gNMI also by IPv4 addresses.",
)
NO_GUARDS = register(
    "FG-PLT-977",
    "Guards that are not rendered",
    severity=Severity.INFO,
    why="Hosts can send from any address; a flood of pings takes BFD where it shares their policer; commands leave no "
    "record on the servers of logins; communities of SNMPv2c and logs pass the management network in clear.",
    fix="No action is needed where hosts and the management network are trusted; else lay the lines over the "
    "configuration as a raw snippet.",
    source=f"{NOTES}; RFC 2827, RFC 3704 (source addresses); RFC 5881 section 9; RFC 8907; RFC 3414; RFC 5425",
)
NO_PASSWORD = _noted(
    "FG-PLT-026",
    "The platform's logins need a password",
    why="A login without one is open at the console.",
    fix="Give the hash of a password beside the key.",
)
IN_BAND = register(
    "FG-PLT-042",
    "Samples that travel through the fabric",
    severity=Severity.INFO,
    why="The ASIC sends them like any packet: without a route of the fabric to the collector none leaves.",
    fix="Make the collector reachable from the fabric.",
    source=f"{NOTES}; facebook/fboss agent/MirrorManager.cpp",
)
UNNUMBERED = register(
    "FG-PLT-029",
    "An ASIC or ports without the numbers the platform knows them by",
    why="The platform finds a port by the number its maker gave it, and starts no ASIC whose type it does not know.",
    fix="Add cages.names, base, numbered and port_profiles to the model's file, from the maker's port mapping; use a "
    "model with an ASIC of the list.",
    source="facebook/fboss lib/platform_mapping_v2; agent/switch_config.thrift, AsicType; agent/hw/switch_asics/"
    "HwAsic.cpp, makeAsic",
)
NO_BOARD_DATA = register(
    "FG-PLT-040",
    "Board data that is missing, or that the platform does not take",
    why="The platform does not start without the vendor's data for the chip, and PFC works only in the "
    "lossless mode that it sets; it cannot be guessed. Another section would be missing from the configuration.",
    fix="Put the vendor's section for a lossless chip into a file and name it: tiers.<tier>.board_data; remove it if "
    "the platform takes none.",
    source=f"{NOTES}; facebook/fboss agent/platform_config.thrift, ChipConfig; test/utils/NetworkAITestUtils.cpp, "
    "applyBackendAsicConfig",
)
ELSEWHERE = register(
    "FG-PLT-070",
    "gNMI's files where the platform does not find them",
    why="The server of the platform sees one folder of the switch only, or refuses the name: it does not start. If it "
    "knows certificates by their names, one of two alike would be in both places.",
    fix="Put the files into the platform's folder, with its endings and under different names.",
    source=f"{NOTES}; sonic-net/sonic-buildimage 202405 to 202605, rules/docker-gnmi.mk (folders that the container "
    "mounts), sonic-gnmi.yang (patterns of certs)",
)
NO_CLIENT = register(
    "FG-PLT-071",
    "gNMI that admits no client",
    why="The platform looks up the common name of a client's certificate in a list, and refuses whom it does not find.",
    fix="Name the collectors by the common names of their certificates.",
    source="sonic-net/sonic-gnmi, gnmi_server/clientCertAuth.go (47a3b00e, dd99be18); "
    "sonic-net/sonic-buildimage dockers/docker-sonic-gnmi/gnmi-native.sh",
)
ANY_CLIENT = _noted(
    "FG-PLT-970",
    "gNMI admits more clients than are named",
    severity=Severity.WARNING,
    why="The platform asks for a certificate that the authority signed; no list of common names is known of it.",
    fix="Let the authority sign certificates of collectors only, and waive this.",
)
NOT_BY_PATH = _noted(
    "FG-PLT-971",
    "gNMI's files that are not named by their paths",
    severity=Severity.INFO,
    why="The configuration names them without folders: by names in folders of the system, or by the ids under which "
    "certificates are imported, the key with the switch's own.",
    fix="Install or import certificate and key together, and the authority's certificate, before the configuration is "
    "applied.",
)
table(
    Row(LACKING, each_platform, _services, lambda can, key: getattr(can, key) is not Rendered.NO, on_key=True).text(
        "{name} cannot take {value} from its configuration", "remove it"
    ),
    Row(
        BENEATH, each_platform, _services_and_management, lambda can, key: getattr(can, key) is not Rendered.BENEATH
    ).text("{name} leaves {value} to the system it runs on; nothing is rendered for its switches"),
    Row(UNGUARDED, each_platform, _access, lambda can, _: can.access is not Rendered.NO).text(
        "{name} is not rendered with {value}"
    ),
    Row(NO_GUARDS, each_platform, _guards, "guards", takes=lambda lacking, _: not lacking).text(
        "{name} is rendered without {lacking}"
    ),
    Row(NO_PASSWORD, each_tier, _logins, "users_need_password", takes=is_absent).text(
        "{value} has no password_hash; tier {key!r} runs {name}, which would allow logins without a password",
        "add password_hash: {{secret: …}}",
    ),
    Row(
        TOO_MUCH, each_platform, stated(("operations", "timezone")), lambda can, it: it not in can.timezones_lacking
    ).text("{name} has no time zone of the name {value}", "name a place, such as Europe/Berlin, or UTC"),
    Row(IN_BAND, each_platform, stated(("operations", "sflow")), "sflow_inband", takes=is_absent).text(
        "{name} sends samples through the fabric, not by the management network"
    ),
    Row(TOO_MUCH, each_platform, _rates, "sflow_rate_max", takes=is_at_most).text(
        "{name} samples at most one packet of {limit}; the rate is one of {value}", "use a rate of at most {limit}"
    ),
    Row(UNNUMBERED, each_tier, _numbers, "numbered_asics", takes=is_absent).text(
        "{name} {value}", "use another model, or complete catalog/switches/{model}.yaml beside the inventory"
    ),
    Row(NO_BOARD_DATA, each_tier, _no_board_data, "board_data", takes=is_absent, on_key=True).text(
        "{name} requires the chip section of {model} in its configuration; the vendor ships it",
        "add board_data: FILE to tiers.{key}",
    ),
    Row(ELSEWHERE, each_platform, _files, "gnmi_folder", takes=lambda fits, _: fits).text(
        "{setting} is {path}; {name} takes {taken}", "use {other}"
    ),
    Row(
        NO_CLIENT,
        each_platform,
        _gnmi(when=lambda view: not _has_clients(view)),
        "gnmi_clients",
        takes=is_absent,
        on_key=True,
    ).text(
        "{name} admits clients by the common names of their certificates; none is named",
        "add clients: [collector.example.net] to operations.gnmi",
    ),
    Row(ANY_CLIENT, each_platform, _gnmi(*GNMI, "clients", when=_has_clients), "gnmi_clients").text(
        "{name} admits every client with a certificate signed by ca_crt, not {named} alone"
    ),
    Row(NOT_BY_PATH, each_platform, _file_names, "gnmi_files", takes=lambda _, how: how is GnmiFiles.PATH).text(
        "{name} knows {paths} by {names}"
    ),
    Row(UNGUARDED, each_platform, _gnmi("addressing", "management", "pool", when=_answers_ipv6), "access_gnmi6").text(
        "{name} has no access list for gNMI over IPv6; it answers every client that reaches {pool}"
    ),
)
