"""Options of ``fabricgen collect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.options import option
from fabricgen.cli.output import DataFormat

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
RedactOption = Annotated[bool, typer.Option("--redact", help="Replace secrets in configurations.")]
StateOption = Annotated[bool, typer.Option("--no-state", help="Read configurations only, no states for checks.")]
SudoOption = Annotated[bool, typer.Option("--no-sudo", help="Run commands without sudo, for a login as root.")]
ListOption = Annotated[bool, typer.Option("--list", help="Print the commands that would run, and connect to nothing.")]
FormatOption = Annotated[
    DataFormat | None, typer.Option("--format", help="Print a row for each device in this format.", show_default=False)
]
