"""A repository with the example pipelines, beside it a fabric that takes changes, and stand-ins for what reaches it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.acceptance.run import INVENTORIES, REPOSITORY, render_here
from tests.command_line import Done
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.collected import all_benches, platforms_of, write_collection
from tests.waiting import PATIENCE_S

EXAMPLE = REPOSITORY / "examples/gitops"
DEVICES = "tests.acceptance.gitops_devices"
_GIT = {
    "GIT_AUTHOR_NAME": "operator", "GIT_AUTHOR_EMAIL": "operator@example.net", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_COMMITTER_NAME": "operator", "GIT_COMMITTER_EMAIL": "operator@example.net", "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip


@dataclass
class Repository:
    """A clone with the example's files in place, and the devices beside it."""

    folder: Path
    tools: Path

    @property
    def devices(self) -> Path:
        """Folder with the files and states of every device, as ``fabricgen collect`` would fetch them."""
        return self.folder.parent / "devices"

    def run(self, command: str, **env: str) -> Done:
        """Run a line of a pipeline, as its shell would."""
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, **_GIT, "PATH": path, "PYTHONPATH": str(REPOSITORY), **env}, timeout=PATIENCE_S,
        )  # fmt: skip
        return Done.of(done)

    def do(self, command: str, **env: str) -> str:
        return self.run(command, **env).exits(0).stdout

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


@pytest.fixture(scope="module", name="upstream")
def make_upstream(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with the pipelines and without a fabric; clones leave it alone."""
    folder = tmp_path_factory.mktemp("gitops")
    tools = folder / "tools"
    tools.mkdir()
    installed = f'[ "$1 $2" = "-m pip" ] || exec {sys.executable} "$@"\nprintf "%s\\n" "$@" > pip.called\n'
    put_tool(tools, "python3", f"#!/bin/sh\n{installed}")
    work = Repository(folder / "upstream", tools)
    work.folder.mkdir()
    work.do("git init -q -b main .")
    (work.folder / "ci").mkdir()
    shutil.copy(EXAMPLE / "fabric-ci", work.folder / "ci")
    shutil.copytree(EXAMPLE / "hooks", work.folder / "ci/hooks")
    work.do("git add -A && git commit -q -m 'The pipelines'")
    return work


def make_clone(upstream: Repository, folder: Path) -> Repository:
    """Make a clone on a branch that adds the fabric, with devices that run it and the tools of a build server."""
    tools = folder / "tools"
    shutil.copytree(upstream.tools, tools)
    (tools / "server.py").write_text(SERVER)
    for name in ("gh", "curl"):
        put_tool(tools, name, f'#!/bin/sh\nexec {sys.executable} {tools}/server.py "$@"\n')
    clone = Repository(folder / "clone", tools)
    for name in ("fabricgen", "ansible-playbook", "ssh"):
        put_tool(tools, name, f'#!/bin/sh\nexec {sys.executable} -m {DEVICES} {clone.devices} {name} "$@"\n')
    upstream.do(f"git clone -q {upstream.folder} {clone.folder}")
    clone.do("git config core.hooksPath ci/hooks && git switch -q -c fabric")
    shutil.copytree(INVENTORIES / "quickstart", clone.folder / "inventory")
    assert render_here(clone.folder / "inventory", clone.folder / "rendered") == []
    clone.do("git add -A && git -c core.hooksPath=none commit -q -m 'The fabric'")
    plan = plan_of("quickstart")
    rendered = clone.folder / "rendered"
    write_collection(clone.devices, all_benches(plan), platforms_of(plan), tree=rendered)
    for kind in ("switches", "hosts"):
        shutil.copytree(rendered / kind, clone.devices / kind, dirs_exist_ok=True)
    return clone


def workflow_steps(job: str) -> list[str]:
    jobs = yaml.safe_load((EXAMPLE / "github/fabric.yml").read_text())["jobs"]
    return [step["run"] for step in jobs[job]["steps"] if "run" in step]


def gitlab_job(job: str) -> str:
    """Return the script of a job: its runner joins all lines."""
    pipeline = yaml.safe_load((EXAMPLE / "gitlab/gitlab-ci.yml").read_text())
    before: list[str] = pipeline[job].get("before_script", pipeline["default"]["before_script"])
    return "\n".join([*before, *pipeline[job]["script"]])


def comments(repository: Repository) -> list[str]:
    return [each["body"] for each in json.loads((repository.tools / "comments.json").read_text())]


def run_all(repository: Repository, steps: Sequence[str], **env: str) -> None:
    for step in steps:
        repository.do(step, **env)


def lower_marking(repository: Repository) -> None:
    intent = repository.folder / "inventory/fabric.yaml"
    intent.write_text(intent.read_text() + "lossless: {ecn: {kmin_bytes: 100000, kmax_bytes: 200000, pmax_pct: 5}}\n")
