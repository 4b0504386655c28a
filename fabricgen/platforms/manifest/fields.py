"""Reading the fields of a manifest: each value checked, each fault told with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from fabricgen.diagnostics import Bag, Code, hint_of
from fabricgen.platforms.manifest.platform_codes import BAD_VALUE, MISSING_KEY, UNKNOWN_KEY
from fabricgen.source import Document, RawFloat

Loc = tuple[str | int, ...]


class Fields:
    """One mapping of a manifest.

    The ``text``, ``word`` and ``items`` methods return the value, or None after telling what is wrong with it, so
    that one reading finds every fault.
    """

    __slots__ = ("_bag", "_document", "_loc", "_values")

    def __init__(self, document: Document, bag: Bag, values: Mapping[str, object], loc: Loc = ()) -> None:
        """Read ``values``, which stand at ``loc`` in the document."""
        self._document = document
        self._bag = bag
        self._values = values
        self._loc = loc

    @property
    def bag(self) -> Bag:
        """Where faults go."""
        return self._bag

    @property
    def values(self) -> Mapping[str, object]:
        """What the mapping has, unchecked."""
        return self._values

    def section(self, key: str) -> Fields | None:
        """A mapping in this one; None if the key is absent, or after telling that it is something else."""
        value = self._values.get(key)
        if isinstance(value, dict):
            return Fields(self._document, self._bag, value, (*self._loc, key))
        if key in self._values:
            self.fault(BAD_VALUE, f"{self._name(key)} is {shown(value)}; it must be a mapping", key)
        return None

    def fault(self, code: Code, message: str, *loc: str | int, on_key: bool = False, hint: str = "") -> None:
        """Add a diagnostic about what stands at ``loc`` inside this mapping."""
        path = self._document.to_path((*self._loc, *loc))
        place = self._document.place(path, on_key) if path or code is not MISSING_KEY else self._document.end
        self._bag.add(code, message, place=place, hint=hint or hint_of(message) or code.fix)

    def check_keys(self, required: Collection[str], optional: Collection[str]) -> None:
        """Tell about keys that are missing and keys nobody reads."""
        for key in required:
            if key not in self._values:
                self.fault(MISSING_KEY, f"{self._name()}{key} is missing", on_key=True, hint=f"add {key}")
        legal = [*required, *optional]
        for key in self._values:
            if key not in legal:
                message = f"{self._name(key)} is not a key of a manifest; legal here are {', '.join(legal)}"
                self.fault(UNKNOWN_KEY, message, key, on_key=True)

    def text(self, key: str) -> str | None:
        """A text of one line; None if the key is absent."""
        value = self._values.get(key)
        if value is None and key not in self._values:
            return None
        if isinstance(value, str) and value and value.isprintable():
            return value
        quote = "put quotes around it" if isinstance(value, int | float) and not isinstance(value, bool) else ""
        self.fault(BAD_VALUE, f"{self._name(key)} is {shown(value)}; it must be a text of one line", key, hint=quote)
        return None

    def word(self, key: str, legal: Collection[str]) -> str | None:
        """A text out of a few; None if the key is absent."""
        value = self.text(key)
        if value is None or value in legal:
            return value
        self.fault(BAD_VALUE, f"{self._name(key)} is {value!r}; it must be one of {', '.join(legal)}", key)
        return None

    def plain(self, key: str) -> str | None:
        """A text, a number or a boolean as it is written, which may be empty; None if the key is absent."""
        value = self._values.get(key)
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str | int):
            return str(value)
        if isinstance(value, RawFloat):
            return value.raw
        if key in self._values:
            self.fault(BAD_VALUE, f"{self._name(key)} is {shown(value)}; it must be a text or a number", key)
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of distinct texts; empty if the key is absent."""
        values = self._list(key)
        for index, value in enumerate(values):
            if not isinstance(value, str) or not value or not value.isprintable() or value in values[:index]:
                message = f"{self._name(key)} has {shown(value)}; its items must be texts, each only once"
                self.fault(BAD_VALUE, message, key, index)
        return tuple(value for value in values if isinstance(value, str))

    def scalars(self, key: str) -> dict[str, bool | int | str]:
        """A mapping of names to booleans, whole numbers or texts; empty if the key is absent."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            self.fault(BAD_VALUE, f"{self._name(key)} is {shown(value)}; it must be a mapping", key)
            return {}
        legal: dict[str, bool | int | str] = {}
        for name, item in value.items():
            if isinstance(item, bool | int) or (isinstance(item, str) and item.isprintable()):
                legal[name] = item
            else:
                message = f"{self._name(key)}.{name} is {shown(item)}; it must be a boolean, a whole number or a text"
                self.fault(BAD_VALUE, message, key, name)
        return legal

    def sentences(self, key: str) -> dict[str, str]:
        """A mapping of names to texts that are not empty; empty if the key is absent."""
        legal = {}
        for name, item in self.scalars(key).items():
            if isinstance(item, str) and item:
                legal[name] = item
            else:
                self.fault(BAD_VALUE, f"{self._name(key)}.{name} is {shown(item)}; it must be a sentence", key, name)
        return legal

    def items(self, key: str) -> Iterator[Fields]:
        """The mappings of a list; none if the key is absent."""
        for index, value in enumerate(self._list(key)):
            if isinstance(value, dict):
                yield Fields(self._document, self._bag, value, (*self._loc, key, index))
            else:
                self.fault(BAD_VALUE, f"{self._name(key)} has {shown(value)}; its items must be mappings", key, index)

    def _list(self, key: str) -> list[object]:
        value = self._values.get(key)
        if value is None and key not in self._values:
            return []
        if isinstance(value, list) and value:
            return value
        self.fault(BAD_VALUE, f"{self._name(key)} is {shown(value)}; it must be a list that is not empty", key)
        return []

    def _name(self, key: str = "") -> str:
        """How a key of this mapping is called in messages; list items are told apart by their place."""
        parts = [segment for segment in self._loc if isinstance(segment, str)]
        return ".".join([*parts, key])


def shown(value: object) -> str:
    """Return a value the way the manifest writes it."""
    if isinstance(value, RawFloat):
        return value.raw
    if value is None:
        return "empty"
    if isinstance(value, dict | list):
        return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}"
    return str(value).lower() if isinstance(value, bool) else repr(value)
