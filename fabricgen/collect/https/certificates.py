"""Certificates of devices: pinned, or signed by an authority that is named; none is accepted because it is new.

A pin is checked in the handshake, before a byte of the login is sent. Where a device is pinned, that decides alone:
an authority does not help a certificate that differs, and a pinned one needs neither a name nor a date.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from fabricgen.collect.collect_codes import BAD_LOGIN, CHANGED_KEY, UNKNOWN_KEY
from fabricgen.collect.target import Failure, show_address
from fabricgen.files import Refused, read_file

_FILE_MAX_BYTES = 64 * 1024 * 1024
_FINGERPRINT = re.compile(r"(?:sha256(?: fingerprint)?[:=]?)?((?:[0-9a-f]{2}:?){32})", re.IGNORECASE)
Pins = frozenset[str]
"""Fingerprints of the certificates that a device may have: SHA-256, hexadecimal."""


class Untrusted(ssl.SSLCertVerificationError):
    """A certificate is not among those that are pinned."""

    fingerprint = ""


class Trust:
    """Decides which certificates are trusted."""

    def __init__(self, pins: Sequence[Path], authorities: Sequence[Path]) -> None:
        """Read lines ``HOST[:PORT] SHA256:FINGERPRINT`` of files, and PEM of authorities; raises Failure."""
        self._pins = _read_pins(pins)
        self._signed = _trust_authorities(authorities) if authorities else None

    def make_context(self, host: str, port: int) -> ssl.SSLContext:
        """Return what verifies the certificate of a device."""
        pins = self._list_pins(host, port)
        return self._signed if self._signed and not pins else _pin(pins)

    def explain(self, host: str, port: int, error: ssl.SSLCertVerificationError) -> Failure:
        """Return the failure of a certificate that is not trusted: of one that no authority signs, its fingerprint."""
        if not isinstance(error, Untrusted):
            return Failure(UNKNOWN_KEY, f"its certificate is not trusted: {error.verify_message.rstrip('.')}")
        shown = spell_fingerprint(error.fingerprint)
        if pins := self._list_pins(host, port):
            known = ", ".join(spell_fingerprint(pin) for pin in sorted(pins)[:3])
            return Failure(CHANGED_KEY, f"its certificate has changed: {shown}; pinned is {known}")
        hint = (
            "compare the fingerprint with the device's own (openssl x509 -noout -fingerprint -sha256), then add a line "
            f"to the file of --pins: {show_address(host, port)} {shown}"
        )
        return Failure(UNKNOWN_KEY, f"its certificate {shown} is not trusted", hint)

    def _list_pins(self, host: str, port: int) -> Pins:
        return self._pins.get(show_address(host, port).lower()) or self._pins.get(host.lower(), frozenset())


def spell_fingerprint(fingerprint: str) -> str:
    """Return a fingerprint as a file of pins has it, and as openssl prints it behind the colon."""
    pairs = (fingerprint[at : at + 2] for at in range(0, len(fingerprint), 2))
    return f"SHA256:{':'.join(pairs).upper()}"


def _read_pins(files: Sequence[Path]) -> dict[str, Pins]:
    found: dict[str, set[str]] = {}
    for file in files:
        for number, line in enumerate(_read(file, "--pins").splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            match = _FINGERPRINT.fullmatch(" ".join(words[1:]))
            if match is None:
                hint = "write HOST[:PORT] SHA256:FINGERPRINT, as FG-COL-011 prints it"
                raise Failure(BAD_LOGIN, f"{file}:{number} is no line of a file of pins", hint)
            place = words[0].lower()
            place = place[1:-1] if place.startswith("[") and place.endswith("]") else place
            found.setdefault(place, set()).add(match[1].replace(":", "").lower())
    return {place: frozenset(pins) for place, pins in found.items()}


def _trust_authorities(files: Sequence[Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for file in files:
        try:
            context.load_verify_locations(cadata=_read(file, "--ca"))
        except (ssl.SSLError, ValueError) as error:
            raise Failure(BAD_LOGIN, f"{file} has no certificates in PEM form") from error
    return context


def _read(file: Path, option: str) -> str:
    data = read_file(file, _FILE_MAX_BYTES)
    if isinstance(data, Refused):
        raise Failure(BAD_LOGIN, f"{file} {data.reason}", f"name another file with {option}")
    return data.decode("utf-8", "replace")


def _pin(pins: Pins) -> ssl.SSLContext:
    """Return a context that ends the handshake with every certificate but those."""

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            fingerprint = sha256(self.getpeercert(binary_form=True) or b"").hexdigest()
            if fingerprint not in pins:
                error = Untrusted("the certificate is not pinned")
                error.fingerprint = fingerprint
                raise error

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The fingerprint takes the place of a chain and a name.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.sslobject_class = Pinned
    return context
