"""The example pipelines end to end, command by command out of their files, in a temporary git repository."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.acceptance.run import INVENTORIES, REPOSITORY
from tests.property.switch_model import SwitchModel

EXAMPLE = REPOSITORY / "examples/gitops"
CONFIG_DB = "etc/sonic/config_db.json"
_GIT = {
    "GIT_AUTHOR_NAME": "operator", "GIT_AUTHOR_EMAIL": "operator@example.net", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_COMMITTER_NAME": "operator", "GIT_COMMITTER_EMAIL": "operator@example.net", "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip


@dataclass
class Repository:
    """A clone with the example's files in place, and a folder of collected files beside it."""

    folder: Path
    tools: Path

    @property
    def collected(self) -> Path:
        return self.folder.parent / "collected"

    def run(self, command: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a line of a pipeline, as its shell would."""
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, **_GIT, "PATH": path, "PYTHONPATH": str(REPOSITORY), **env}, timeout=120,
        )  # fmt: skip

    def do(self, command: str, **env: str) -> str:
        done = self.run(command, **env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def change(self, old: str, new: str) -> None:
        intent = self.folder / "inventory/fabric.yaml"
        text = intent.read_text()
        assert old in text
        intent.write_text(text.replace(old, new))


def put_tool(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.write_text(text)
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The repository as it is before anybody changes it; clones leave it alone."""
    folder = tmp_path_factory.mktemp("gitops")
    tools = folder / "tools"
    tools.mkdir()
    put_tool(tools, "fabricgen", f'#!/bin/sh\nexec {sys.executable} -m fabricgen "$@"\n')
    put_tool(tools, "gh", '#!/bin/sh\nprintf "%s\\n" "$@" > gh.called\n')
    put_tool(tools, "curl", '#!/bin/sh\nprintf "%s\\n" "$@" > curl.called\n')
    put_tool(tools, "pip", "#!/bin/sh\nexit 0\n")
    upstream = folder / "upstream"
    work = Repository(upstream, tools)
    upstream.mkdir()
    work.do("git init -q -b main .")
    shutil.copytree(INVENTORIES / "quickstart", upstream / "inventory")
    (upstream / "ci").mkdir()
    shutil.copy(EXAMPLE / "fabric-ci", upstream / "ci")
    shutil.copytree(EXAMPLE / "hooks", upstream / "ci/hooks")
    work.do("fabricgen render inventory -o rendered && git add -A && git commit -q -m 'The fabric as it is'")
    return work


@pytest.fixture
def repository(upstream: Repository, tmp_path: Path) -> Repository:
    folder = tmp_path / "clone"
    upstream.do(f"git clone -q {upstream.folder} {folder}")
    clone = Repository(folder, upstream.tools)
    clone.do("git config core.hooksPath ci/hooks && git switch -q -c marking")
    shutil.copytree(folder / "rendered", clone.collected)
    shutil.rmtree(clone.collected / "manifest")
    return clone


def workflow_steps(job: str) -> list[str]:
    jobs = yaml.safe_load((EXAMPLE / "github/fabric.yml").read_text())["jobs"]
    return [step["run"] for step in jobs[job]["steps"] if "run" in step]


def gitlab_script(job: str) -> list[str]:
    script: list[str] = yaml.safe_load((EXAMPLE / "gitlab/gitlab-ci.yml").read_text())[job]["script"]
    return script


def commit(repository: Repository, message: str) -> subprocess.CompletedProcess[str]:
    return repository.run(f"git add -A && git commit -q -m '{message}'")


def test_branch_change_comment_drift_repair(repository: Repository) -> None:
    lower_marking(repository)
    refused = commit(repository, "Mark earlier")
    assert refused.returncode != 0, "the hook lets no stale tree pass"
    assert "changed" in refused.stdout + refused.stderr
    repository.do("fabricgen render inventory -o rendered")
    assert commit(repository, "Mark earlier").returncode == 0

    run_all(repository, workflow_steps("change"), GITHUB_BASE_REF="main", GITHUB_HEAD_REF="marking", GH_TOKEN="x")
    comment = (repository.folder / "comment.md").read_text()
    assert comment.startswith("### fabricgen diff: ")
    assert "ECN Kmax" in comment
    assert "lossless.ecn" in comment
    assert "hitless" in comment
    assert "comment.md" in (repository.folder / "gh.called").read_text().splitlines()

    found_and_repaired(repository)


def lower_marking(repository: Repository) -> None:
    intent = repository.folder / "inventory/fabric.yaml"
    intent.write_text(intent.read_text() + "lossless: {ecn: {kmin_bytes: 100000, kmax_bytes: 200000, pmax_pct: 5}}\n")


def run_all(repository: Repository, steps: Sequence[str], **env: str) -> None:
    for step in steps:
        repository.do(step, **env)


def found_and_repaired(repository: Repository) -> None:
    """What the devices still have is found; what the patches say, carried out, ends it."""
    *_, drift = workflow_steps("drift")
    found = repository.run(drift, COLLECTED=str(repository.collected))
    assert found.returncode == 3
    results = json.loads((repository.folder / "drift.sarif").read_text())["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"FG-DIF-101"}
    patches = repository.folder.parent / "patches"
    repair = repository.run(f"ci/fabric-ci repair {repository.collected} {patches}")
    assert repair.returncode == 3
    assert {path.name for path in patches.iterdir()} == {
        path.name for path in (repository.collected / "switches").iterdir()
    }
    for switch in patches.iterdir():
        carry_out(switch / "apply", repository.collected / "switches" / switch.name / CONFIG_DB)
    repository.do(drift, COLLECTED=str(repository.collected))
    for switch in patches.iterdir():
        carry_out(switch / "undo", repository.collected / "switches" / switch.name / CONFIG_DB)
    assert repository.run(drift, COLLECTED=str(repository.collected)).returncode == 3


def carry_out(folder: Path, config_db: Path) -> None:
    """Do to a model of the switch what a patch's list of steps says."""
    switch = SwitchModel(json.loads(config_db.read_text()))
    for command, name in list_steps(folder):
        switch.run(command, (folder / name).read_text() if name else "")
    config_db.write_text(json.dumps(switch.config, indent=4))


def list_steps(folder: Path) -> Iterator[tuple[str, str]]:
    """(command, file it uses) of each step."""
    for line in (folder / "steps").read_text().splitlines():
        if not line.startswith("#"):
            yield line, next((word for word in line.split() if (folder / word).is_file()), "")


def test_the_gitlab_jobs(repository: Repository) -> None:
    base = repository.do("git rev-parse HEAD").strip()
    lower_marking(repository)
    repository.do("fabricgen render inventory -o rendered")
    assert commit(repository, "Mark earlier").returncode == 0
    env: dict[str, Any] = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "FABRIC_TOKEN": "x", "CI_API_V4_URL": "https://x"}
    run_all(repository, [*gitlab_script("check"), *gitlab_script("comment")], **env)
    assert "ECN Kmax" in (repository.folder / "comment.md").read_text()
    assert "body@comment.md" in (repository.folder / "curl.called").read_text()
    (drift,) = gitlab_script("drift")
    assert repository.run(drift, COLLECTED=str(repository.collected)).returncode == 3
    assert 'type="hitless"' in (repository.folder / "drift.xml").read_text()


def test_a_stale_tree_and_a_broken_intent_stop_the_pipeline(repository: Repository) -> None:
    assert repository.run("ci/fabric-ci check").returncode == 0
    repository.change("length_m: 30", "length_m: 60")
    assert repository.run("ci/fabric-ci check").returncode == 3
    repository.change("length_m: 60", "length_m: sixty")
    assert repository.run("ci/fabric-ci check").returncode == 1
    assert repository.run("ci/fabric-ci").returncode == 2


def test_the_hook_of_pre_commit_is_the_same_command() -> None:
    hooks = yaml.safe_load((EXAMPLE / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert [hook["entry"] for hook in hooks] == ["ci/fabric-ci check"]
    assert "ci/fabric-ci" in (EXAMPLE / "hooks/pre-commit").read_text()


def test_the_script_is_sound() -> None:
    if shutil.which("shellcheck") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("shellcheck is missing")
        pytest.skip("shellcheck is missing")
    for name in ("fabric-ci", "hooks/pre-commit"):
        done = subprocess.run(["shellcheck", str(EXAMPLE / name)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
