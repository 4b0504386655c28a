"""``collect``: from an inventory's plan to a folder with what its devices answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from fabricgen.api.collection.judgement import Judge
from fabricgen.api.collection.redactor import Redactor
from fabricgen.api.collection.report import report_outcomes
from fabricgen.collect.fetch_codes import IN_WORK_TREE, NO_LIBRARY
from fabricgen.collect.gather import Connecting, Outcome, Work, gather
from fabricgen.collect.store import Collection, open_collection
from fabricgen.collect.target import SSH, Failure, Limits, Login, Target
from fabricgen.collect.ways import Ways, open_ways
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.spec import PlatformSpec

if TYPE_CHECKING:
    from fabricgen.api.compile import Compiled


class Reaching(Connecting, Protocol):
    """Way to log in to devices that ends with a collection."""

    async def close(self) -> None:
        """End what sessions share."""


class Wish(NamedTuple):
    """Settings of a collection.

    Attributes:
        out: Folder of the collection.
        login: Who logs in.
        limits: Bounds.
        now: Gives date and time, UTC, ISO 8601.
    """

    out: Path
    login: Login
    limits: Limits
    now: Callable[[], str]


def collect(
    targets: Sequence[Target],
    specs: Mapping[str, PlatformSpec],
    wish: Wish,
    bag: Bag,
    progress: Callable[[int], None],
    compiled: Compiled | None = None,
    ways: Reaching | None = None,
) -> list[Outcome] | None:
    """Collect devices into a folder.

    Args:
        targets: The devices.
        specs: Platforms by name.
        wish: How.
        bag: Takes a diagnostic for each device that is not collected.
        progress: Told how many devices are done.
        compiled: The inventory, where secrets are to be redacted: what it renders is known to hold none.
        ways: How devices are reached; None for their own ways, with the login.

    Returns:
        One outcome for each device; None if collecting did not begin.
    """
    ways = ways or _open_ways(targets, wish, bag)
    if ways is None:
        return None
    judge = Judge(specs.values(), bag)
    redact = None
    if compiled is not None:
        redact = Redactor(compiled, judge, {target.name: target for target in targets}, bag).redact
    work = Work(wish.now, judge.find_fault, redact, wish.login.sudo)
    with open_collection(wish.out, bag) as collection:
        if collection is None:
            return None
        if redact is None:
            _warn_of_git(wish.out, bag)
        outcomes = asyncio.run(_gather(targets, ways, wish, work, collection, progress))
    report_outcomes(outcomes, bag)
    return outcomes


def _warn_of_git(out: Path, bag: Bag) -> None:
    """Report a work tree above the folder; in a linked work tree ``.git`` is a file, so any entry counts."""
    path = out.resolve()
    folder = next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)
    if folder is not None:
        bag.add(IN_WORK_TREE, f"{out} lies in the git work tree {folder}, with the secrets of the devices")


def _open_ways(targets: Sequence[Target], wish: Wish, bag: Bag) -> Ways | None:
    """Return the ways to the devices; None with a diagnostic."""
    try:
        return open_ways([target.via for target in targets] or [SSH], wish.login, wish.limits)
    except ImportError as error:
        name = error.name if error.name in ("asyncssh", "httpx") else "asyncssh"
        bag.add(NO_LIBRARY, f"fabricgen collect needs the package {name}")
    except Failure as failure:
        bag.add(failure.code, failure.message, hint=failure.hint)
    return None


async def _gather(
    targets: Sequence[Target],
    ways: Reaching,
    wish: Wish,
    work: Work,
    collection: Collection,
    progress: Callable[[int], None],
) -> list[Outcome]:
    try:
        return await gather(targets, ways, wish.limits, work, collection, progress)
    finally:
        await ways.close()
