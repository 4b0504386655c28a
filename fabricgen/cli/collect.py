"""``fabricgen collect``: what the devices of an inventory have, fetched from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.collect_login import build_login, parse_ways
from fabricgen.cli.diff import TierOption
from fabricgen.cli.options import CatalogOption, InventoryArgument, OnlyOption, OverlayOption, flag, option
from fabricgen.cli.output import DataFormat, end_on_errors, print_diagnostics, print_line, print_rows
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.api import Compiled
    from fabricgen.api.collect import CollectSettings
    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.collect.gather import AccessWay
    from fabricgen.collect.target import CollectTarget, Login
    from fabricgen.platforms.manifest.spec import PlatformSpec


OutOption = Annotated[Path | None, option("-o --out", "DIR", "Folder of the collection, private to you.")]
UserOption = Annotated[str, option("--user", "NAME", "Name to log in with; your own if not given.")]
PortOption = Annotated[int, typer.Option("--port", metavar="N", min=1, max=65535, help="Port of the SSH servers.")]
KeyOption = Annotated[
    list[Path] | None, option("--key", "FILE", "Private key, offered after those of the agent; may be repeated.")
]
PassphraseOption = Annotated[
    str, option("--passphrase", "env:NAME", "Where to find what opens the key; as --password.")
]
PasswordOption = Annotated[
    str,
    option(
        "--password",
        "env:NAME",
        "Where to find the login's password: env:NAME, file:PATH (mode 0600), command:PROGRAM.",
    ),
]
ViaOption = Annotated[
    list[str] | None,
    option("--via", "WAY[:PORT]", "Way to switches that have it: eapi, nvue; SSH to the others; may be repeated."),
]
PinsOption = Annotated[
    list[Path] | None,
    option("--pins", "FILE", "Fingerprints of certificates, a line HOST[:PORT] SHA256:… each; may be repeated."),
]
AuthorityOption = Annotated[
    list[Path] | None, option("--ca", "FILE", "Authorities that sign certificates of devices, PEM; may be repeated.")
]
JumpOption = Annotated[
    str, option("--jump", "HOST[,HOST]", "Jump hosts on the way, as [USER@]HOST[:PORT], the nearest first.")
]
KnownOption = Annotated[
    list[Path] | None,
    option("--known-hosts", "FILE", "Host keys of devices; ~/.ssh/known_hosts if not given; may be repeated."),
]
AddressOption = Annotated[
    list[str] | None,
    option("--address", "NAME=HOST[:PORT]", "Where a device is reached, or eapi://HOST, nvue://HOST; may be repeated."),
]
AddressesOption = Annotated[
    list[Path] | None, option("--addresses", "FILE", "The same from a file, a line NAME HOST[:PORT] for each device.")
]
WidthOption = Annotated[
    int, typer.Option("--width", metavar="N", min=1, max=1000, help="Devices that are asked at the same time.")
]
TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", metavar="S", min=1, max=3600, help="Seconds for a command; twice as many for a device."),
]
RedactOption = Annotated[bool, flag("--redact", "Replace secrets in configurations.")]
StateOption = Annotated[bool, flag("--no-state", "Read configurations only, no states for checks.")]
SudoOption = Annotated[bool, flag("--no-sudo", "Run commands without sudo, for a login as root.")]
ListOption = Annotated[bool, flag("--list", "Print the commands that would run, and connect to nothing.")]
FormatOption = Annotated[
    DataFormat | None, typer.Option("--format", help="Print a row for each device in this format.", show_default=False)
]


EXAMPLES = """\
fabricgen collect my-fabric -o collected --user admin
fabricgen collect my-fabric -o collected --jump ops@bastion --only 'leaf-*'
fabricgen collect my-fabric -o collected --addresses lab.txt --key lab_key
fabricgen collect my-fabric -o collected --via eapi --password file:secret
fabricgen collect my-fabric --list --only leaf-u001-r0"""


def collect(
    inventory: InventoryArgument,
    out: OutOption = None,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    tier: TierOption = None,
    user: UserOption = "",
    port: PortOption = 22,
    key: KeyOption = None,
    passphrase: PassphraseOption = "",
    password: PasswordOption = "",
    jump: JumpOption = "",
    known_hosts: KnownOption = None,
    via: ViaOption = None,
    pins: PinsOption = None,
    ca: AuthorityOption = None,
    address: AddressOption = None,
    addresses: AddressesOption = None,
    width: WidthOption = 50,
    timeout: TimeoutOption = 60,
    redact: RedactOption = False,
    no_state: StateOption = False,
    no_sudo: SudoOption = False,
    listing: ListOption = False,
    form: FormatOption = None,
) -> None:
    """Fetch running configurations and states from devices.

    A device that does not answer is reported, and the rest goes on. Exit code: 0 all collected, 1 errors.
    """
    from fabricgen.collect.targets import DeviceAccess, list_names, list_targets, read_addresses

    if out is None and not listing:
        raise typer.BadParameter("name a folder, for example -o collected", param_hint="'-o'")
    bag = Bag()
    planned = load_planned(inventory, overlay, catalog)
    given = read_addresses(address or (), addresses or (), list_names(planned.plan), bag)
    reach, chosen = DeviceAccess(given, port, parse_ways(via or ())), _choose(planned, only or (), tier or (), bag)
    targets = list_targets(planned.plan, planned.platforms, chosen, reach, bag, states=not no_state)
    end_on_errors(bag)
    if listing or out is None:
        _print_commands(targets, form or DataFormat.table, sudo=not no_sudo)
        return
    login = build_login(user, known_hosts, key, passphrase, password, jump, pins=pins, authorities=ca, sudo=not no_sudo)
    settings = build_settings(out, login, width, timeout)
    run_collection(targets, planned.platforms, settings, form, planned.compiled if redact else None)


def _choose(planned: PlannedInventory, only: Sequence[str], tiers: Sequence[str], bag: Bag) -> frozenset[str] | None:
    """Return the names of the devices that options choose; None for all."""
    from fabricgen.collect.targets import list_names
    from fabricgen.device.globs import Choice, check_only, choose_devices, is_chosen

    check_only(tuple(only), planned.plan, bag)
    chosen = choose_devices(Choice(tiers=tuple(tiers)), planned.plan, bag)
    if not only:
        return chosen
    names = list_names(planned.plan) if chosen is None else chosen
    return frozenset(name for name in names if is_chosen(name, tuple(only)))


def _print_commands(targets: Sequence[CollectTarget], form: DataFormat, *, sudo: bool) -> None:
    """Print what would run where."""
    from fabricgen.collect.target import spell_command

    print_rows(
        (
            {
                "device": target.name,
                "address": target.address,
                "via": target.via,
                "answer": reading.name,
                "command": spell_command(reading, sudo=sudo),
            }
            for target in targets
            for reading in target.readings
        ),
        form,
    )


def build_settings(out: Path, login: Login, width: int, timeout: float) -> CollectSettings:
    """Return the settings of a collection, with the clock."""
    from datetime import UTC, datetime

    from fabricgen.api.collect import CollectSettings
    from fabricgen.collect.target import CollectLimits

    limits = CollectLimits(width=width, command_s=timeout, total_s=2 * timeout)

    def now() -> str:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    return CollectSettings(out, login, limits, now)


def run_collection(
    targets: Sequence[CollectTarget],
    specs: Mapping[str, PlatformSpec],
    settings: CollectSettings,
    form: DataFormat | None,
    compiled: Compiled | None = None,
    ways: Mapping[str, AccessWay] | None = None,
) -> None:
    """Collect, and print what became of it; a device that is not collected ends the command with 1."""
    import gc
    import time

    from fabricgen.api.collect import collect as collect_all
    from fabricgen.collect.report import to_row

    bag = Bag()
    started = time.monotonic()
    # Connections are cycles of objects: what the inventory needed stays, what each device needed goes with it.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    with show_progress("collecting") as progress:
        outcomes = collect_all(
            targets, specs, settings, bag, lambda done: progress("collecting", done, len(targets)), compiled, ways
        )
    failed = print_diagnostics(bag)
    if outcomes is not None:
        if form is not None:
            print_rows(map(to_row, outcomes), form)
        whole = sum(outcome.failure is None for outcome in outcomes)
        seconds = time.monotonic() - started
        print_line(f"{settings.out}: {whole} of {len(outcomes)} devices collected in {seconds:.1f} s", error=True)
    if failed or outcomes is None:
        raise typer.Exit(1)
