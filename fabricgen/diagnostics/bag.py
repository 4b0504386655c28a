"""The bag every stage throws its diagnostics into; equal ones are counted, not repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fabricgen.diagnostics.model import Diagnostic, IntentPath, Place, Related, Severity, Waiver
from fabricgen.diagnostics.registry import Code


class Bag:
    """Collects diagnostics; a stage never raises for a user's mistake, it adds one and goes on."""

    __slots__ = ("_by_key",)

    def __init__(self) -> None:
        self._by_key: dict[tuple[object, ...], Diagnostic] = {}

    def add(
        self,
        code: Code,
        message: str,
        path: IntentPath = (),
        *,
        on_key: bool = False,
        hint: str = "",
        related: Sequence[Related] = (),
        place: Place | None = None,
        count: int = 1,
        record: IntentPath = (),
        device: str = "",
    ) -> None:
        """Add one diagnostic; the same code, path and message again only raises its count."""
        key = (code.id, path, on_key, message, place)
        known = self._by_key.get(key)
        if known is not None:
            self._by_key[key] = replace(known, count=known.count + count)
            return
        self._by_key[key] = Diagnostic(
            code.id,
            code.severity,
            message,
            path,
            on_key,
            hint,
            tuple(related),
            place,
            count,
            record=record,
            device=device,
        )

    def extend(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Take over diagnostics from another bag."""
        for diagnostic in diagnostics:
            key = (diagnostic.code, diagnostic.path, diagnostic.on_key, diagnostic.message, diagnostic.place)
            known = self._by_key.get(key)
            self._by_key[key] = replace(known, count=known.count + diagnostic.count) if known else diagnostic

    def waive(self, choose: Callable[[Diagnostic], Waiver | None]) -> None:
        """Mark every diagnostic that ``choose`` has a waiver for."""
        for key, diagnostic in self._by_key.items():
            found = choose(diagnostic)
            if found is not None:
                self._by_key[key] = replace(diagnostic, waived=found)

    def revise(self, change: Callable[[Diagnostic], Diagnostic]) -> None:
        """Put what ``change`` makes of it in the place of every diagnostic."""
        for key, diagnostic in self._by_key.items():
            self._by_key[key] = change(diagnostic)

    def clear(self) -> None:
        """Forget everything, for a bag that is emptied into another now and then."""
        self._by_key.clear()

    def __iter__(self) -> Iterator[Diagnostic]:
        """All diagnostics in the order they were found."""
        return iter(self._by_key.values())

    def __len__(self) -> int:
        """Return how many distinct diagnostics there are."""
        return len(self._by_key)

    @property
    def has_errors(self) -> bool:
        """Return whether anything here stops the command."""
        return any(d.severity is Severity.ERROR and d.waived is None for d in self._by_key.values())
