"""Judges that nobody here wrote: real parsers and checkers, run on every distinct file of a rendered tree.

``python -m tests.judges.outside OUT`` prints their findings; exit 1 if there are any. Files that are equal byte for
byte are judged once. A judge that is not installed is named and left out; where CI is true, one that a package of
the distribution supplies must be there. The folder that FABRICGEN_JUDGES names has further checkers.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from tests import tally
from tests.acceptance import frr_roots
from tests.waiting import PATIENCE_S

from .batfish.__main__ import missing as no_batfish
from .files import File, read_files
from .nvue.__main__ import DEFAULT as NVUE_RELEASE

REPOSITORY = Path(__file__).resolve().parents[2]
WORKERS = 2
BATCH = 12
NETPLAN_GENERATORS = ("/usr/libexec/netplan/generate", "/usr/lib/netplan/generate", "/lib/netplan/generate")
"""Program that the command ``netplan generate`` starts; without that command's own second of Python."""
SYSTEM_UNITS = ("/usr/lib/systemd/system", "/lib/systemd/system")
SYSTEM_PROGRAMS = ("/usr/sbin/ip", "/usr/sbin/ptp4l", "/usr/sbin/phc2sys")
"""Programs of the distribution that units call."""


_CLEAN = re.compile(r": 0 errors, \d+ warnings( \(release \w+\))?$")
"""Ending of check_config_db.py's line about a file without errors; it names the release it judged by."""
_UNCHECKED = "GNMI_CLIENT_CERT: warning: not a table"
"""Its words on a table that it has no fields of: tests/unit/sonic/test_sonic_gnmi.py judges that."""
_AHEAD = '"system_mac"'
"""A field of the development branch, whose schema still bears the number of the last release (FG-PLT-045)."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One outside judge.

    ``wants``: whether a path on a device, with the first line of its text, is this judge's business. ``batch``: how
    many files one call takes. ``release`` reads a file's release, where the judge goes by it.
    """

    name: str
    wants: Callable[[str, str], bool]
    missing: Callable[[], str]
    run: Callable[[list[Path]], list[str]]
    packaged: bool = True
    batch: int = 1
    release: Callable[[str], str] = lambda _: ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of a judge on a tree; ``missing`` is the reason for none."""

    judge: Judge
    files: int
    distinct: int
    findings: tuple[str, ...]
    missing: str = ""


def _call(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a checker, its messages together."""
    return subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=PATIENCE_S, check=False, cwd=REPOSITORY,
    )  # fmt: skip


