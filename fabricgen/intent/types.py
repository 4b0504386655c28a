"""Scalar types of the intent: how a speed, a count, a pool, an address or a secret is written and what is refused."""

import re
from dataclasses import dataclass
from datetime import date
from string import Formatter
from typing import Annotated, Any

from netaddr import AddrFormatError
from netaddr import IPAddress as IPAddress
from netaddr import IPNetwork as IPNetwork
from netaddr import cidr_merge as cidr_merge
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function

from fabricgen.diagnostics.visible import find_hidden, name_character
from fabricgen.validation.forms import FORM, Form, Short, digits, refuse


class Intent(BaseModel):
    """Base of every intent model: closed, strict, frozen."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, defer_build=True)


PER = "x-per"
"""Key of the schema that says for what an exception may set a leaf."""
PER_DEVICE = Field(json_schema_extra={PER: "device"})
"""Marks a leaf that an exception may set for one switch."""
PER_LINK = Field(json_schema_extra={PER: "link"})
"""Marks a leaf of a link group that an exception may set for one link."""


_SPEED = re.compile(r"([1-9]\d{0,3})G", re.ASCII)
SPEEDS_GBPS = (10, 25, 40, 50, 100, 200, 400, 800, 1600)


def _speed(value: Any) -> int:
    match = _SPEED.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[1]) not in SPEEDS_GBPS:
        legal = ", ".join(f"{gbps}G" for gbps in SPEEDS_GBPS)
        digits = re.sub(r"[^0-9]", "", str(value))
        meant = f"{digits}G" if digits in map(str, SPEEDS_GBPS) else ""
        raise refuse(f"is not a link speed; use one of {legal}", suggestion=meant)
    return int(match[1])


Speed = Annotated[
    int, BeforeValidator(_speed), WithJsonSchema({"type": "string", "enum": [f"{gbps}G" for gbps in SPEEDS_GBPS]})
]
"""Link speed in Gb/s, written ``400G``."""

Number = Annotated[int, Field(ge=1, le=1_000_000)]
"""A number of things."""


class Count(Intent):
    """Number of items now, and number that addresses, ports and names leave room for."""

    count: Annotated[Number, Field(description="Number of them now")]
    max: Annotated[Number | None, Field(description="Number that addresses, ports and names leave room for")] = None


def short_count(value: Any) -> Any:
    """A bare number stands for ``{count: number}``."""
    if isinstance(value, int) and not isinstance(value, bool):
        return {"count": value}
    if value is None or isinstance(value, dict | Count):
        return value
    raise refuse("is neither a whole number nor a mapping of count and max")


Counted = Annotated[Count, BeforeValidator(short_count, json_schema_input_type=Number | Count)]
"""``32``, or ``{count: 32, max: 64}``."""

_TEXT_REFUSED = re.compile(r"(\{\{|\{%|\{#)|@fabricgen-secret:")


@dataclass(frozen=True)
class FreeText:
    """One line of free text, of bounded length, every character of which can be seen."""

    longest: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check after the type."""
        return no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """A text of bounded length."""
        return {**handler(schema), "minLength": 1, "maxLength": self.longest}

    def check(self, value: str) -> str:
        """Return a text that is of the form; raises a refusal."""
        if (hidden := find_hidden(value)) is not None:
            raise refuse(f"must be one line of text that can be seen, without {name_character(value[hidden])}")
        if found := _TEXT_REFUSED.search(value):
            raise refuse(f"must be plain text, without {'a template expression' if found[1] else 'a secret token'}")
        if len(value) > self.longest:
            raise refuse(f"is {len(value)} characters long; at most {self.longest} are allowed")
        if value != value.strip(" ") or not value:
            raise refuse("must neither be blank nor begin or end with a blank")
        return value


TEXT = FreeText(200)
Text = Annotated[str, TEXT]
"""One line of free text; it may reach a configuration file."""

Identifier = Annotated[
    str, Form(r"^[a-z][a-z0-9_]{0,31}$", "a name: up to 32 lower-case letters, digits and underscores, a letter first")
]
"""A name inside the intent: lower case, digits, underscores."""

FabricName = Annotated[
    str,
    Form(
        r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
        "a name: up to 63 lower-case letters, digits and, between them, hyphens",
    ),
]
"""Name of a fabric: lower case, digits and hyphens."""

