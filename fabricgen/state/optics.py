"""Judgement of transceivers by the alarm thresholds that each of them has in itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.platforms.observations.records import BIAS, LEVELS, RX_POWER, TX_POWER, Level, Module
from fabricgen.state.expected import Expected, ExpectedLink
from fabricgen.state.findings import OPTICS, CheckResult, StateFinding, judged

_BY_LANE = frozenset((RX_POWER, TX_POWER, BIAS))


def judge_optics(expected: Expected, modules: Sequence[Module], seen: Sequence[Level]) -> CheckResult:
    """Return whether nothing that a transceiver of a cabled port measures is beyond its own alarm thresholds.

    A transceiver that shows no thresholds, such as a copper cable, has nothing that could be beyond them. Where only
    some ports of a cage are cabled, lanes are dark that should be; there its temperature and voltage alone are judged.
    """
    planned = {link.port: link for link in expected.links}
    found: dict[tuple[str, str, bool], list[Level]] = {}
    for level in seen:
        port = expected.aliases.get(level.port, level.port)
        if port not in planned or (port in expected.shared_cages and level.name in _BY_LANE):
            continue
        if level.alarm == "low" or (level.low is not None and level.value < level.low):
            found.setdefault((port, level.name, False), []).append(level)
        elif level.alarm == "high" or (level.high is not None and level.value > level.high):
            found.setdefault((port, level.name, True), []).append(level)
    read = {expected.aliases.get(module.port, module.port) for module in modules}
    unread = [f"the transceiver of {port}" for port in planned if port not in read]
    return judged(OPTICS, len(planned), list(_describe(planned, found)), unread)


def _describe(
    planned: dict[str, ExpectedLink], found: dict[tuple[str, str, bool], list[Level]]
) -> Iterator[StateFinding]:
    """Yield one finding for each quantity of a port, with the lane that is farthest off."""
    for (port, name, is_high), levels in found.items():
        worst = (max if is_high else min)(levels, key=lambda level: level.value)
        lane = "" if worst.lane is None else f"lane {worst.lane} "
        limit = worst.high if is_high else worst.low
        alarm = "" if limit is None else f", alarm {limit:.1f} {LEVELS[name]}"
        more = f" and {len(levels) - 1} more lanes" if len(levels) > 2 else " and one more lane" * (len(levels) - 1)
        link = planned[port]
        about = f"{lane}{_show(worst)}{more}{alarm}, to {link.peer} {link.peer_port}"
        end = "above its high alarm" if is_high else "below its low alarm"
        yield StateFinding(port, f"{name} within its alarms", end, about)


def _show(level: Level) -> str:
    if level.value == float("-inf"):
        return "no light"
    return f"{level.value:.1f} {LEVELS[level.name]}"