def _lines(done: subprocess.CompletedProcess[str], prefix: str = "") -> list[str]:
    """Return what a checker said, one finding a line; a failure without words is one, too."""
    lines = [line.rstrip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode and not lines:
        lines = [f"exit status {done.returncode}"]
    return [f"{prefix}{line}" for line in lines]


def _absent(*programs: str) -> str:
    """Return which of these programs are not installed."""
    found = [program for program in programs if not shutil.which(program)]
    return f"{', '.join(found)} is not installed" if found else ""


# -- where the checkers are


def _checker(name: str) -> Path:
    return Path(os.environ.get("FABRICGEN_JUDGES", "")) / name


def _no_checker(name: str) -> str:
    if not os.environ.get("FABRICGEN_JUDGES"):
        return f"FABRICGEN_JUDGES is not set ({name})"
    return "" if _checker(name).is_file() else f"{_checker(name)} does not exist"


def _no_frr_checker() -> str:
    """Return why the FRR checker cannot run; it starts bgpd, which only root may."""
    return _no_checker("check_frr.sh") or _absent("vtysh") or ("" if os.geteuid() == 0 else "needs root")


@cache
def _netplan() -> str:
    """Path of netplan's generator; empty where there is none."""
    return next((path for path in NETPLAN_GENERATORS if os.access(path, os.X_OK)), "")


@cache
def _udev_root() -> str:
    """Root of a system whose ``udevadm`` verifies, as since systemd 253; empty where there is none."""
    asked = ("env", "udevadm", "verify", "--help")
    return next((root for root in frr_roots.ALL if _call(*frr_roots.enter(root), *asked).returncode == 0), "")


def _no_udev_verify() -> str:
    return "" if _udev_root() else "no udevadm here can verify"


_no_config_db = partial(_no_checker, "check_config_db.py")

# -- what they are asked


def _run_config_db(files: list[Path]) -> list[str]:
    ahead = [path for path in files if _AHEAD in path.read_text(encoding="utf-8")]
    calls = [sorted({*files} - {*ahead}), ["--release", "master", *ahead] if ahead else []]
    program = (sys.executable, _checker("check_config_db.py"), "-W")
    lines = (line for words in calls if words for line in _lines(_call(*program, *words)))
    return [line for line in lines if not _CLEAN.search(line) and _UNCHECKED not in line]


def _run_nccl_topology(files: list[Path]) -> list[str]:
    """Files that NCCL would refuse, and nodes that its ranks would see differently."""
    found = []
    for path in files:
        lines = _lines(_call(sys.executable, _checker("check_nccl_topo.py"), path))
        found += [f"{path}: {line.strip()}" for line in lines if not line.endswith("(0 errors, 0 warnings)")]
    return found


def _run_fboss(files: list[Path], *, bgp: bool) -> list[str]:
    words = ("--bgp",) if bgp else ()
    done = _call(sys.executable, _checker("check_fboss.py"), *words, "--complete", "-W", *files)
    return [line for line in _lines(done) if not _CLEAN.search(line)]


def _run_frr_checker(files: list[Path]) -> list[str]:
    done = _call(_checker("check_frr.sh"), *files)
    return _lines(done) if done.returncode else []


def _run_each(*command: str, files: list[Path]) -> list[str]:
    """Findings of a checker that takes one file and does not name it."""
    found = []
    for path in files:
        done = _call(*command, path)
        found += _lines(done, f"{path}: ") if done.returncode else []
    return found


def _run_shellcheck(files: list[Path]) -> list[str]:
    return _lines(_call("shellcheck", "--format", "gcc", *files))


def _run_netplan(files: list[Path]) -> list[str]:
    """Generate back ends below a folder of its own; a warning, as of a mode too wide, counts."""
    found = []
    for path in files:
        with tempfile.TemporaryDirectory(prefix="netplan-") as folder:
            target = Path(folder) / "etc/netplan" / path.name
            target.parent.mkdir(parents=True)
            shutil.copy2(path, target)
            done = _call(_netplan(), "--root-dir", folder)
            found += [line.replace(str(target), "line") for line in _lines(done, f"{path}: ")]
    return found


def _run_systemd(files: list[Path]) -> list[str]:
    """Verify units in a root that has the distribution's units and programs, and the whole host."""
    found = []
    for path in files:
        with tempfile.TemporaryDirectory(prefix="units-") as folder:
            units = next((Path(p) for p in SYSTEM_UNITS if Path(p).is_dir()), None)
            if units:
                shutil.copytree(units, Path(folder) / "usr/lib/systemd/system", symlinks=True)
            device = next(parent.parent for parent in path.parents if parent.name == "etc")
            shutil.copytree(device, folder, dirs_exist_ok=True)
            for program in filter(Path.is_file, map(Path, SYSTEM_PROGRAMS)):
                place = Path(folder, *program.parts[1:])
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(program, place)
            done = _call("systemd-analyze", "verify", f"--root={folder}", path.name)
            found += [line.replace(folder, "") for line in _lines(done, f"{path}: ")]
    return found


def _no_netplan() -> str:
    return "" if _netplan() else "netplan is not installed"


def _no_package(name: str) -> str:
    """Return why what is a package of Python cannot judge."""
    return "" if find_spec(name) else f"{name} is not installed"


def _run_pyavd(files: list[Path]) -> list[str]:
    """Findings of one process for all files: its templates are slow to load."""
    return _lines(_call(sys.executable, "-m", "tests.judges.avd", *files))


def _run_batfish(files: list[Path]) -> list[str]:
    return _lines(_call(sys.executable, "-m", "tests.judges.batfish", *files))


def _run_nvue(files: list[Path]) -> list[str]:
    return _lines(_call(sys.executable, "-m", "tests.judges.nvue", *files))


def _run_in_root(files: list[Path], *, root: str, command: tuple[str, ...]) -> list[str]:
    """Findings of a checker of another system's root, which is shown copies inside of it."""
    found = []
    for path in files:
        with tempfile.NamedTemporaryFile(dir=Path(root, "tmp"), suffix=path.suffix) as copy:
            copy.write(path.read_bytes())
            copy.flush()
            done = _call(*frr_roots.enter(root), *command, Path("/tmp", Path(copy.name).name))
        found += _lines(done, f"{path}: ") if done.returncode else []
    return found


def _run_vtysh(files: list[Path], root: str = "/") -> list[str]:
    return _run_in_root(files, root=root, command=("vtysh", "-C", "-f"))


def _run_udev(files: list[Path]) -> list[str]:
    return _run_in_root(files, root=_udev_root(), command=("udevadm", "verify", "--no-summary"))


def _run_sysctl(files: list[Path]) -> list[str]:
    """Apply the lines in a network namespace that is thrown away; what a leading dash excuses may be missing there."""
    found = []
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        excused = {line[1:].partition("=")[0].strip() for line in lines if line.startswith("-")}
        said = _lines(_call("unshare", "--net", "sysctl", "-p", path))
        faults = [line for line in said if line.startswith("sysctl:")]
        missing = {key for key in excused for line in faults if f"/{key.replace('.', '/')}:" in line}
        paths = [f"/proc/sys/{key.replace('.', '/')}:" for key in missing]
        found += [f"{path}: {line}" for line in faults if not any(place in line for place in paths)]
    return found


def _no_namespace() -> str:
    return _absent("sysctl") or ("" if _call("unshare", "--net", "true").returncode == 0 else "no network namespaces")


def _run_sh(files: list[Path]) -> list[str]:
    return _run_each("sh", "-n", files=files)


def _sonic_release(text: str) -> str:
    """The release by whose models a config_db.json is judged: the checker goes by the schema's number."""
    if _AHEAD in text:
        return "master"
    found = re.search(r'"version_(\d{6})', text)
    return found[1] if found else ""


def _is_script(path: str, first_line: str) -> bool:
    return first_line.startswith("#!") and first_line.split("/")[-1].split()[0] in ("sh", "dash", "bash")


def _under(folder: str, suffix: str) -> Callable[[str, str], bool]:
    return lambda path, _: path.startswith(folder) and path.endswith(suffix)


_CONFIG_DB = _under("etc/sonic/", "config_db.json")
_AGENT_CONF = _under("etc/coop/", "agent.conf")
_BGPCPP_CONF = _under("etc/coop/", "bgpcpp.conf")
_FRR_CONF = _under("etc/", "frr.conf")
_EOS = _under("mnt/flash/", "startup-config")
_NVUE = _under("etc/nvue.d/", ".yaml")
_NETPLAN = _under("etc/netplan/", ".yaml")
_TOPOLOGY = _under("etc/fabricgen/", "nccl-topo.xml")
_UNITS = _under("etc/systemd/system/", ".service")
_RULES = _under("etc/udev/rules.d/", ".rules")
_SYSCTL = _under("etc/sysctl.d/", ".conf")

JUDGES: tuple[Judge, ...] = (
    Judge("config_db", _CONFIG_DB, _no_config_db, _run_config_db, False, BATCH, _sonic_release),
    Judge("agent", _AGENT_CONF, partial(_no_checker, "check_fboss.py"), partial(_run_fboss, bgp=False), False, BATCH),
    Judge("bgpcpp", _BGPCPP_CONF, partial(_no_checker, "check_fboss.py"), partial(_run_fboss, bgp=True), False, BATCH),
    Judge("frr", _FRR_CONF, _no_frr_checker, _run_frr_checker, False, BATCH),
    Judge("vtysh", _FRR_CONF, partial(_absent, "vtysh"), _run_vtysh),
    *(
        Judge(f"vtysh {frr_roots.version_of(root)}", _FRR_CONF, str, partial(_run_vtysh, root=root), False)
        for root in frr_roots.OTHERS
    ),
    Judge("avd", _EOS, partial(_no_package, "pyavd"), _run_pyavd, True, BATCH),
    Judge("batfish", _EOS, no_batfish, _run_batfish, False, BATCH),
    Judge("nvue", _NVUE, partial(_no_package, "nvueschema"), _run_nvue, True, BATCH, lambda _: NVUE_RELEASE),
    Judge("nccl", _TOPOLOGY, partial(_no_checker, "check_nccl_topo.py"), _run_nccl_topology, False, BATCH),
    Judge("netplan", _NETPLAN, _no_netplan, _run_netplan),
    Judge("systemd", _UNITS, partial(_absent, "systemd-analyze"), _run_systemd),
    Judge("udev", _RULES, _no_udev_verify, _run_udev, False),
    Judge("sysctl", _SYSCTL, _no_namespace, _run_sysctl, False),
    Judge("sh", _is_script, partial(_absent, "sh"), _run_sh),
    Judge("shellcheck", _is_script, partial(_absent, "shellcheck"), _run_shellcheck, True, BATCH),
)
"""Every outside judge; a judge of one more format is one more row."""


def judge_files(judge: Judge, out: Path, files: list[File]) -> Verdict:
    """One judge's verdict on the distinct ones among some files of a tree that are its business."""
    mine = [file for file in files if judge.wants(file.on_device, file.first_line)]
    first = {(file.on_device, file.digest): file.path for file in reversed(mine)}
    missing = judge.missing()
    if missing:
        tally.count_missing(judge.name, missing)
        return Verdict(judge, len(mine), len(first), (), missing)
    with ThreadPoolExecutor(WORKERS) as pool:
        paths, size = sorted(first.values()), judge.batch
        batches = (paths[start : start + size] for start in range(0, len(paths), size))
        found = [line for lines in pool.map(judge.run, batches) for line in lines]
    equal = Counter((file.on_device, file.digest) for file in mine)
    for key, path in first.items():
        text, is_refused = path.read_text(encoding="utf-8"), any(str(path) in line for line in found)
        tally.count(judge.name, text, release=judge.release(text), refused=is_refused, files=equal[key])
    return Verdict(judge, len(mine), len(first), tuple(line.replace(f"{out}/", "") for line in found))


def judge_tree(out: Path, judges: tuple[Judge, ...] = JUDGES) -> list[Verdict]:
    """Return what every outside judge says about a rendered tree."""
    files = read_files(out)
    return [judge_files(judge, out, files) for judge in judges]


def must_be_there(verdict: Verdict) -> bool:
    """Return whether the absence of a judge is a failure: continuous integration installs what packages supply."""
    return bool(verdict.missing) and verdict.judge.packaged and os.environ.get("CI") == "true"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.judges.outside", description=__doc__)
    parser.add_argument("out", type=Path, help="rendered tree")
    failed = False
    for verdict in judge_tree(parser.parse_args().out):
        counts = f"{verdict.distinct} distinct of {verdict.files} files, {len(verdict.findings)} findings"
        sys.stdout.writelines(f"{verdict.judge.name}: {line}\n" for line in verdict.findings)
        sys.stderr.write(f"{verdict.judge.name}: {verdict.missing or counts}\n")
        failed = failed or bool(verdict.findings) or must_be_there(verdict)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
