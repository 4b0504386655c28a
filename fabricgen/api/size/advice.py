"""Sentences about a request that does not fit: why, and what would."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.api.size.ranking import Ranking, Refused
from fabricgen.sizing.ask import Asked

_SHOWN = 3


def explain_refusal(asked: Asked, ranking: Ranking) -> Iterator[str]:
    """Yield lines that say why nothing meets the options, and which alternatives do."""
    named = [one for one in ranking.refused if _meets(one, asked)]
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


def _meets(one: Refused, asked: Asked) -> bool:
    return asked.switch in ("", one.switch) and asked.platform in ("", one.platform)
