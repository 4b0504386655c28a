"""``python -m tests.judges.crossread OUT``: print what is wrong with a rendered tree; exit 1 if anything is."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import Expectation, prove, read_tree, summarize


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.judges.crossread", description=__doc__)
    parser.add_argument("out", type=Path, help="rendered tree")
    parser.add_argument("--mode", choices=("dcqcn", "pfc_only", "ecn_only"), default="dcqcn")
    parser.add_argument("--absent", action="append", default=[], metavar="NAME", help="device meant to be missing")
    parser.add_argument("--same-hash", action="store_true", help="tiers are meant to hash alike")
    given = parser.parse_args()
    expected = Expectation(mode=given.mode, absent=frozenset(given.absent), same_hash=given.same_hash)
    fabric = read_tree(given.out)
    found = prove(fabric, expected)
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.stderr.write(f"{summarize(fabric)}; {len(found)} findings\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
