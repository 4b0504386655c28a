"""The script of the ports: rows whose marking is a value of its own, which the kernel changes while the port runs.

Source:
    tc(8): ``change`` modifies a queueing discipline in place, ``-batch`` ends at the first command that fails.
    Linux net/sched/sch_red.c, red_change; drivers/net/ethernet/mellanox/mlxsw/spectrum_qdisc.c,
    mlxsw_sp_qdisc_red_replace: another threshold is written over the old one. spectrum_ethtool.c,
    mlxsw_sp_port_set_link_ksettings: to set the speed takes the port down and up, so running the script does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.platforms.patching.steps import ABSENT, PatchStep, Situation, replace_file
from fabricgen.platforms.reading.file_format import FileFormat
from fabricgen.platforms.reading.reader import Tree, read_lines

PATH = "usr/local/sbin/fabricgen-port"
BATCH = "tc -batch"
_LINES, _MARKING = "lines", "marking"
_UNMARKED = "0 0 0 0"
_OPENS, _CLOSES = "PORTS='", "'"
_ROW = re.compile(r"((\S+)(?: \S+){5})(?: ([0-9]{1,18} [0-9]{1,18} [0-9.e-]{1,18} [0-9]{1,18}))?")
"""A port with its link and buffers, and its marking: from and to so many bytes, probability, packets of the average."""
_MARKS = re.compile(
    r'run tc qdisc replace dev "\$1" (parent \S+ handle \S+: red) \\\n *'
    r'limit \$\(\(\$3 \* 4\)\) min "\$2" max "\$3" probability "\$4" avpkt (\d+) burst "\$5" ecn nodrop$',
    re.MULTILINE,
)


def read(text: str) -> Tree:
    """Read the lines of a script, its rows without their marking, which is beside them by port."""
    lines: list[str] = []
    marking: Tree = {}
    inside = False
    for line in read_lines(text)[_LINES]:
        row = _ROW.fullmatch(line) if inside else None
        inside = line == _OPENS or (inside and line != _CLOSES)
        if row and row[3] and row[2] not in marking:
            marking[row[2]] = row[3]
            line = row[1]
        lines.append(line)
    return {_LINES: lines, _MARKING: {port: marks for port, marks in marking.items() if marks != _UNMARKED}}


def write(tree: Tree) -> str:
    """Write a script whose rows have their marking again."""
    return "".join(f"{line}\n" for line in _join(tree))


def _join(tree: Tree) -> Iterator[str]:
    inside = False
    left = dict(tree.get(_MARKING, {}))
    for line in tree.get(_LINES, ()):
        row = _ROW.fullmatch(line) if inside else None
        inside = line == _OPENS or (inside and line != _CLOSES)
        yield f"{line} {left.pop(row[2], _UNMARKED)}" if row and not row[3] else line


def plan_patch(situation: Situation) -> tuple[PatchStep, ...]:
    """Return the file and the commands that change its thresholds; where more than these changes, all ports anew."""
    # A port marks before the change and after it.
    marks = [each for each in situation.changes if ABSENT not in (each.before, each.after)]
    ports = [each.steps[-1] for each in marks if each.steps[0] == _MARKING]
    bands = _MARKS.findall(situation.outcome_text)
    if len(ports) < len(situation.changes) or not bands:
        return replace_file(situation)
    commands = [_command(port, band, situation.after[_MARKING][port]) for port in ports for band in bands]
    name = PATH.rsplit("/", 1)[-1]
    (put,) = replace_file(situation._replace(semantics=situation.semantics._replace(data={})))
    return put, PatchStep(f"{BATCH} {{file}}", f"{name}.tc", "".join(commands), put.disruption)


def _command(port: str, band: tuple[str, str], marking: str) -> str:
    """Return the command that the script runs for a band of a port, as one that changes it."""
    place, packet = band
    least, most, probability, burst = marking.split(" ")
    limit = 4 * int(most)
    figures = f"limit {limit} min {least} max {most} probability {probability} avpkt {packet} burst {burst}"
    return f"qdisc change dev {port} {place} {figures} ecn nodrop\n"


PORT_SCRIPT = FileFormat(read, write)
