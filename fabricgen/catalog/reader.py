"""Checked reading of one catalog file: every fault goes into the bag with its position, none raises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.modes import parse_row
from fabricgen.diagnostics import Bag, Code, IntentPath, Nearest, Related, hint_of

if TYPE_CHECKING:
    from fabricgen.source import Document

Loc = tuple[str | int, ...]
"""Keys and list positions from the root of a catalog file."""

_MISSING = object()
"""Stands for a mandatory value that is not there; its fault is already reported."""

_SPEED_MAX_GBPS = 6400


class CatalogFile:
    """One catalog file being read."""

    __slots__ = ("_bag", "_document", "_named_at")

    def __init__(self, document: Document, bag: Bag, named_at: IntentPath) -> None:
        """Read ``document``, which the intent asked for at ``named_at``."""
        self._document = document
        self._bag = bag
        self._named_at = named_at

    def root(self) -> Table:
        """The whole file as a mapping; anything else is a fault and reads as empty."""
        data = self._document.data
        if not isinstance(data, dict):
            self.fault(codes.BAD_VALUE, f"a catalog file is a mapping, this one is {kind_of(data)}", ())
            data = {}
        return Table(self, data, ())

    def fault(self, code: Code, message: str, loc: Loc, *, on_key: bool = False, hint: str = "") -> None:
        """Add one fault at a place of this file."""
        related = [Related("the record is asked for here", path=self._named_at)] if self._named_at else []
        is_missing = code is codes.MISSING_KEY and not loc
        place = self._document.end if is_missing else self._document.place(self._document.to_path(loc), on_key=on_key)
        self._bag.add(code, message, hint=hint or hint_of(message), related=related, place=place)


class Table:
    """A mapping of a catalog file, read key by key; ``close`` refuses what nobody asked for."""

    __slots__ = ("_asked", "_data", "file", "loc")

    def __init__(self, file: CatalogFile, data: dict[str, Any], loc: Loc) -> None:
        """Wrap the mapping at ``loc``."""
        self.file = file
        self.loc = loc
        self._data = data
        self._asked: set[str] = set()

    def fault(self, code: Code, message: str, *keys: str | int, on_key: bool = False, hint: str = "") -> None:
        """Add a fault at a key of this mapping, or at the mapping itself."""
        self.file.fault(code, message, (*self.loc, *keys), on_key=on_key, hint=hint)

    def names(self) -> tuple[str, ...]:
        """Every key, as text, in file order; all count as asked for."""
        self._asked.update(self._data)
        return tuple(self._data)

    def has(self, key: str) -> bool:
        """Whether the key is written."""
        self._asked.add(key)
        return key in self._data

    def is_mapping(self, key: str) -> bool:
        """Whether the value of the key is a mapping of its own."""
        return isinstance(self._data.get(key), dict)

    def close(self) -> None:
        """Refuse every key that nobody asked for."""
        nearest = Nearest()
        for key in self._data:
            if key not in self._asked:
                near = nearest.find(key, self._asked)
                hint = f"did you mean {near}?" if near else f"known keys: {', '.join(sorted(self._asked))}"
                self.fault(codes.UNKNOWN_KEY, f"unknown key {key}", key, on_key=True, hint=hint)

    def text(self, key: str, default: str | None = None) -> str:
        """A text value; ``default`` None makes the key mandatory and an empty text a fault."""
        value = self._get(key, default)
        if type(value) is int or (isinstance(value, str) and (value.strip() or default is not None)):
            return str(value)
        self._wrong(key, "a text", value)
        return ""

    def integer(self, key: str, default: int | None = None, *, low: int = 0, high: int = 10**13) -> int:
        """A whole number within bounds; ``default`` None makes the key mandatory."""
        return self._number(key, self._get(key, default), low, high) or 0

    def optional_integer(self, key: str, *, low: int = 0, high: int = 10**13) -> int | None:
        """A whole number within bounds, or None where it is not written."""
        return self._number(key, self._data[key], low, high) if self.has(key) else None

    def flag(self, key: str) -> bool:
        """True or false; false where it is not written."""
        value = self._get(key, False)
        if not isinstance(value, bool):
            self._wrong(key, "true or false", value)
            return False
        return value

    def optional_flag(self, key: str) -> bool | None:
        """True or false, or None where it is not written."""
        return self.flag(key) if self.has(key) else None

    def words(self, key: str, *, optional: bool = False) -> tuple[str, ...]:
        """A list of texts, or one text of words separated by blanks."""
        value = self._get(key, "" if optional else None)
        if isinstance(value, str):
            return tuple(value.split())
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self._wrong(key, "a list of names", value)
        return ()

    def row(self, key: str) -> tuple[int, ...]:
        """Whole numbers: a list, one number, or a text with blanks between them."""
        value = self._get(key, None)
        if isinstance(value, list) and all(type(item) is int for item in value):
            return tuple(value)
        numbers = parse_row(str(value)) if isinstance(value, str) or type(value) is int else None
        if numbers is None:
            self._wrong(key, "whole numbers separated by blanks", value)
        return numbers or ()

    def table(self, key: str, *, optional: bool = False) -> Table:
        """A mapping; reads as empty where it is optional and not written, or faulty."""
        value = self._get(key, {} if optional else None)
        if not isinstance(value, dict):
            self._wrong(key, "a mapping", value)
            value = {}
        return Table(self.file, value, (*self.loc, key))

    def tables(self, key: str) -> Iterator[Table]:
        """The mappings of an optional list."""
        value = self._get(key, [])
        if not isinstance(value, list):
            self._wrong(key, "a list of mappings", value)
            return
        for position, item in enumerate(value):
            if isinstance(item, dict):
                yield Table(self.file, item, (*self.loc, key, position))
            else:
                self.fault(codes.BAD_VALUE, f"{key} is a list of mappings, this is {kind_of(item)}", key, position)

    def lines(self, key: str, *, optional: bool = False) -> tuple[str, ...]:
        """The texts of a list, one per line of the file."""
        value = self._get(key, [] if optional else None)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._wrong(key, "a list of texts", value)
            return ()
        return tuple(value)

    def by_speed(self, key: str, *, optional: bool = False) -> dict[int, str]:
        """A mapping of speeds such as ``400G`` to texts, keyed by Gb/s."""
        table = self.table(key, optional=optional)
        values: dict[int, str] = {}
        for name in table.names():
            digits = name.removesuffix("G")
            if name.endswith("G") and digits.isdecimal() and 0 < int(digits) <= _SPEED_MAX_GBPS:
                values[int(digits)] = table.text(name)
            else:
                table.fault(codes.BAD_VALUE, f"{name} is not a speed such as 400G", name, on_key=True)
        return values

    def _get(self, key: str, default: Any) -> Any:
        if self.has(key):
            return self._data[key]
        if default is None:
            self.fault(codes.MISSING_KEY, f"key {key} is missing", on_key=True)
            return _MISSING
        return default

    def _number(self, key: str, value: Any, low: int, high: int) -> int | None:
        if type(value) is int and low <= value <= high:
            return value
        self._wrong(key, f"a whole number from {low} to {high}", value)
        return None

    def _wrong(self, key: str, wanted: str, value: Any) -> None:
        if value is not _MISSING:
            self.fault(codes.BAD_VALUE, f"{key} is {kind_of(value)}, it must be {wanted}", key)


def kind_of(value: Any) -> str:
    """Name a value in a message: what it is, and its text where that is short."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "empty"
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
