"""FRR's own parser, where it is installed on this machine.

Source:
    FRRouting/frr, vtysh/vtysh_main.c: ``-C`` reads a configuration without a daemon and names every line it does not
    know.
"""

from __future__ import annotations

import re
import shutil
import subprocess

_PROGRAM, _TIME_MAX_S = "vtysh", 60
_REFUSED = re.compile(r"^line (\d+): % ", re.MULTILINE)


def find_refused_lines(text: str) -> list[int] | None:
    """Return the numbers of the lines that vtysh refuses, from 1; None where it is not installed or has no answer."""
    program = shutil.which(_PROGRAM)
    if program is None:
        return None
    command = [program, "-C", "-f", "/dev/stdin"]
    try:
        done = subprocess.run(  # noqa: S603 - reads what it is given
            command, input=text, capture_output=True, text=True, check=False, timeout=_TIME_MAX_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return [int(found[1]) for found in _REFUSED.finditer(done.stdout + done.stderr)]
