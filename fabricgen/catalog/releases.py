"""Facts of a switch model at one release of its operating system.

A record of the catalog knows a board, a port profile or a table from a release on, or up to one. Planning sees a model
of one release, which is what an image of that release has in its folder of the board.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from fabricgen.catalog.records import Board, BufferSet, Cage, HeadroomTable, Sku, Span, SwitchModel, release_rank

_Dated = TypeVar("_Dated", Board, BufferSet, HeadroomTable, Sku)


def holds(span: Span, release: str) -> bool:
    """Return whether a release has what the span belongs to; without a release, whether the newest one has it."""
    if not release:
        return not span.until
    rank = release_rank(release)
    return (not span.since or release_rank(span.since) <= rank) and (not span.until or rank <= release_rank(span.until))


def overlap(one: Span, other: Span) -> bool:
    """Return whether some release has both."""
    return _before(one.since, other.until) and _before(other.since, one.until)


def _before(since: str, until: str) -> bool:
    return not since or not until or release_rank(since) <= release_rank(until)


def model_at(model: SwitchModel, release: str) -> SwitchModel:
    """The model as an image of a release knows it; an empty release is the newest."""
    return model._replace(
        cages=tuple(_cage_at(cage, release) for cage in model.cages),
        boards=_at(model.boards, release),
        skus=_at(model.skus, release),
        buffers=_at(model.buffers, release),
        headroom=_at(model.headroom, release),
    )


def _cage_at(cage: Cage, release: str) -> Cage:
    """A cage with the modes it has in the release."""
    if not cage.earlier:
        return cage
    modes = next((modes for span, modes in cage.earlier if release and holds(span, release)), cage.modes)
    return cage._replace(modes=modes, earlier=())


def _at(records: Iterable[_Dated], release: str) -> tuple[_Dated, ...]:
    return tuple(record for record in records if holds(record.span, release))


def has_board(model: SwitchModel, release: str) -> bool:
    """Return whether an image of the release starts on the box.

    It has a board with a port profile, or the box needs none.
    """
    if not model.boards:
        return True
    names = {name for sku in _at(model.skus, release) for name in sku.boards}
    return any(board.name in names for board in _at(model.boards, release))
