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
from xml.etree import ElementTree

import pytest
import yaml

from tests.acceptance.run import INVENTORIES, REPOSITORY, render_here
from tests.property.switch_model import SwitchModel
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.collected import all_benches, platforms_of, write_collection

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


SERVER = """
import json, pathlib, re, sys

words, store = sys.argv[1:], pathlib.Path(__file__).parent / "comments.json"
comments = json.loads(store.read_text()) if store.exists() else []
url = next(word for word in words if "/notes" in word or "/comments" in word)
body = next((word.split("@", 1)[1] for word in words if word.startswith(("body=@", "body@"))), None)
if body is None:
    page = int(re.search("page=([0-9]+)$", url)[1])
    print(json.dumps([{"id": 1, "body": "hello"}, *comments] if page == 1 else []))
else:
    text = pathlib.Path(body).read_text()
    method = next((words[at + 1] for at, word in enumerate(words) if word in ("--method", "--request")))
    if method == "POST":
        comments.append({"id": 7 + len(comments), "body": text})
    else:
        (old,) = [each for each in comments if url.endswith("/" + str(each["id"]))]
        old["body"] = text
    store.write_text(json.dumps(comments))
"""
"""A build server's comments: lists them page by page, takes new ones and replaces those that are named."""
SOURCE = "git+https://git.example.net/network/fabricgen@v1"
GITHUB = {
    "GITHUB_BASE_REF": "main", "GITHUB_REPOSITORY": "network/fabric", "PULL_REQUEST": "12",
    "GITHUB_STEP_SUMMARY": "summary.md", "GH_TOKEN": "x", "FABRICGEN_SOURCE": SOURCE,
}  # fmt: skip
GITLAB = {
    "CI_API_V4_URL": "https://git.example.net/api/v4", "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "12",
    "FABRIC_TOKEN": "x", "FABRICGEN_SOURCE": SOURCE,
}  # fmt: skip


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with the pipelines and without a fabric; clones leave it alone."""
    folder = tmp_path_factory.mktemp("gitops")
    tools = folder / "tools"
    tools.mkdir()
    put_tool(tools, "fabricgen", f'#!/bin/sh\nexec {sys.executable} -m fabricgen "$@"\n')
    installed = f'[ "$1 $2" = "-m pip" ] || exec {sys.executable} "$@"\nprintf "%s\\n" "$@" > pip.called\n'
    put_tool(tools, "python3", f"#!/bin/sh\n{installed}")
    upstream = folder / "upstream"
    upstream.mkdir()
    work = Repository(upstream, tools)
    work.do("git init -q -b main .")
    (upstream / "ci").mkdir()
    shutil.copy(EXAMPLE / "fabric-ci", upstream / "ci")
    shutil.copytree(EXAMPLE / "hooks", upstream / "ci/hooks")
    work.do("git add -A && git commit -q -m 'The pipelines'")
    return work


@pytest.fixture
def repository(upstream: Repository, tmp_path: Path) -> Repository:
    """A clone on a branch that adds the fabric, with the tools of a build server of its own."""
    tools = tmp_path / "tools"
    shutil.copytree(upstream.tools, tools)
    (tools / "server.py").write_text(SERVER)
    for name in ("gh", "curl"):
        put_tool(tools, name, f'#!/bin/sh\nexec {sys.executable} {tools}/server.py "$@"\n')
    folder = tmp_path / "clone"
    upstream.do(f"git clone -q {upstream.folder} {folder}")
    clone = Repository(folder, tools)
    clone.do("git config core.hooksPath ci/hooks && git switch -q -c fabric")
    shutil.copytree(INVENTORIES / "quickstart", folder / "inventory")
    assert render_here(folder / "inventory", folder / "rendered") == []
    clone.do("git add -A && git -c core.hooksPath=none commit -q -m 'The fabric'")
    shutil.copytree(folder / "rendered", clone.collected)
    shutil.rmtree(clone.collected / "manifest")
    return clone


def workflow_steps(job: str) -> list[str]:
    jobs = yaml.safe_load((EXAMPLE / "github/fabric.yml").read_text())["jobs"]
    return [step["run"] for step in jobs[job]["steps"] if "run" in step]


def gitlab_script(job: str) -> list[str]:
    pipeline = yaml.safe_load((EXAMPLE / "gitlab/gitlab-ci.yml").read_text())
    return [*pipeline["default"]["before_script"], *pipeline[job]["script"]]


def comments(repository: Repository) -> list[str]:
    return [each["body"] for each in json.loads((repository.tools / "comments.json").read_text())]


def commit(repository: Repository, message: str) -> subprocess.CompletedProcess[str]:
    return repository.run(f"git add -A && git commit -q -m '{message}'")


def test_first_pull_request_then_a_change_then_drift_found_and_gone(repository: Repository) -> None:
    run_all(repository, workflow_steps("change"), **GITHUB)
    assert SOURCE in (repository.folder / "pip.called").read_text().splitlines()
    (first,) = comments(repository)
    assert first.startswith(
        "<!-- fabricgen: inventory -->\n### fabricgen diff: 0 changes on 0 of 14 devices, 14 devices added\n"
    )
    assert "`leaf-u001-r0`" in first
    assert (repository.folder / "summary.md").read_text() in first
    repository.do("git update-ref refs/remotes/origin/main HEAD")
    lower_marking(repository)
    assert render_here(repository.folder / "inventory", repository.folder / "rendered") == []
    run_all(repository, workflow_steps("change")[2:], **GITHUB)
    (second,) = comments(repository)
    assert second != first, "the comment of before has the new text"
    for words in ("| hitless: nothing is disturbed | 6 |", "`leaf-u001-r0`", "ECN Kmax changed: ", "lossless.ecn"):
        assert words in second
    found_and_repaired(repository)


def lower_marking(repository: Repository) -> None:
    intent = repository.folder / "inventory/fabric.yaml"
    intent.write_text(intent.read_text() + "lossless: {ecn: {kmin_bytes: 100000, kmax_bytes: 200000, pmax_pct: 5}}\n")


def run_all(repository: Repository, steps: Sequence[str], **env: str) -> None:
    for step in steps:
        repository.do(step, **env)


def found_and_repaired(repository: Repository) -> None:
    """Drift is found; carrying out the steps of the patches ends it, and so does what closes the alerts."""
    *_, drift = workflow_steps("drift")
    found = repository.run(drift, COLLECTED=str(repository.collected))
    assert found.returncode == 3
    assert {result["ruleId"] for result in sarif(repository)} == {"FG-DIF-101"}
    patches = repository.folder.parent / "patches"
    repair = repository.run(f"ci/fabric-ci repair {repository.collected} {patches}")
    assert repair.returncode == 3
    assert {path.name for path in patches.iterdir()} == {
        path.name for path in (repository.collected / "switches").iterdir()
    }
    for switch in patches.iterdir():
        carry_out(switch / "apply", repository.collected / "switches" / switch.name / CONFIG_DB)
    repository.do(drift, COLLECTED=str(repository.collected))
    assert sarif(repository) == [], "an upload without results closes the alerts"
    upload = yaml.safe_load((EXAMPLE / "github/fabric.yml").read_text())["jobs"]["drift"]["steps"][-1]
    assert upload["if"] == "always() && hashFiles('drift.sarif') != ''"
    assert upload["with"]["category"]


def sarif(repository: Repository) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads((repository.folder / "drift.sarif").read_text())["runs"][0]["results"]
    return results


def carry_out(folder: Path, config_db: Path) -> None:
    """Do to a model of the switch what a patch's list of steps says."""
    switch = SwitchModel(json.loads(config_db.read_text()))
    for command, name in list_steps(folder):
        switch.run(command, (folder / name).read_text() if name else "")
    config_db.write_text(json.dumps(switch.config, indent=4))


