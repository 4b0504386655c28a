"""Dependencies: bounds without a known hole, a lock with every digest, and an audit that can fail."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.command_line import Done
from tests.meta.declarations import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
DIRECT = [Requirement(text) for text in PROJECT["dependencies"]]
DEVELOPMENT = [Requirement(text) for text in PROJECT["optional-dependencies"]["dev"]]
LOCK = (REPOSITORY / "requirements.txt").read_text()
LOCKED = {canonicalize_name(name): Version(version) for name, version in re.findall(r"^([\w.-]+)==(\S+)", LOCK, re.M)}
HOLES = {
    "jinja2": ("3.1.5", "CVE-2025-27516, the attr filter leads out of the sandbox"),
    "pydantic": ("2.3.0", "CVE-2024-3772, a pattern that takes for ever"),
    "ruamel-yaml": ("0.16.7", "CVE-2019-20478, load() makes any object"),
    "pygments": ("2.15.0", "CVE-2022-40896, patterns that take for ever"),
    "markdown-it-py": ("2.1.0", "CVE-2023-26302 and 26303"),
    "requests": ("2.32.3", "CVE-2024-47081, credentials of .netrc"),
    "urllib3": ("2.6.2", "CVE-2026-21441, redirects with compressed bodies"),
    "h11": ("0.15.0", "CVE-2025-43859, chunked bodies"),
    "certifi": ("2024.6.2", "CVE-2024-39689"),
}
"""The last release with the hole, of packages that fabricgen or its tests use."""


@pytest.mark.parametrize("requirement", [*DIRECT, *DEVELOPMENT], ids=lambda it: it.name)
def test_bounds_let_in_neither_a_known_hole_nor_an_unknown_major_version(requirement: Requirement) -> None:
    operators = {bound.operator: Version(bound.version) for bound in requirement.specifier}
    assert set(operators) == {">=", "<"}
    assert (operators["<"].major, operators["<"].minor) > (operators[">="].major, 0)
    last, hole = HOLES.get(canonicalize_name(requirement.name), ("0", ""))
    assert not requirement.specifier.contains(last), hole


def test_lock_is_within_the_bounds_and_free_of_known_holes() -> None:
    for requirement in (*DIRECT, *DEVELOPMENT):
        assert requirement.specifier.contains(LOCKED[canonicalize_name(requirement.name)]), f"{requirement}: make lock"
    for name, (last, hole) in HOLES.items():
        assert LOCKED.get(name, Version("9999")) > Version(last), hole


def test_lock_names_every_file_by_digest_and_no_place() -> None:
    for entry in re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", LOCK, flags=re.M).strip()):
        assert re.fullmatch(r"[\w.-]+==\S+ \\(\n    --hash=sha256:[0-9a-f]{64}( \\)?)+", entry), entry[:80]
    assert "://" not in LOCK


def test_make_and_ci_install_the_lock_and_nothing_else() -> None:
    make = (REPOSITORY / "Makefile").read_text()
    rule = re.search(r"^\$\(VENV\)/\.dev:.*\n((?:\t.*\n)+)", make, re.M)
    installs = [line for line in rule[1].splitlines() if "pip install" in line]
    assert all("--require-hashes --requirement requirements.txt" in line or "--no-deps" in line for line in installs)


def audit(tmp_path: Path, report: object) -> Done:
    """Run the audit over what an auditor prints."""
    (tmp_path / "auditor.py").write_text(f"print({(report if isinstance(report, str) else json.dumps(report))!r})")
    command = [sys.executable, str(REPOSITORY / "tools/audit"), "requirements.txt"]
    command += [sys.executable, str(tmp_path / "auditor.py")]
    return Done.of(subprocess.run(command, capture_output=True, text=True, check=False))


SOUND = {"name": "a", "version": "1", "vulns": []}
HOLE = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
SKIPPED = {"name": "c", "skip_reason": "not found"}


def test_audit_fails_for_a_vulnerable_release(tmp_path: Path) -> None:
    done = audit(tmp_path, {"dependencies": [SOUND, HOLE, SKIPPED]}).exits(1)
    assert "b 2 has PYSEC-1, mended in 2.1" in done.stdout


def test_audit_passes_what_has_no_hole(tmp_path: Path) -> None:
    done = audit(tmp_path, {"dependencies": [SOUND]})
    assert (done.returncode, "1 of 1 packages looked up, 0 published holes" in done.stdout) == (0, True)


@pytest.mark.parametrize("report", [{"dependencies": [SKIPPED]}, {}, "no JSON", "", [1]])
def test_audit_without_advisories_says_so(report: object, tmp_path: Path) -> None:
    done = audit(tmp_path, report)
    assert (done.returncode, "NOT AUDITED" in done.stdout) == (2, True), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("report", "code", "made", "last"),
    [
        ({"dependencies": [SOUND]}, 0, "check test ", "1 of 1 packages"),
        ({"dependencies": [SOUND, SKIPPED]}, 0, "check test ", "NOT AUDITED"),
        (None, 0, "check test ", "NOT AUDITED"),
        ({"dependencies": [HOLE]}, 1, "", "1 published holes"),
    ],
)
def test_continuous_integration_accepts_no_hole(
    report: object, code: int, made: str, last: str, tmp_path: Path
) -> None:
    (tmp_path / "Makefile").write_text("check test:\n\t@printf '$@ ' >> made\n.venv/.tools:\n\tfalse\n")
    for name in (".ci/run", "tools/audit"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(REPOSITORY / name, tmp_path / name)
    if report:
        auditor = tmp_path / ".venv/tools/bin/pip-audit"
        auditor.parent.mkdir(parents=True)
        auditor.write_text(f"#!/bin/sh\necho '{json.dumps(report)}'\n")
        auditor.chmod(0o755)
    env = {**os.environ, "MAKELEVEL": "0", "MAKEFLAGS": ""}  # A make within make test prints its folder last.
    ran = subprocess.run([tmp_path / ".ci/run"], env=env, capture_output=True, text=True, check=False)
    done = Done.of(ran).exits(code)
    assert last in done.stdout.splitlines()[-1]
    assert ((tmp_path / "made").read_text() if code == 0 else "") == made
