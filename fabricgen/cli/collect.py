"""``fabricgen collect``: what the devices of an inventory have, fetched from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fabricgen.cli.collect_login import LoginWords, build_login, parse_ways
from fabricgen.cli.collect_options import (
    AddressesOption,
    AddressOption,
    AuthorityOption,
    FormatOption,
    JumpOption,
    KeyOption,
    KnownOption,
    ListOption,
    OutOption,
    PassphraseOption,
    PasswordOption,
    PinsOption,
    PortOption,
    RedactOption,
    StateOption,
    SudoOption,
    TimeoutOption,
    UserOption,
    ViaOption,
    WidthOption,
)
from fabricgen.cli.diff import TierOption
from fabricgen.cli.options import CatalogOption, InventoryArgument, OnlyOption, OverlayOption
from fabricgen.cli.output import DataFormat, DiagnosticFormat, print_diagnostics, print_line, print_rows
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.api import Compiled
    from fabricgen.api.collect import CollectSettings, Reaching
    from fabricgen.cli.planned import PlannedInventory
    from fabricgen.collect.target import CollectTarget, Login
    from fabricgen.diagnostics import Bag
    from fabricgen.platforms.manifest.spec import PlatformSpec

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
    from fabricgen.collect.addresses import read_addresses
    from fabricgen.collect.targets import DeviceAccess, list_names, list_targets
    from fabricgen.diagnostics import Bag

    if out is None and not listing:
        raise typer.BadParameter("name a folder, for example -o collected", param_hint="'-o'")
    bag = Bag()
    planned = load_planned(inventory, overlay, catalog)
    given = read_addresses(address or (), addresses or (), list_names(planned.plan), bag)
    reach, chosen = DeviceAccess(given, port, parse_ways(via or ())), _choose(planned, only or (), tier or (), bag)
    targets = list_targets(planned.plan, planned.platforms, chosen, reach, bag, states=not no_state)
    if print_diagnostics(bag, None, DiagnosticFormat.text):
        raise typer.Exit(1)
    if listing or out is None:
        _print_commands(targets, form or DataFormat.table, sudo=not no_sudo)
        return
    words = LoginWords(user, known_hosts, key, passphrase, password, jump, pins, ca, sudo=not no_sudo)
    settings = build_settings(out, build_login(words), width, timeout)
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
    ways: Reaching | None = None,
) -> None:
    """Collect, and print what became of it; a device that is not collected ends the command with 1."""
    import gc
    import time

    from fabricgen.api.collect import collect as collect_all
    from fabricgen.collect.report import list_rows
    from fabricgen.diagnostics import Bag

    bag = Bag()
    started = time.monotonic()
    # Connections are cycles of objects: what the inventory needed stays, what each device needed goes with it.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    with show_progress("collecting") as progress:
        outcomes = collect_all(
            targets,
            specs,
            settings,
            bag,
            lambda done: progress("collecting", done, len(targets)),
            compiled,
            ways,
        )
    failed = print_diagnostics(bag, None, DiagnosticFormat.text)
    if outcomes is not None:
        if form is not None:
            print_rows(list_rows(outcomes), form)
        whole = sum(outcome.failure is None for outcome in outcomes)
        seconds = time.monotonic() - started
        print_line(f"{settings.out}: {whole} of {len(outcomes)} devices collected in {seconds:.1f} s", error=True)
    if failed or outcomes is None:
        raise typer.Exit(1)
