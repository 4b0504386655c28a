"""Irregularity: sparse exceptions, each with its reason."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from fabricgen.diagnostics import IntentPath
from fabricgen.diagnostics.words import or_list
from fabricgen.intent.name_patterns import HostNames, is_pattern
from fabricgen.intent.types import TEXT, CatalogName, Day, FilePath, FreeText, HostName, Intent, Text
from fabricgen.source import item_segments, natural_key
from fabricgen.validation.forms import Form, Short, digits, refuse

_OF_SUBJECT = {
    "device": ("state", "set", "raw"),
    "host": ("state",),
    "link": ("n", "state", "ports", "to", "cable", "set"),
}
"""Keys of each kind of subject."""

Medium = Literal["dac", "aec", "aoc", "mmf", "smf"]


PortText = Annotated[
    str, Form(r"^\d{1,3}(/\d{1,2})?$", "a port: the number of a cage, or cage/sub-port such as 47/1"), Short(digits)
]
"""A cage, or cage and sub-port: ``47`` or ``47/1``."""

_LeafPath = Annotated[str, Form(r"^[a-z_]+(\.[a-z_]+)*$", "an intent path, such as operations.gnmi.port")]


def _set_to(numbers: Any, words: str) -> BeforeValidator:
    """Check that a value is a text or of other types; what it is set to checks the rest."""

    def check(value: Any) -> Any:
        if isinstance(value, str):
            return TEXT.check(value)
        if not isinstance(value, numbers):
            raise refuse(f"is not {words}")
        return value

    return BeforeValidator(check, json_schema_input_type=Text | numbers)


_Scalar = Annotated[Any, _set_to(int | float | bool, "a text, a number, true or false, or a list"), Tag("Scalar")]
_Item = Annotated[Any, _set_to(int, "a text or a whole number")]
SetValue = Annotated[
    _Scalar | Annotated[list[_Item], Tag("List")],
    Discriminator(lambda value: "List" if isinstance(value, list) else "Scalar"),
]


class CableException(Intent):
    """A cable that is longer or shorter than those of its group, or of another medium."""

    length_m: Annotated[float | None, Field(gt=0, le=100_000, strict=False, description="One-way length in metres")] = (
        None
    )
    media: Annotated[Medium | None, Field(description="Medium")] = None

    @model_validator(mode="before")
    @classmethod
    def _not_empty(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("sets nothing; add length_m or media")
        return value


class Snippet(Intent):
    """A snippet file that is laid over one file of a switch."""

    file: Annotated[FilePath, Field(description="The snippet, below the folder of the inventory")]
    overrides: Annotated[
        list[Annotated[str, FreeText(300)]],
        Field(
            max_length=1000,
            description="Managed values that it changes on purpose, by their path in the file, steps joined by ' > '",
        ),
    ] = []
    owner: Annotated[
        Text | None, Field(description="Who takes the risk of overriding lossless contract, addressing or routing")
    ] = None
    expires: Annotated[Day | None, Field(description="Last day on which such an override is accepted")] = None

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        if isinstance(value, dict):
            given = [key for key in ("owner", "expires") if key in value]
            if given and not value.get("overrides"):
                raise refuse(f"has {given[0]} without overrides, which it requires")
            if len(given) == 1:
                missing = "expires" if given == ["owner"] else "owner"
                raise refuse(f"has {given[0]} without {missing}; an override requires both")
        return value


def _snippets(value: Any) -> Any:
    """A file stands for a list of one snippet without overrides."""
    return [{"file": value}] if isinstance(value, str) else value


Snippets = Annotated[
    list[Snippet],
    BeforeValidator(_snippets, json_schema_input_type=FilePath | list[Snippet]),
    Field(min_length=1, max_length=64),
]


class Exception_(Intent):  # noqa: N801 - the word of the language, which Python has taken
    """One irregularity of a device, a host or a link."""

    device: Annotated[HostNames | None, Field(description="Name of a switch, or a pattern of names")] = None
    host: Annotated[HostNames | None, Field(description="Name of a host, or a pattern of names")] = None
    link: Annotated[
        list[HostNames] | None,
        Field(min_length=2, max_length=2, description="Both ends of a link, lower first; patterns for several links"),
    ] = None
    n: Annotated[
        int | None, Field(ge=1, le=256, description="Which of the parallel links, from 1; all of them if left out")
    ] = None
    state: Annotated[
        Literal["drained", "absent"] | None,
        Field(description="drained: carries no traffic by graceful shutdown; absent: not there"),
    ] = None
    ports: Annotated[
        dict[HostName, PortText] | None,
        Field(min_length=1, max_length=8, description="Cage and sub-port that an end uses instead"),
    ] = None
    to: Annotated[HostName | None, Field(description="Device the cable really ends at, in place of the second")] = None
    cable: Annotated[CableException | None, Field(description="Cable that differs from its group")] = None
    set: Annotated[
        dict[_LeafPath, SetValue] | None,
        Field(min_length=1, max_length=64, description="Per-device or per-port intent leafs and their values here"),
    ] = None
    raw: Annotated[
        dict[CatalogName, Snippets] | None,
        Field(
            min_length=1,
            max_length=16,
            description="Platform to snippet files that are laid over the device's configuration",
        ),
    ] = None
    reason: Annotated[Text, Field(description="Why, and until when")]

    @cached_property
    def natural_key(self) -> str:
        """Return what tells this exception from the others of the list."""
        return natural_key({key: value for key, value in vars(self).items() if value is not None})

    @property
    def has_pattern(self) -> bool:
        """Return whether it stands for an exception of each device or link that its names match."""
        return any(name and is_pattern(name) for name in (self.device, self.host, *(self.link or ())))

    @model_validator(mode="before")
    @classmethod
    def _one_subject(cls, value: Any) -> Any:
        if isinstance(value, dict):
            subjects = [key for key in _OF_SUBJECT if key in value]
            if len(subjects) != 1:
                raise refuse("must name exactly one of device, host or link")
            given = [key for keys in _OF_SUBJECT.values() for key in keys if key in value]
            legal = _OF_SUBJECT[subjects[0]]
            alien = next((key for key in given if key not in legal), None)
            if alien:
                raise refuse(f"sets {alien} of a {subjects[0]}; allowed are {', '.join(legal)}")
            if not set(given) - {"n"}:
                raise refuse(f"sets nothing; add {or_list(key for key in legal if key != 'n')}")
        return value

    @model_validator(mode="after")
    def _of_one_link(self) -> "Exception_":
        if (self.ports or self.to) and self.has_pattern:
            raise refuse(f"sets {'ports' if self.ports else 'to'} of several links; name both ends of one")
        return self


class PlacedException(NamedTuple):
    """An exception of the list and where it stands."""

    item: Exception_
    path: IntentPath


def list_exceptions(items: Sequence[Exception_]) -> list[PlacedException]:
    """Return every exception and where it stands, in an order that is not that of the list: it means nothing."""
    keys = [item.natural_key for item in items]
    placed = [
        PlacedException(item, ("exceptions", segment)) for item, segment in zip(items, item_segments(keys), strict=True)
    ]
    times = Counter(keys)
    # Of equal keys the contents decide; writing them out takes longer than everything else here.
    placed.sort(key=lambda each: (key := each.item.natural_key, repr(vars(each.item)) if times[key] > 1 else ""))
    return placed
