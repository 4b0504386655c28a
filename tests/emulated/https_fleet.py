"""Switches with an API over HTTPS, running, and what a client has to know of them."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ipaddress
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from ruamel.yaml import YAML

from fabricgen.collect.target import CollectTarget
from tests.emulated.https_switch import LOGIN, Answer, Switch
from tests.emulated_devices import raise_limit, served

VARIABLE = "FABRICGEN_TEST_PASSWORD"
Key = ec.EllipticCurvePrivateKey


class Authority:
    """Signs certificates for servers on the loopback; without one a certificate signs itself."""

    def __init__(self, name: str = "authority") -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = make_certificate(name, self.key, None, host="")

    def write(self, file: Path) -> Path:
        file.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        return file


def make_certificate(
    name: str, key: Key, authority: Authority | None, host: str = "127.0.0.1", days: int = 1
) -> x509.Certificate:
    """Return a certificate for a host, or of an authority where there is none; expired with fewer than 0 days."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.certificate.subject if authority else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=9))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=not host, path_length=None), critical=True)
    )
    if host:
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(authority.key if authority else key, hashes.SHA256())


def give_certificate(switch: Switch, folder: Path, authority: Authority | None = None, **settings: Any) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = make_certificate(switch.name, key, authority, **settings)
    file = folder / f"{switch.name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    switch.certificate, switch.fingerprint = str(file), certificate.fingerprint(hashes.SHA256()).hex()


def emulate_api(target: CollectTarget, tree: Path) -> Switch:
    """Return a switch that answers with the files of a rendered tree, and with nothing wrong in any state."""
    answers: dict[str, Answer] = {}
    for reading in target.readings:
        file = tree / target.kind / target.name / reading.output
        if not reading.output:
            answers[reading.command] = Answer(b"{}" if reading.form == "json" else b"fine\n")
        elif target.via == "nvue":
            answers[reading.command] = Answer(json.dumps(_read_set(file)).encode())
        else:
            end = f"{reading.last}\n".encode() if reading.last else b""
            answers[reading.command] = Answer(file.read_bytes() + end)
    return Switch(target.name, target.via, answers)


def _read_set(file: Path) -> Any:
    """Return the objects of a startup.yaml, as the API gives them."""
    (found,) = (item["set"] for item in YAML(typ="safe", pure=True).load(file) if "set" in item)
    return found


class ApiFleet:
    """Running switches."""

    def __init__(self, switches: Mapping[str, Switch], folder: Path) -> None:
        """Name the files; written by ``serve_api``."""
        self.switches = switches
        self.pins = folder / "pins"
        self.addresses = folder / "api-addresses"

    @property
    def options(self) -> list[str]:
        """Return the options of ``fabricgen collect`` that lead here."""
        files = ["--pins", str(self.pins), "--addresses", str(self.addresses)]
        return ["--user", LOGIN[0], "--password", f"env:{VARIABLE}", *files]


@contextlib.contextmanager
def serve_api(switches: Sequence[Switch], folder: Path) -> Iterator[ApiFleet]:
    """Run switches in a thread until the end of the context."""
    raise_limit(4 * len(switches) + 256)
    fleet = ApiFleet({switch.name: switch for switch in switches}, folder)
    for switch in switches:
        if not switch.certificate:
            give_certificate(switch, folder)

    async def start() -> list[asyncio.Server]:
        return [await switch.listen() for switch in switches]

    with served(start()):
        _write_files(fleet)
        yield fleet


def _write_files(fleet: ApiFleet) -> None:
    pins = [
        f"127.0.0.1:{switch.port} SHA256:{switch.pinned or switch.fingerprint}\n"
        for switch in fleet.switches.values()
        if switch.pinned != "-"
    ]
    fleet.pins.write_text("".join(pins), encoding="utf-8")
    places = (f"{switch.name} {switch.api}://127.0.0.1:{switch.port}\n" for switch in fleet.switches.values())
    fleet.addresses.write_text("".join(places), encoding="utf-8")