HostName = Annotated[
    str,
    Form(
        r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$",
        "a host name: up to 63 letters, digits and, between them, dots and hyphens",
    ),
]
"""Name of one device or host."""

CatalogName = Annotated[
    str,
    Form(
        r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$",
        "the name of a catalog file: letters, digits, underscores and hyphens, no ending",
    ),
]


Release = Annotated[
    str,
    Form(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$", "a release: up to 32 letters, digits, dots, hyphens and underscores"),
    Short(digits),
]
"""Release of a switch's software; one that is a number may be written as such."""


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise refuse("is not a day of the calendar; write YYYY-MM-DD") from None


Day = Annotated[str, Form(r"^\d{4}-\d{2}-\d{2}$", "a day as YYYY-MM-DD"), AfterValidator(_day)]
"""A day, such as 2027-03-31."""

SWITCH_NAME_FIELDS = ("zone", "pod", "unit", "plane", "rail", "group", "index")
HOST_NAME_FIELDS = ("zone", "pod", "unit", "group", "host")


def _pattern(fields: tuple[str, ...]) -> Any:
    def check(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        allowed = ", ".join(f"{{{name}}}" for name in fields)
        try:
            parts = list(Formatter().parse(value))
        except ValueError as error:
            raise refuse(f"is not a name pattern: {error}") from None
        for literal, name, spec, conversion in parts:
            if not re.fullmatch(r"[A-Za-z0-9.-]*", literal):
                raise refuse("may contain only letters, digits, dots, hyphens and {variables}")
            if name is not None and (name not in fields or conversion or not re.fullmatch(r"(0[0-9])?", spec or "")):
                raise refuse(
                    f"has the variable {{{name}}}; allowed are {allowed}, with a width such as {{{fields[2]}:03}}"
                )
        if not value or value[0] in ".-" or value[-1] in ".-":
            raise refuse("must start and end with a letter, a digit or a variable")
        return value

    return check


SwitchNamePattern = Annotated[str, BeforeValidator(_pattern(SWITCH_NAME_FIELDS))]
HostNamePattern = Annotated[str, BeforeValidator(_pattern(HOST_NAME_FIELDS))]


def _network(value: Any) -> IPNetwork:
    if isinstance(value, IPNetwork):
        return value
    if not isinstance(value, str) or "/" not in value or not value.isascii():
        raise refuse("is not an address pool; write it as address/length, for example 10.0.0.0/12")
    try:
        network = IPNetwork(value)
    except (AddrFormatError, ValueError):
        raise refuse("is not an address pool; write it as address/length, for example 10.0.0.0/12") from None
    if network.ip != network.network:
        raise refuse(f"has host bits set; the pool is {network.cidr}", suggestion=str(network.cidr))
    return network


def _address(value: Any) -> IPAddress:
    if not isinstance(value, str | IPAddress):
        raise refuse("is not an IP address")
    try:
        return IPAddress(value)
    except (AddrFormatError, ValueError, TypeError):
        raise refuse("is not an IP address") from None


Network = Annotated[
    IPNetwork, BeforeValidator(_network), PlainSerializer(str), WithJsonSchema({"type": "string", "format": "cidr"})
]
"""An address pool, ``10.0.0.0/12``, without host bits."""

Address = Annotated[
    IPAddress, BeforeValidator(_address), PlainSerializer(str), WithJsonSchema({"type": "string", "format": "ip"})
]
"""One IP address."""

ASN_MAX = 4_294_967_294


def _asn(value: Any) -> Any:
    raw = getattr(value, "raw", None)
    dotted = re.fullmatch(r"(\d{1,5})\.(\d{1,5})", raw, re.ASCII) if raw else None
    if dotted:
        plain = int(dotted[1]) * 65536 + int(dotted[2])
        raise refuse(f"reads as the decimal number {value!r}; write the ASN as a whole number", suggestion=plain)
    return value


Asn = Annotated[
    Annotated[int, Field(ge=1, le=ASN_MAX)],
    BeforeValidator(_asn, json_schema_input_type=Annotated[int, Field(ge=1, le=ASN_MAX)]),
]
"""An autonomous system number, written whole (asplain)."""

_RATIO = re.compile(r"([1-9]\d{0,5}):([1-9]\d{0,5})", re.ASCII)


class Ratio(BaseModel):
    """An expected ratio: exact when written ``"16:15"``, at its written precision when a decimal."""

    model_config = ConfigDict(frozen=True)
    numerator: int
    denominator: int
    decimals: int | None = None

    def matches(self, numerator: int, denominator: int) -> bool:
        """Return whether the exact ratio equals the expectation at the precision it was written with."""
        if self.decimals is None:
            return self.numerator * denominator == self.denominator * numerator
        return round(numerator / denominator, self.decimals) == round(self.numerator / self.denominator, self.decimals)


def _ratio(value: Any) -> Any:
    match = _RATIO.fullmatch(value) if isinstance(value, str) else None
    if match:
        return Ratio(numerator=int(match[1]), denominator=int(match[2]))
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1000:
        raw = getattr(value, "raw", str(value))
        if not re.fullmatch(r"\d{1,3}(\.\d{1,9})?", raw, re.ASCII):
            raise refuse('is not a ratio; write it as "16:15" or as a decimal such as 1.07')
        decimals = len(raw.partition(".")[2])
        return Ratio(numerator=round(value * 10**decimals), denominator=10**decimals, decimals=decimals)
    raise refuse('is not a ratio; write it as "16:15" or as a decimal such as 1.07')


Oversubscription = Annotated[
    Ratio,
    BeforeValidator(_ratio),
    PlainSerializer(lambda ratio: f"{ratio.numerator}:{ratio.denominator}"),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": "^\\d+:\\d+$"}]}
    ),
]

_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)


