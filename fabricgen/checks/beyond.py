"""Rows of what is asked beyond a platform, an ASIC or a NIC: who is asked for what, where, and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from fabricgen.checks.model import RULES, Finding, IntentView, Rule
from fabricgen.diagnostics import Code, IntentPath, Related, register
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.settings import value_at
from fabricgen.platforms.manifest.spec import PlatformSpec

NOTES = "The platform's NOTES.md"
LACKING = register(
    "FG-PLT-021",
    "Not rendered by the platform, or not in the ASIC, NIC or system",
    why="The intent is understood, but nothing would be rendered from it, or one end of a link would do what the other "
    "one does not; a silent omission is worse than an error.",
    fix="Leave it out, use what the hint names, or use a platform, ASIC, NIC or system that has it; or write the "
    "template and answer the capability in the manifest.",
    source="docs/capabilities.md; the platform's NOTES.md; the file of the ASIC or NIC in the catalog",
)
TOO_MUCH = register(
    "FG-PLT-025",
    "Value that a device does not take",
    why="The device would refuse it, round it or keep another one, unlike the intent or the other end of a link.",
    fix="Use a value that the hint names, or a device that takes this one.",
    source="The platform's NOTES.md; the file of the NIC in the catalog; sonic-net/sonic-buildimage, YANG models",
)


class Who(NamedTuple):
    """One that is asked.

    Attributes:
        can: Its capabilities, or its record of the catalog.
        chosen: Where it is chosen.
        key: Tier, group of hosts or links that chooses it.
        called: The word for it at the place where it is chosen.
        also: Further places where it is chosen.
        spec: Its manifest, which may say why it lacks something.
    """

    can: Any
    name: str
    chosen: IntentPath
    key: str = ""
    called: str = "the platform"
    also: tuple[IntentPath, ...] = ()
    words: Mapping[str, object] = {}
    spec: PlatformSpec | None = None


class Asked(NamedTuple):
    """A place that asks, the value that is asked for, words for the texts, other places, and what of the catalog."""

    path: IntentPath
    value: Any = None
    words: Mapping[str, object] = {}
    related: tuple[Related, ...] = ()
    record: IntentPath = ()


def is_there(value: object, limit: object) -> bool:
    """Return whether a capability is there at all, whatever the value."""
    return bool(limit)


def is_absent(value: object, limit: object) -> bool:
    """Return whether what is worth a remark is not there."""
    return not limit


def is_at_most(value: Any, limit: Any) -> bool:
    """Return whether a number is within a limit; None is no limit."""
    return limit is None or value <= limit


def is_one_of(value: object, limit: Any) -> bool:
    """Return whether a value is one of those that are taken."""
    return value in limit


def begins_with(value: Any, limit: Any) -> bool:
    """Return whether a name begins with one of some words; None is any."""
    return limit is None or value.startswith(limit)


def stated(path: IntentPath, *values: object) -> Callable[[IntentView, Who], Iterator[Asked]]:
    """Return what asks where a key of the intent has one of some values, or any that is not empty if none is named."""

    def asks(view: IntentView, _: Who) -> Iterator[Asked]:
        value = value_at(view.intent, path)
        if value in values if values else value:
            yield Asked(path, value)

    return asks


class Row(NamedTuple):
    """One thing that may be beyond those who are asked for it.

    Attributes:
        who: Gives those that are asked.
        asks: Gives what the intent or the plan asks of one of them.
        limit: What it takes: the name of a capability, or a function of what it can do and of the value.
        takes: Whether a value is within the limit.
        once: The same message at another place is reported once.
        on_key: The place is that of the key.
        message: Message and hint. ``{name}`` and ``{key}`` are of who is asked, ``{value}``, ``{limit}`` and
            ``{because}`` of what is asked, and there are the words of both.
    """

    code: Code
    who: Callable[..., Iterable[Who]]
    asks: Callable[[Any, Who], Iterable[Asked]]
    limit: str | Callable[[Any, Any], Any]
    takes: Callable[[Any, Any], object] = is_there
    once: bool = False
    on_key: bool = False
    message: str = ""
    hint: str = ""

    def text(self, message: str, hint: str = "") -> Row:
        """Return the row with its texts."""
        return self._replace(message=message, hint=hint)


def table(*rows: Row) -> None:
    """Register rows as rules; each runs as soon as the view exists that those who are asked come from."""
    RULES.extend(Rule(row.code.id, str(row.who.__annotations__["view"]), partial(find_beyond, row)) for row in rows)


def find_beyond(row: Row, view: Any) -> Iterator[Finding]:
    """Yield what is asked beyond those who are asked for it."""
    reported: set[tuple[str, IntentPath]] = set()
    for who in row.who(view):
        for asked in row.asks(view, who):
            name = row.limit if isinstance(row.limit, str) else ""
            limit = getattr(who.can, name) if isinstance(row.limit, str) else row.limit(who.can, asked.value)
            if row.takes(asked.value, limit):
                continue
            words = _words(who, asked, limit) | {"because": who.spec.because(name) if who.spec else ""}
            message = row.message.format_map(words)
            if (message, () if row.once else asked.path) in reported:
                continue
            reported.add((message, () if row.once else asked.path))
            chosen = [Related(who.called, path) for path in (who.chosen, *who.also)]
            hint = row.hint.format_map(words)
            related = tuple(each for each in (*asked.related, *chosen) if each.path != asked.path or each.record)
            on_key = row.on_key and asked.path != who.chosen
            yield Finding(message, asked.path, hint=hint, related=related, on_key=on_key, record=asked.record)


def _words(who: Who, asked: Asked, limit: Any) -> dict[str, object]:
    """Return the words that texts may have."""
    shown = and_list(map(str, limit)) if isinstance(limit, tuple) else limit
    return {"name": who.name, "key": who.key, "value": asked.value, "limit": shown, **who.words, **asked.words}
