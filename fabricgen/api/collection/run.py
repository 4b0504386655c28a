"""``collect``: from an inventory's plan to a folder with what its devices answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.collection.judgement import Judge
from fabricgen.api.collection.report import report_outcomes
from fabricgen.collect.fetch_codes import NO_LIBRARY
from fabricgen.collect.gather import Connecting, Outcome, Work, gather
from fabricgen.collect.store import Collection, open_collection
from fabricgen.collect.target import Failure, Limits, Login, Target
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.spec import PlatformSpec


class Wish(NamedTuple):
    """How devices are collected.

    Attributes:
        out: Folder of the collection.
        login: Who logs in.
        limits: Bounds.
        now: Gives date and time, UTC, ISO 8601.
        redact: Replace secrets in outputs.
    """

    out: Path
    login: Login
    limits: Limits
    now: Callable[[], str]
    redact: bool = False


def collect(
    targets: Sequence[Target],
    specs: Mapping[str, PlatformSpec],
    wish: Wish,
    bag: Bag,
    progress: Callable[[int], None],
) -> list[Outcome] | None:
    """Collect devices into a folder.

    Args:
        targets: The devices.
        specs: Platforms by name.
        wish: How.
        bag: Takes a diagnostic for each device that is not collected.
        progress: Told how many devices are done.

    Returns:
        One outcome for each device; None if collecting did not begin.
    """
    judge = Judge(specs.values(), bag)
    work = Work(wish.now, judge.find_fault, None, wish.login.sudo)
    with open_collection(wish.out, bag) as collection:
        if collection is None:
            return None
        try:
            outcomes = asyncio.run(_gather(targets, wish, work, collection, progress))
        except ImportError:
            bag.add(NO_LIBRARY, "fabricgen collect needs the package asyncssh")
            return None
        except Failure as failure:
            bag.add(failure.code, failure.message, hint=failure.hint)
            return None
    report_outcomes(outcomes, bag)
    return outcomes


async def _gather(
    targets: Sequence[Target], wish: Wish, work: Work, collection: Collection, progress: Callable[[int], None]
) -> list[Outcome]:
    from fabricgen.collect.ssh.transport import Transport

    transport = Transport(wish.login, wish.limits)
    try:
        reached: Connecting = transport
        return await gather(targets, reached, wish.limits, work, collection, progress)
    finally:
        await transport.close()