def _ranges(value: Any) -> list[tuple[int, int]]:
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    ranges = []
    if len(text) > 1000:
        raise refuse("is longer than 1000 characters; write the ranges in order, each as 1-4")
    for part in text.replace(" ", "").split(","):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if first < 1 or last < first:
            raise refuse('is not a range of units; write 1, "5-8" or "1-4,9"')
        ranges.append((first, last))
    return ranges


UnitRanges = Annotated[
    list[tuple[int, int]],
    BeforeValidator(_ranges),
    Field(strict=False),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}),
]
"""Units, counted from 1: ``1``, ``"5-8"`` or ``"1-4,9"``."""

FilePath = Annotated[
    str,
    Form(
        r"^(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$",
        "a file below the inventory's folder: letters, digits and . _ - /, without .. and no / first",
    ),
]
"""A file beside the intent, never outside of its folder."""


_SECRET = re.compile(
    r"(env|file):[A-Za-z0-9_./#-]{1,128}|(sops|vault):[A-Za-z0-9_./][A-Za-z0-9_./-]{0,127}#[A-Za-z0-9_./-]{1,64}"
)


_WORDS = "`env:NAME`, `file:PATH`, `sops:PATH#KEY` or `vault:PATH#KEY`"
_REFERENCES = "{secret: env:NAME}, {secret: file:PATH}, {secret: sops:PATH#KEY} or {secret: vault:PATH#KEY}"


def _reference(value: Any) -> Any:
    scheme, _, key = value.partition(":") if isinstance(value, str) else ("", "", "")
    leaves = ".." in key.split("/") or (scheme in ("file", "sops") and key.startswith("/"))
    if isinstance(value, str) and (leaves or not _SECRET.fullmatch(value)):
        raise refuse(
            f"is not a secret reference; use {_REFERENCES}; files lie below the inventory's folder", hidden=True
        )
    return value


class Secret(Intent):
    """A reference to a secret; its value is never part of the intent or of the rendered tree."""

    secret: Annotated[
        str,
        BeforeValidator(_reference),
        WithJsonSchema({"type": "string", "pattern": f"^({_SECRET.pattern})$", FORM: _WORDS}),
        Field(description="Where the value is"),
    ]

    @property
    def token(self) -> str:
        """Return what stands in every rendered file in place of the value."""
        return f"@fabricgen-secret:{self.secret}@"


def _secret(value: Any) -> Any:
    if isinstance(value, str):
        raise refuse(f"must not be written in clear; refer to it as {_REFERENCES}", hidden=True)
    return value


SecretRef = Annotated[Secret, BeforeValidator(_secret, json_schema_input_type=Secret)]
