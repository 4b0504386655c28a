"""Two trees of one file to the changes that lead from the one to the other.

Trees that are equal are left alone as a whole, so the cost is that of what differs. Everything a device may say
differently without meaning something else is looked at only where trees are not equal: what is written where nothing
need be, numbers as texts, lists whose order means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change, mark_idle
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.redaction import REFERENCE
from fabricgen.platforms.reading.semantics import Meaning, Semantics

Steps = tuple[str, ...]
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_RANGE_MAX = 4096
_SOUGHT_MAX = 64
"""Names with references that are looked for on the other side; a file has a handful."""
_FOREIGN = Meaning((), {"disruption": "hitless", "local": "true"})
"""Meaning of what is not ours: no port, session or queue of the plan rests on it."""


class TreeComparison(NamedTuple):
    """Differences in one file.

    Attributes:
        unmanaged: Paths that only the device has and that are not ours.
        secrets: Paths of secrets that one side only refers to, which are not compared.
        negated: Paths that only the device has and only negates, of which the default is not known.
        keeps: The device has lines beside the intended ones that no change concerns and that stay.
    """

    changes: list[Change]
    unmanaged: list[Steps]
    secrets: list[Steps]
    negated: Sequence[Steps] = ()
    keeps: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to tell."""
        return not (self.changes or self.unmanaged or self.secrets or self.negated)


def compare_trees(before: Tree, after: Tree, semantics: Semantics, *, unmanaged: bool = False) -> TreeComparison:
    """Compare what is there with what should be, by path; with ``unmanaged``, what is not ours is to go."""
    walk = _TreeWalk(semantics, unmanaged=unmanaged)
    walk.trees(before, after, semantics.root, ())
    walk.changes.sort(key=lambda change: change.steps)
    keeps = bool(walk.unmanaged or walk.negated or walk.negates_foreign)
    changes = mark_idle(walk.changes, before, semantics)
    return TreeComparison(changes, walk.unmanaged, walk.secrets, walk.negated, keeps)


