"""Addresses of a port that has one place for its address: in between, the new one stands beside the old one.

Data of the semantics (``beside``): by the last step of such a place, what says a second value there, a step with its
value; ``{value}`` in the step is the new address. The old one keeps its place until it goes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from ipaddress import ip_interface
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree, look_up
from fabricgen.rollout.phasing.atoms import Context, Part, between

KIND = "address"
ADVICE = "move to addresses that no port of the switch has yet"
Steps = tuple[str, ...]


class _Span(NamedTuple):
    """The first and the last address of a subnet."""

    first: int
    last: int


def keep_beside(situation: Situation, context: Context) -> dict[Steps, tuple[Part, ...]]:
    """Return the parts of addresses that get another value, by their place in the tree.

    Args:
        situation: Of a file.
        context: Of its device.
    """
    changes = [change for change in situation.changes if _is_replaced(change)]
    held: dict[Steps, list[_Span]] = {}
    found = {}
    for change in changes:
        *above, _, key = change.steps
        place = (*above, key)
        if place not in held:
            held[place] = sorted(_spans(look_up(situation.before, *above), key))
        words: Mapping[str, Any] = situation.semantics.data["beside"][key]
        found[change.steps] = tuple(_both(change, words, _find_clash(change, held[place]), context))
    return found


def _is_replaced(change: Change) -> bool:
    return change.meaning.get("ends_change") == "beside" and ABSENT not in (change.before, change.after)


def _both(change: Change, words: Mapping[str, Any], clash: str, context: Context) -> Iterator[Part]:
    gain, loss = context.atom(KIND, ABSENT, change.after), context.atom(KIND, change.before, ABSENT)
    refused = KIND if clash else ""
    yield Part(change, (loss,), lambda done: change.after if done(loss) else change.before, refused, clash, ADVICE)
    for step, value in words.items():
        second = Change((*change.steps[:-1], step.format(value=change.after)), ABSENT, ABSENT, change.meaning)
        yield Part(second, (gain,), partial(between, gain, loss, value))


def _spans(ports: Tree, key: str) -> Iterator[_Span]:
    """Yield the subnets of ports."""
    for row in ports.values():
        span = _span(row.get(key)) if isinstance(row, dict) else None
        if span:
            yield span


def _span(value: Any) -> _Span | None:
    try:
        network = ip_interface(str(value)).network
    except ValueError:
        return None
    return _Span(int(network[0]), int(network[-1]))


def _find_clash(change: Change, held: list[_Span]) -> str:
    """Return why a new address cannot stand beside the old ones of a device; empty if it can."""
    new = _span(change.after)
    if new is None:
        return "the new value is no address with its prefix length"
    # Subnets of ports do not overlap: only the last one that begins before the new one ends can.
    at = bisect_right(held, new.last, key=lambda span: span.first) - 1
    if at < 0 or held[at].last < new.first:
        return ""
    return "the new address is of a subnet that a port of the switch still has"
