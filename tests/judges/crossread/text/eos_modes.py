"""Mode in which EOS would read the commands below a line that it rejects.

EOS goes on after a refused line, in the mode that the line before it left. A refused ``interface`` therefore hands its
commands to whatever stands above; where that is a port, they are carried out there.

Source:
    Arista EOS User Manual, Command-Line Interface: a command that opens a mode also leaves the one before it; ``!``
    is a comment and leaves none.
"""

from __future__ import annotations

from collections.abc import Iterator

from .indented import read_blocks


def stray_commands(text: str) -> Iterator[str]:
    """Name each interface whose commands would be carried out on another one if its name were refused."""
    mode = ""
    for block in read_blocks(text):
        if block.line.startswith("interface "):
            if mode.startswith("interface "):
                yield f"if {block.line!r} were refused, its commands would change {mode!r}"
            mode = block.line
        elif block.below or _opens(block.line):
            mode = block.line
        # Any other command is one of the whole switch; whether it leaves the mode of a port is not documented.


def _opens(line: str) -> bool:
    """Return whether a command opens a mode even if nothing stands below it."""
    return line.startswith(("vrf instance ", "vlan ", "router ", "route-map ", "qos profile ", "management "))
