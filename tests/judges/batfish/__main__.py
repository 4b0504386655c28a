"""``python -m tests.judges.batfish FILE…``: what Batfish's grammar of EOS does not know; exit 1 if there is anything.

``tools/build-eos-parser`` builds the parser; FABRICGEN_EOS_PARSER is where. Covered: host name, VRFs, interfaces,
static routes, AAA, logging, SNMP, prefix and community lists, route maps, BGP. Not covered: ``BEYOND``, which the
grammar has no rules for; those lines are taken out first, so that nothing else hides behind them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ..crossread.text.indented import Block, read_blocks

BEYOND = (
    r"ip routing ipv6 interfaces", r"ipv6 route vrf ", r"clock ", r"ntp local-interface ", r"no snmp-server vrf ",
    r"management (security|api gnmi)", r"lldp ", r"qos ", r"priority-flow-control ", r"service-profile ", r"phy ",
    r"(no )?error-correction ", r"ip load-sharing ", r"ip(v6)? hardware fib ", r"mac address-table ", r"router bfd",
    r"link tracking ", r"lacp port-id ", r"ip(v6)? attached-host ", r"ipv6 virtual-router ", r"storm-control ",
    r"no ip(v6)? icmp redirect", r"ipv6 access-group ", r"snmp-server ipv[46] ",
    r"neighbor \S+ (missing-policy|next-hop|ttl) ", r"bandwidth guaranteed ", r"(port-channel )?load-balance ",
    r"speed (?!100g-1\b|200g-2\b|400g-4\b)\d+g-", r"ptp (message-type|priority)",
)  # fmt: skip
"""Beginnings of commands that the grammar has no rules for, as patterns."""
TIMEOUT_S = 300


def missing() -> str:
    """Return why the parser cannot run; empty if it can."""
    folder = os.environ.get("FABRICGEN_EOS_PARSER", "")
    if not folder:
        return "FABRICGEN_EOS_PARSER is not set"
    return "" if (Path(folder) / "classes" / "Judge.class").is_file() else f"{folder} has no parser"


def covered(text: str) -> str:
    """The configuration without commands that the grammar has no rules for."""
    return "".join(f"{line}\n" for block in read_blocks(text) for line in _kept(block, 0))


def _kept(block: Block, depth: int) -> list[str]:
    if re.match("|".join(BEYOND), block.line):
        return []
    return ["   " * depth + block.line, *(line for child in block.below for line in _kept(child, depth + 1))]


def findings(files: list[Path]) -> list[str]:
    parser = Path(os.environ["FABRICGEN_EOS_PARSER"])
    with tempfile.TemporaryDirectory(prefix="eos-") as folder:
        names = {}
        for number, path in enumerate(files):
            target = Path(folder) / f"{number}.cfg"
            target.write_text(covered(path.read_text(encoding="utf-8")), encoding="utf-8")
            names[str(target)] = str(path)
        command = ["java", "-cp", f"{parser / 'antlr.jar'}:{parser / 'classes'}", "Judge", *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    found = [done.stderr.strip()] if done.returncode else []
    for line in done.stdout.splitlines():
        name = next((name for name in names if line.startswith(name)), "")
        found.append(f"{names[name]}{line.removeprefix(name)}" if name else line)
    return found


def main() -> int:
    found = findings([Path(name) for name in sys.argv[1:]])
    sys.stdout.writelines(f"{line}\n" for line in found)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