def list_steps(folder: Path) -> Iterator[tuple[str, str]]:
    """(command, file it uses) of each step."""
    for line in (folder / "steps").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line, next((word for word in line.split() if (folder / word).is_file()), "")


def test_the_gitlab_jobs(repository: Repository) -> None:
    base = repository.do("git rev-parse HEAD").strip()
    lower_marking(repository)
    env = {**GITLAB, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    run_all(repository, gitlab_script("comment"), **env)
    (first,) = comments(repository)
    assert "ECN Kmax changed: " in first
    repository.change("kmax_bytes: 200000", "kmax_bytes: 300000")
    run_all(repository, gitlab_script("comment")[1:], **env)
    (second,) = comments(repository)
    assert "300,000" in second
    *_, drift = gitlab_script("drift")
    assert repository.run(drift, COLLECTED=str(repository.collected)).returncode == 3
    cases = list(ElementTree.fromstring((repository.folder / "drift.xml").read_text()).iter("testcase"))
    assert len(cases) == 14
    assert sum(case.find("failure") is not None for case in cases) == 6
    assert gitlab_script("check")[-1] == "ci/fabric-ci check"


def test_the_state_jobs(repository: Repository) -> None:
    """A watchdog that is off is an alert, and a failed case; a healthy fabric is neither."""
    plan = plan_of("quickstart")
    found, platforms = all_benches(plan), platforms_of(plan)
    env = {"COLLECTED": str(write_collection(repository.folder.parent / "healthy", found, platforms))}
    *_, alerts = workflow_steps("state")
    *_, cases = gitlab_script("state")
    for job in (alerts, cases):
        repository.do(job, **env)
    found["leaf-u001-r0"].watchdogs["Ethernet0"][0] = "N/A"
    env = {"COLLECTED": str(write_collection(repository.folder.parent / "faulty", found, platforms))}
    assert [repository.run(job, **env).returncode for job in (alerts, cases)] == [3, 3]
    sarif = json.loads((repository.folder / "state.sarif").read_text())["runs"][0]["results"]
    assert "FG-STA-110" in {result["ruleId"] for result in sarif}
    suite = ElementTree.fromstring((repository.folder / "state.xml").read_text())
    failed = [case.get("classname") for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed == ["leaf-u001-r0"]


def test_the_hook_judges_what_is_staged(repository: Repository) -> None:
    lower_marking(repository)
    repository.do("git add -A")
    assert render_here(repository.folder / "inventory", repository.folder / "rendered") == []
    refused = repository.run("git commit -q -m 'Mark earlier'")
    assert refused.returncode != 0, "the work tree is sound, the staged tree is stale"
    assert "changed" in refused.stdout + refused.stderr
    repository.do("git add -A")
    repository.change("kmax_bytes: 200000", "kmax_bytes: sixty")
    repository.do("git commit -q -m 'Mark earlier'")
    assert not repository.do("git stash list"), "the work tree is left alone"


def test_a_stale_tree_and_a_broken_intent_stop_the_pipeline(repository: Repository) -> None:
    assert repository.run("ci/fabric-ci check").returncode == 0
    repository.change("length_m: 30", "length_m: 60")
    assert repository.run("ci/fabric-ci check").returncode == 3
    repository.change("length_m: 60", "length_m: sixty")
    assert repository.run("ci/fabric-ci check").returncode == 1
    assert repository.run("ci/fabric-ci").returncode == 2


def test_the_hook_of_pre_commit_is_the_same_command() -> None:
    hooks = yaml.safe_load((EXAMPLE / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert [hook["entry"] for hook in hooks] == ["ci/fabric-ci staged"]
    assert '/ci/fabric-ci" staged' in (EXAMPLE / "hooks/pre-commit").read_text()


def test_the_script_is_sound() -> None:
    if shutil.which("shellcheck") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("shellcheck is missing")
        pytest.skip("shellcheck is missing")
    for name in ("fabric-ci", "hooks/pre-commit"):
        done = subprocess.run(["shellcheck", str(EXAMPLE / name)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
