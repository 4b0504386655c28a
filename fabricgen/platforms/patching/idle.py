"""Waiting until a drained device forwards next to nothing, by the counters of its ports.

Local preferences show what neighbors decided; counters show what arrives. The wait ends after a while either way and
says how much is left, because traffic of hosts that have no other leaf leaves with their jobs alone.

Source:
    Linux Documentation/ABI/testing/sysfs-class-net and sysfs-class-net-statistics: ``speed`` in Mbit/s, ``tx_bytes``.
    The share and the times are a choice.
"""

from __future__ import annotations

from fabricgen.platforms.patching.rollout import look
from fabricgen.platforms.patching.steps import Phase, Step

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


def wait_idle(measure: str) -> Step:
    """Return the look that waits until a device sends less than a hundredth of its capacity.

    Args:
        measure: Command that prints how much it sends, in whole percent, or that this is not known.
    """
    command = (
        f'for n in $(seq {TIMES}); do p=$({measure}); case "$p" in 0|{UNKNOWN}) break;; esac; done; '
        f'[ "$p" = {UNKNOWN} ] && echo "no port that is up tells its speed: not known how much is still sent" || '
        'echo "${p:-?} % of the capacity"'
    )
    return look(command, "0 % of the capacity; what is left has no other path, or the drain fails", Phase.drain)
