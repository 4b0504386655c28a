"""The cost of long work, named as soon as the first parts of it are done."""

from __future__ import annotations

from time import process_time

from fabricgen.cli.output import print_line

SAMPLE, LONG_S = 5, 20
"""Parts after which the whole is estimated, and seconds from which the estimate is worth a line."""


class TimeEstimate:
    """Estimates how long equal parts of work take, once."""

    def __init__(self, what: str) -> None:
        """Begin; ``what`` names the parts."""
        self._what, self._began = what, process_time()

    def step(self, done: int, total: int) -> None:
        """Take how many parts are done; name the cost of the whole where it is long."""
        if done != SAMPLE:
            return
        seconds = (process_time() - self._began) / done * total
        if seconds >= LONG_S:
            print_line(f"{total} {self._what}: about {seconds:.0f} s of CPU time", error=True)
