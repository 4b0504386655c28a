"""Choices of a switch and a platform for a request: those that fit, and sentences about those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.diagnostics import Diagnostic, Severity
from fabricgen.sizing.ask import SizingOptions
from fabricgen.sizing.fabric import FabricSize
from fabricgen.sizing.request import Unfit

_SHOWN = 3
_WEIGHT = {Severity.INFO: 1, Severity.WARNING: 2, Severity.ERROR: 3}


class Option(NamedTuple):
    """A switch and a platform on which the request fits.

    Attributes:
        remarks: What checks find in its intent, apart from what is about the servers.
        of_hosts: What they find about the servers, whatever the switch.
    """

    size: FabricSize
    remarks: tuple[Diagnostic, ...]
    of_hosts: tuple[Diagnostic, ...]

    @property
    def key(self) -> tuple[int, int, int, int, str, str]:
        """Order of options: without remarks first, then by switches and optics."""
        worst = max((_WEIGHT[item.severity] for item in self.remarks), default=0)
        size = self.size
        return worst, size.switches, size.optics, len(self.remarks), size.boxes.platform, size.boxes.leaf.id


class UnfitSwitch(NamedTuple):
    """A switch and a platform on which the request does not fit, and why."""

    switch: str
    platform: str
    unfit: Unfit


class Ranking(NamedTuple):
    """Every choice, and the best of those that meet all options; None if none does."""

    best: Option | None
    options: list[Option]
    refused: list[UnfitSwitch]


def explain_refusal(asked: SizingOptions, ranking: Ranking) -> Iterator[str]:
    """Yield lines that say why nothing meets the options, and which alternatives do."""
    named = [one for one in ranking.refused if _is_asked(one, asked)]
    if not asked.switch:
        platform = f" under {asked.platform}" if asked.platform else ""
        yield f"No switch of the catalog holds {asked.gpus} GPUs of {asked.server}{platform} with these options."
        named = sorted(named, key=lambda one: "too many" not in one.unfit.why)[:_SHOWN]
    elif not named:
        yield f"{asked.switch} does not run {asked.platform}."
    for one in named:
        yield f"{one.switch} under {one.platform}: {one.unfit.why}."
        if one.unfit.remedy:
            yield f"  What would: {one.unfit.remedy}."
    if ranking.options:
        best = ranking.options[0].size.boxes
        yield f"Fits: --switch {best.leaf.id} --platform {best.platform}."


def _is_asked(one: UnfitSwitch, asked: SizingOptions) -> bool:
    return asked.switch in ("", one.switch) and asked.platform in ("", one.platform)
