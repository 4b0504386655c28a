"""A timer on the device itself that restores the start of a change unless it is stopped in time.

Once a change has cut the management network off, only the device itself can take it back. The timer is transient: it
does not survive a restart, so a procedure that restarts the device has none.

Beside it, waiting until a drained device forwards next to nothing, by the counters of its ports: local preferences show
what neighbors decided, counters what arrives. The wait ends after a while either way and says how much is left, because
traffic of hosts that have no other leaf leaves with their jobs alone.

Source:
    systemd-run(1): ``--on-active`` makes a transient timer with a service of the name of ``--unit``; without
    ``--collect`` a service that failed keeps the name, and no later timer can be started; systemctl(1).
    Linux Documentation/ABI/testing/sysfs-class-net and sysfs-class-net-statistics: ``speed`` in Mbit/s, ``tx_bytes``.
    The share and the times are a choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.platforms.patching.rollout import look
from fabricgen.platforms.patching.steps import PatchStep, StepPhase, run

TIMES, SECONDS = 12, 10
"""Measurements, and the time that each takes."""
UNKNOWN = "-"
"""Answer of a measurement where no port that is up tells its speed."""
_SUM = "function sum(c,  s, x) { while ((c | getline x) > 0) if (x > 0) s += x; close(c); return s + 0 }"
LINUX = (
    f'awk \'{_SUM} BEGIN {{ m = sum("cat /sys/class/net/*/speed 2>/dev/null"); if (!m) {{ print "{UNKNOWN}"; exit }} '
    f't = "cat /sys/class/net/*/statistics/tx_bytes"; a = sum(t); system("sleep {SECONDS}"); '
    f"print int((sum(t) - a) * 8 / {SECONDS} / m / 10000) }}'"
)
"""Prints the part of the capacity of all ports of a Linux system that they send, in percent, rounded down.

Ports that are down, and virtual ones, have no speed.
"""
UNIT = "fabricgen-rollback"
SCRIPT = "/etc/fabricgen/rollback"
MINUTES = 10
"""Time for checks by a person; a choice, as the default of ``nv config apply --confirm`` is."""
_PROOF = 300
"""Seconds for which a playbook asks neighbors at most: 30 times, every 10 seconds; they learn of the drain together."""
_SLOWER = 4
"""Times that a switch's CPU may be slower than the core of a server that steps are measured on; a choice."""


def timer_minutes(steps: Sequence[PatchStep], *, drained: bool) -> int:
    """Return the minutes after which a timer fires: for the steps, a drain with wait and proofs, and the checks.

    Traffic is waited for first where it is ``drained``.
    """
    seconds = _SLOWER * sum(step.seconds for step in steps) + (TIMES * SECONDS if drained else 0)
    return (waits_s(drained=drained) + int(seconds)) // 60


def waits_s(*, drained: bool) -> int:
    """Return the seconds that a timer leaves for checks, and for the drain where that comes later (``drained``)."""
    return 60 * MINUTES * (2 if drained else 1) + (_PROOF if drained else 0)


def start_timer(command: str, minutes: int) -> PatchStep:
    """Return the step that starts the timer; it fails if one of this name still runs."""
    reason = f"restores the start after {minutes} minutes unless it is stopped, also if you are cut off"
    return run(f"systemd-run --collect --on-active={minutes}m --unit={UNIT} {command}", reason, phase=StepPhase.back_up)


def stop_timer() -> PatchStep:
    """Return the step that stops the timer once the checks are as expected."""
    return run(f"systemctl stop {UNIT}.timer", "stops the timer", phase=StepPhase.confirm)


def take_over() -> PatchStep:
    """Return the first step of a rollback by hand: the timer may have fired, or not have been started."""
    return run(f"systemctl stop {UNIT}.timer || true", "the timer must not act at the same time")


def wait_idle(measure: str) -> PatchStep:
    """Return the look that waits until a device sends less than a hundredth of its capacity.

    Args:
        measure: Command that prints how much it sends, in whole percent, or that this is not known.
    """
    command = (
        f'for n in $(seq {TIMES}); do p=$({measure}); case "$p" in 0|{UNKNOWN}) break;; esac; done; '
        f'[ "$p" = {UNKNOWN} ] && echo "no port that is up tells its speed: not known how much is still sent" || '
        'echo "${p:-?} % of the capacity"'
    )
    return look(command, "0 % of the capacity; what is left has no other path, or the drain fails", StepPhase.drain)