class _TreeWalk:
    """One walk through two trees."""

    def __init__(self, semantics: Semantics, *, unmanaged: bool) -> None:
        self._semantics = semantics
        self._takes_unmanaged = unmanaged
        self._sought = 0
        self.changes: list[Change] = []
        self.unmanaged: list[Steps] = []
        self.secrets: list[Steps] = []
        self.negated: list[Steps] = []
        self.negates_foreign = False

    def trees(self, before: Tree, after: Tree, meaning: Meaning, steps: Steps) -> None:
        """Compare two trees that are not equal."""
        if meaning.hides_keys:
            self._hidden(before, after, meaning, steps)
            return
        meant: set[str] = set()
        for key, wanted in after.items():
            have = before.get(key, ABSENT)
            if have is ABSENT and REFERENCE in key and (named := self._find_meant(key, before, after, meant)):
                meant.add(named)
                self.secrets.append((*steps, key))
                if before[named] != wanted:
                    self._differing((*steps, key), meaning.child(key), before[named], wanted)
            elif have is ABSENT:
                self._one_sided((*steps, key), meaning.child(key), ABSENT, wanted)
            elif have != wanted or type(have) is not type(wanted):
                self._differing((*steps, key), meaning.child(key), have, wanted)
        for key in before:
            if key not in after and key not in meant:
                self._one_sided((*steps, key), meaning.child(key), before[key], ABSENT)

    def _differing(self, steps: Steps, meaning: Meaning, have: Any, wanted: Any) -> None:
        if meaning.owner == "device":
            return
        if isinstance(have, dict) and isinstance(wanted, dict):
            self.trees(have, wanted, meaning, steps)
        elif _is_hidden_secret(wanted, meaning) or _is_hidden_secret(have, meaning):
            self.secrets.append(steps)
        elif not self._means_the_same(have, wanted, meaning):
            self._add(steps, meaning, have, wanted)

    def _one_sided(self, steps: Steps, meaning: Meaning, have: Any, wanted: Any) -> None:
        """A path that one side lacks."""
        if meaning.owner == "device":
            return
        negates = wanted is ABSENT and self._is_unset(have)
        known = negates and meaning.default is not None
        if wanted is ABSENT and not known and self._is_foreign(steps):
            self._add_unmanaged(steps, have)
            return
        if wanted is ABSENT and self._is_of_image(have, meaning):
            return
        value = have if wanted is ABSENT else wanted
        if isinstance(value, dict):
            if self._is_compared_below(steps, meaning):
                self.trees(_tree(have), _tree(wanted), meaning, steps)
                return
        elif self._is_default(value, meaning):
            return
        if negates and not known:
            self.negated.append(steps)
        else:
            self._add(steps, meaning, have, wanted)

    def _is_unset(self, have: Any) -> bool:
        """Return whether a value of the device only says that nothing is set."""
        return bool(have == (self._semantics.absence or ABSENT))

    def _is_default(self, value: Any, meaning: Meaning) -> bool:
        """Return whether a value is what holds at its path where nothing is set."""
        return meaning.default is not None and self._means_the_same(value, meaning.default, meaning)

    def _is_foreign(self, steps: Steps) -> bool:
        """Return whether a path is one at the top of the file that fabricgen does not manage."""
        return len(steps) == 1 and not self._semantics.manages(steps[0])

    def _is_compared_below(self, steps: Steps, meaning: Meaning) -> bool:
        """Return whether a tree that one side lacks is compared by what is below it, not added or removed whole."""
        # What is there by itself, such as a port, is never added nor removed; what it says is.
        exists = meaning.default is not None
        return meaning.hides_keys or exists or len(steps) < self._semantics.split

    def _is_of_image(self, have: Any, meaning: Meaning) -> bool:
        """Return whether every value here is one that the system's image writes below the file that it loads."""
        if isinstance(have, dict):
            return bool(have) and all(self._is_of_image(value, meaning.child(key)) for key, value in have.items())
        image = meaning.values.get("image")
        return image is not None and (image == "*" or self._means_the_same(have, image, meaning))

    def _hidden(self, before: Tree, after: Tree, meaning: Meaning, steps: Steps) -> None:
        """Rows whose names are secrets: of those that one side refers to only their number is compared."""
        new = sorted((key for key in after if key not in before), key=_is_reference, reverse=True)
        old = sorted((key for key in before if key not in after), key=_is_reference, reverse=True)
        referred = min(max(sum(map(_is_reference, new)), sum(map(_is_reference, old))), len(new), len(old))
        self.secrets += [steps] * referred
        for key in new[referred:]:
            self._add((*steps, key), meaning, ABSENT, after[key])
        for key in old[referred:]:
            self._add((*steps, key), meaning, before[key], ABSENT)

    def _find_meant(self, key: str, before: Tree, after: Tree, taken: set[str]) -> str:
        """The name on the other side that a name with a reference to a secret stands for; empty if there is none."""
        head, _, rest = key.partition(REFERENCE)
        tail = rest.partition("@")[2]
        self._sought += 1
        for name in before if self._sought <= _SOUGHT_MAX else ():
            if name.startswith(head) and name.endswith(tail) and name not in after and name not in taken:
                return name
        return ""

    def _add(self, steps: Steps, meaning: Meaning, have: Any, wanted: Any) -> None:
        # A path of the intent is fabricgen's, even if others may write it too.
        if meaning.owner == "operator" and wanted is ABSENT:
            self._add_unmanaged(steps, have)
        else:
            self.changes.append(Change(steps, have, wanted, meaning))

    def _add_unmanaged(self, steps: Steps, have: Any) -> None:
        # Removing a line that says what is not set would set it.
        if self._is_unset(have):
            self.negates_foreign = True
        elif self._takes_unmanaged:
            self.changes.append(Change(steps, have, ABSENT, _FOREIGN))
        else:
            self.unmanaged.append(steps)

    def _means_the_same(self, one: Any, other: Any, meaning: Meaning) -> bool:
        pair = [canonical_value(value, meaning, self._semantics) for value in (one, other)]
        return type(pair[0]) is type(pair[1]) and bool(pair[0] == pair[1])


def canonical_value(value: Any, meaning: Meaning, semantics: Semantics) -> Any:
    """Return a value as JSON holds it, equal for all values that mean the same at a path."""
    order = meaning.get("order")
    if order == "set" and isinstance(value, list):
        return sorted(map(str, value))
    if order in ("words", "ranges"):
        return _words(value, order)
    if isinstance(value, list) or not semantics.as_text:
        return value
    return _text(value)


def _tree(value: Any) -> Tree:
    """Return a side of a comparison as a tree; empty where that side has none."""
    return value if isinstance(value, dict) else {}


def _is_reference(value: object) -> bool:
    """Return whether a value is, or holds, a reference to a secret."""
    return isinstance(value, str) and REFERENCE in value


def _is_hidden_secret(value: object, meaning: Meaning) -> bool:
    """Return whether a value tells nothing of a secret: it refers to one, or is asterisks, as NVUE prints it."""
    return _is_reference(value) or (meaning.is_secret and isinstance(value, str) and set(value) == {"*"})


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _words(value: object, order: str) -> list[str]:
    """The words of a comma-separated text, ranges told apart, sorted."""
    words = [word.strip() for word in str(value).split(",") if word.strip()]
    if order == "ranges":
        words = [number for word in words for number in _range(word)]
    return sorted(set(words))


def _range(word: str) -> Iterator[str]:
    found = _RANGE.fullmatch(word)
    if found is None or not 0 <= int(found[2]) - int(found[1]) <= _RANGE_MAX:
        yield word
        return
    yield from (str(number) for number in range(int(found[1]), int(found[2]) + 1))


def count_leaves(value: Any) -> int:
    """Return how many values a subtree sets; a row without fields is one."""
    if not isinstance(value, dict):
        return 1
    return sum(map(count_leaves, value.values())) or 1
