"""Write the first files of something new: python -m tools.new check|nic|platform NAME [--room ROOM] [--area AREA]."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tools.new.check import new_check
from tools.new.files import RefusedError, write_files
from tools.new.nic import new_nic
from tools.new.platform import new_platform


def run_tests(tests: list[str]) -> None:
    """Run tests, whose first failures say what to do next.

    Args:
        tests: Arguments of pytest.
    """
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-n0", "--tb=short", *tests], check=False)


def main(arguments: list[str], root: Path, run: Callable[[list[str]], object] = run_tests) -> int:
    """Write the files, name each, and run the tests that say what is still to be filled in.

    Args:
        arguments: Words of the command line.
        root: The repository.
        run: Runs tests.

    Returns:
        The exit code: 1, since something is left to fill in; 2 where nothing was written.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.new", description=__doc__)
    parser.add_argument("kind", choices=("check", "nic", "platform"))
    parser.add_argument("name")
    parser.add_argument("--room", default="", help="check: module of fabricgen/checks/rules, there already or new")
    parser.add_argument("--area", default="", help="check: three letters of the code, where the module is new")
    words = parser.parse_args(arguments)
    try:
        if words.kind == "check":
            files, tests = new_check(root, words.name, words.room, words.area)
        else:
            files, tests = (new_nic if words.kind == "nic" else new_platform)(root, words.name)
        write_files(root, files)
    except RefusedError as refused:
        print(refused, file=sys.stderr)
        return 2
    for file in files:
        print(f"wrote {file}")
    print(f"fill in what these tests name: pytest {' '.join(tests)}", flush=True)
    run(tests)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path.cwd()))
