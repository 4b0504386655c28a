"""The example pipelines end to end, command by command out of their files, in a temporary git repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests.acceptance.gitops_site import (
    EXAMPLE,
    GITHUB,
    GITLAB,
    SOURCE,
    Repository,
    comments,
    gitlab_job,
    lower_marking,
    make_clone,
    run_all,
    workflow_steps,
)
from tests.acceptance.gitops_site import make_upstream as make_upstream
from tests.acceptance.run import render_here


@pytest.fixture
def repository(upstream: Repository, tmp_path: Path) -> Repository:
    return make_clone(upstream, tmp_path)


@pytest.mark.nightly
def test_first_pull_request_and_then_a_change(repository: Repository) -> None:
    run_all(repository, workflow_steps("change"), **GITHUB)
    assert SOURCE in (repository.folder / "pip.called").read_text().splitlines()
    (first,) = comments(repository)
    assert first.startswith(
        "<!-- fabricgen: inventory -->\n### fabricgen diff: 0 changes on 0 of 14 devices, 14 devices added\n"
    )
    assert "`leaf-u001-r0`" in first
    assert "there is nothing to roll out" in first
    assert not (repository.folder / "plan").exists()
    assert (repository.folder / "summary.md").read_text() in first
    repository.do("git update-ref refs/remotes/origin/main HEAD")
    lower_marking(repository)
    assert render_here(repository.folder / "inventory", repository.folder / "rendered") == []
    run_all(repository, workflow_steps("change")[2:], **GITHUB)
    (second,) = comments(repository)
    assert second != first, "the comment of before has the new text"
    for words in (
        "| hitless: nothing is disturbed | 6 |",
        "ECN Kmax changed: ",
        "lossless.ecn",
        "6 devices in 3 waves, at worst hitless.",
        "| 0 | canary |  | `leaf-u001-r0`, `spine-01` | hitless |",
    ):
        assert words in second
    bundle = repository.do("ci/fabric-ci digest plan").strip()
    assert f"Bundle `{bundle}`" in second


@pytest.mark.nightly
def test_the_gitlab_jobs(repository: Repository) -> None:
    base = repository.do("git rev-parse HEAD").strip()
    lower_marking(repository)
    env = {**GITLAB, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    repository.do(gitlab_job("comment"), **env)
    (first,) = comments(repository)
    assert "ECN Kmax changed: " in first
    assert "| 0 | canary |" in first
    repository.change("kmax_bytes: 200000", "kmax_bytes: 300000")
    shutil.rmtree(repository.folder / "plan")
    repository.do(gitlab_job("comment"), **env)
    (second,) = comments(repository)
    assert "300,000" in second
    assert gitlab_job("check").endswith("\nci/fabric-ci check")


def test_a_comment_has_no_more_than_a_build_server_takes(repository: Repository) -> None:
    (repository.folder / "long.md").write_text("".join(f"line {number:05}\n" for number in range(10_000)))
    for server, env in (("github", GITHUB), ("gitlab", GITLAB)):
        repository.do(f"ci/fabric-ci {server} long.md", **env)
        (only,) = comments(repository)
        assert 60_000 < len(only) < 65_536
        assert only.endswith("\n\nThe rest is left out; the bundle has all of it.\n")


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_a_stale_tree_and_a_broken_intent_stop_the_pipeline(repository: Repository) -> None:
    repository.run("ci/fabric-ci check").exits(0)
    repository.change("length_m: 30", "length_m: 60")
    repository.run("ci/fabric-ci check").exits(3)
    repository.change("length_m: 60", "length_m: sixty")
    repository.run("ci/fabric-ci check").exits(1)
    repository.run("ci/fabric-ci").exits(2)


def test_the_hook_of_pre_commit_is_the_same_command() -> None:
    hooks = yaml.safe_load((EXAMPLE / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert [hook["entry"] for hook in hooks] == ["ci/fabric-ci staged"]
    assert '/ci/fabric-ci" staged' in (EXAMPLE / "hooks/pre-commit").read_text()


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        ("github/fabric.yml", ("vendor.github-workflows",)),
        ("gitlab/gitlab-ci.yml", ("vendor.gitlab-ci", "--data-transform", "gitlab-ci")),
    ],
)
def test_build_servers_can_read_the_pipelines(file: str, schema: Sequence[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", *schema]
    done = subprocess.run([*command, EXAMPLE / file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    pipeline = yaml.load((EXAMPLE / file).read_text(), yaml.BaseLoader)
    jobs = pipeline.get("jobs", pipeline)
    jobs["bundle"]["concurency"] = jobs["bundle"].pop("runs-on", None) or jobs["bundle"].pop("script")
    (tmp_path / "wrong.yml").write_text(yaml.safe_dump(pipeline))
    done = subprocess.run([*command, tmp_path / "wrong.yml"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, "the judge refuses what is misspelt"


def test_the_script_is_sound() -> None:
    if shutil.which("shellcheck") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("shellcheck is missing")
        pytest.skip("shellcheck is missing")
    for name in ("fabric-ci", "hooks/pre-commit"):
        done = subprocess.run(["shellcheck", str(EXAMPLE / name)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
