"""``startup-config`` as ``show running-config all`` prints it: every section with the defaults that it does not set.

The command that leaves an interface is there once, as what it is; queues and peer groups have the words of the release.

Source:
    batfish/batfish cba1873, testconfigs ``arista_*_show_run_all*``, devices of EOS 4.22.3M; the lines, by section, are
    in eos_all.txt beside this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

HEAD = "! Command: show running-config all\n"
TOP = "logging"
"""Lines beside sections."""
NEIGHBOR = "neighbor {name}"
_SIGN = re.compile(r"^ *(?:no |default )?")
_LEAVES = re.compile(r"(?m)^(interface .*\n(?: .*\n)*)vrf instance MGMT\n")
"""An interface, and the command behind it that leaves it."""


def print_file(text: str) -> str:
    text = re.sub(r"(?m)^( *)uc-tx-queue ", r"\1tx-queue ", _LEAVES.sub(r"\1", text))
    text = re.sub(r"(?m)^( *neighbor \S+) peer group", r"\1 peer-group", text)
    printed = [HEAD.rstrip(), *_defaults(TOP, text.splitlines())]
    for section in re.split(r"(?m)^(?=\S)", text):
        printed += _print_section(section.splitlines())
    return "\n".join(printed) + "\n"


def _print_section(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a section; its defaults stand before the first of what is nested in it."""
    head = lines[0] if lines else ""
    name = next((name for name in _printed() if head.startswith(name) and name not in (TOP, NEIGHBOR)), "")
    if not name or len(lines) == 1:
        yield from lines
        return
    nested = next((at for at, line in enumerate(lines) if line == "   !"), len(lines))
    end = nested if nested < len(lines) else max(at for at, line in enumerate(lines) if line.startswith(" ")) + 1
    own = lines[1:end]
    yield from (head, *own, *_defaults(name, own))
    if name == "router bgp":
        for group in dict.fromkeys(re.findall(r"(?m)^   neighbor (\S+) peer-group$", "\n".join(own))):
            yield from _defaults(NEIGHBOR, own, group)
    yield from lines[end:]


def _defaults(section: str, own: Sequence[str], name: str = "") -> Iterator[str]:
    """Yield the default lines of a section that sets some settings of its own."""
    said = [f"{_SIGN.sub('', line)} " for line in own]
    for line in _printed()[section]:
        key, _, value = line.replace("{name}", name).partition(" | ")
        setting = f"{_SIGN.sub('', key)} "
        if not any(each.startswith(setting) for each in said):
            yield f"{key} {value}" if value else key


@cache
def _printed() -> dict[str, list[str]]:
    """Return the default lines by the words that their section begins with."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("eos_all.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if TOP in found or line.startswith(" "):
            [*found.values()][-1].append(line)
        else:
            found[line] = []
    return found
