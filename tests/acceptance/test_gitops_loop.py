"""One change around the loop of the example pipelines: merged, planned, approved, rolled out, verified, watched."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.acceptance.gitops_devices import PLAYED, SILENT, carry_out, carry_out_procedure, config_of
from tests.acceptance.gitops_site import (
    EXAMPLE,
    GITHUB,
    GITLAB,
    Repository,
    gitlab_job,
    lower_marking,
    make_clone,
    run_all,
    workflow_steps,
)
from tests.acceptance.gitops_site import make_upstream as make_upstream
from tests.acceptance.laboratory import skip_if_told
from tests.acceptance.run import render_here
from tests.emulated.ansible import find_ansible

pytestmark = pytest.mark.nightly
BY_HAND = "ssh spine-01 ecnconfig -p roce_400g -gmax 150000"
WAVES = ["-i inventory.yml site.yml --check", "-i inventory.yml site.yml"]


@pytest.fixture
def repository(upstream: Repository, tmp_path: Path) -> Repository:
    """A clone whose main branch has the fabric, as it is deployed."""
    clone = make_clone(upstream, tmp_path)
    clone.do("git branch -f main && git update-ref refs/remotes/origin/main main && git switch -q main")
    return clone


@pytest.fixture
def merged(repository: Repository) -> Repository:
    """The same after a change was merged that is not deployed."""
    lower_marking(repository)
    assert render_here(repository.folder / "inventory", repository.folder / "rendered") == []
    repository.do("git commit -q -a -m 'Mark earlier'")
    return repository


def github_env(repository: Repository, job: str) -> dict[str, str]:
    """Variables of a job on a runner of its own."""
    temporary = repository.folder.parent / job
    temporary.mkdir(exist_ok=True)
    return {**GITHUB, "RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": str(temporary / "output")}


def make_bundle(repository: Repository) -> str:
    """Run the job that plans, and return the digest that it hands on."""
    env = github_env(repository, "bundle")
    steps = workflow_steps("bundle")
    run_all(repository, [step for step in steps if "sign" not in step], **env)
    return dict(line.split("=", 1) for line in Path(env["GITHUB_OUTPUT"]).read_text().splitlines())["digest"]


def apply_steps() -> tuple[list[str], list[str]]:
    """Return the steps before the first wave, and those from it on."""
    steps = workflow_steps("apply")
    first = next(number for number, step in enumerate(steps) if " waves " in step)
    return steps[:first], steps[first:]


def played(repository: Repository) -> list[str]:
    noted = repository.folder.parent / PLAYED
    return noted.read_text().splitlines() if noted.exists() else []


def kmax_of(repository: Repository, switch: str) -> str:
    profile = json.loads(config_of(repository.devices, switch).read_text())["WRED_PROFILE"]["roce_400g"]
    return str(profile["green_max_threshold"])


def test_a_merge_is_planned_approved_rolled_out_and_verified(merged: Repository) -> None:
    digest = make_bundle(merged)
    summary = (merged.folder / "summary.md").read_text()
    assert "6 devices in 3 waves, at worst hitless." in summary
    assert f"Bundle `{digest}`" in summary
    assert kmax_of(merged, "spine-01") != "200000"
    env = github_env(merged, "apply")
    run_all(merged, workflow_steps("apply"), DIGEST=digest, **env)
    assert played(merged) == WAVES
    assert kmax_of(merged, "spine-01") == "200000"
    assert {"fabricgen[collect]", "ansible"} < {*(merged.folder / "pip.called").read_text().splitlines()}
    shutil.rmtree(merged.folder / "bundle")
    shutil.rmtree(Path(env["RUNNER_TEMP"]).parent / "bundle")
    assert make_bundle(merged) == "", "nothing remains, so nobody is asked to approve anything"


def test_the_approval_is_of_one_bundle_at_a_time_on_the_main_branch() -> None:
    jobs = yaml.safe_load((EXAMPLE / "github/fabric.yml").read_text())["jobs"]
    apply = jobs["apply"]
    assert (apply["environment"], apply["needs"]) == ("fabric", "bundle")
    assert apply["concurrency"] == {"group": "fabric", "cancel-in-progress": False}
    assert "github.ref == 'refs/heads/main'" in jobs["bundle"]["if"]
    assert all(("pull_request" in j["if"]) == (j["runs-on"] == "ubuntu-latest") for j in jobs.values() if "if" in j)
    pipeline = yaml.safe_load((EXAMPLE / "gitlab/gitlab-ci.yml").read_text())
    assert (pipeline["apply"]["environment"], pipeline["apply"]["resource_group"]) == ("fabric", "fabric")
    for rule in pipeline["apply"]["rules"]:
        assert rule["when"] == "manual"
        assert "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" in rule["if"]


@pytest.mark.parametrize("fault", ["edited", "another", "moved", "silent"])
def test_what_was_not_approved_is_not_rolled_out(merged: Repository, fault: str) -> None:
    digest = make_bundle(merged)
    if fault == "edited":
        patch = next((merged.folder / "bundle/patches").glob("*/apply/*.json"))
        patch.write_text("[]\n")
    elif fault == "another":
        digest = digest[::-1]
    elif fault == "moved":
        merged.do(BY_HAND)
    else:
        (merged.folder.parent / SILENT).write_text("spine-01")
    before, _ = apply_steps()
    env = github_env(merged, "apply")
    done = merged.run("set -e\n" + "\n".join(before), DIGEST=digest, **env)
    said = {"edited": "FAILED", "another": "another bundle", "moved": "spine-01", "silent": ""}[fault]
    assert said in done.stdout + done.stderr
    done.exits(3 if fault == "moved" else 1)


def test_a_signature_is_asked_for_where_signers_are_named(merged: Repository) -> None:
    make_bundle(merged)
    new = merged.folder.parent / "new"
    merged.do(f"ci/fabric-ci collect {new}")
    for name in ("right", "wrong"):
        merged.do(f"ssh-keygen -q -t ed25519 -N '' -C {name} -f ../{name}")
    public = (merged.folder.parent / "right.pub").read_text()
    (merged.folder / "ci/allowed_signers").write_text(f"planner@example.net {public}")
    verify = f"ci/fabric-ci verify bundle {new}"
    assert merged.run(verify).returncode not in (0, 3)
    sign = next(step for step in workflow_steps("bundle") if "sign" in step)
    for name, accepted in (("wrong", False), ("right", True)):
        merged.do(f"rm -f bundle/SHA256SUMS.sig && {sign}", KEY=f"../{name}")
        assert (merged.run(verify).returncode == 0) == accepted


@pytest.mark.nightly
def test_the_gitlab_jobs_roll_out(merged: Repository) -> None:
    env = {**GITLAB, "NEW": str(merged.folder.parent / "new")}
    merged.do(gitlab_job("bundle"), **env)
    shutil.rmtree(env["NEW"])
    handed = dict([(merged.folder / "bundle.env").read_text().strip().split("=", 1)])
    merged.do(gitlab_job("apply"), **env, **handed)
    assert played(merged) == WAVES
    shutil.rmtree(merged.folder / "bundle")
    shutil.rmtree(env["NEW"])
    merged.do(gitlab_job("bundle"), **env)
    assert (merged.folder / "bundle.env").read_text() == "BUNDLE_DIGEST=\n"
    merged.do(gitlab_job("apply"), **env, BUNDLE_DIGEST="")
    assert played(merged) == WAVES, "no wave was run again"


def test_an_interrupted_rollout_is_planned_again_without_what_is_done(merged: Repository) -> None:
    make_bundle(merged)
    canary, _ = json.loads((merged.folder / "bundle/plan.json").read_text())["waves"][0]["devices"]
    carry_out_procedure(merged.folder / "bundle", 0, canary["name"], config_of(merged.devices, canary["name"]))
    new = merged.folder.parent / "new"
    merged.do(f"ci/fabric-ci collect {new}")
    refused = merged.run(f"ci/fabric-ci verify bundle {new}").exits(3)
    assert re.search(rf"^{canary['name']} +done ", refused.stdout, re.M)
    assert "\n5 devices in " in merged.do(f"ci/fabric-ci bundle {new} rest")
    assert not (merged.folder / f"rest/devices/{canary['name']}.json").exists()
    merged.run(f"ci/fabric-ci collect {new}").exits(1)  # an older collection may be no evidence


def test_ansible_reads_what_the_command_hands_it(merged: Repository) -> None:
    """The command line of the waves, by Ansible itself; it names the devices of each wave and reaches none."""
    skip_if_told()
    make_bundle(merged)
    login = merged.folder.parent / "login.yml"
    login.write_text("all: {vars: {ansible_user: automation}}\n")
    (merged.tools / "ansible-playbook").unlink()
    (merged.tools / "ansible-playbook").symlink_to(find_ansible() / "bin/ansible-playbook")
    printed = merged.do("ci/fabric-ci waves bundle --list-hosts", FABRIC_ANSIBLE=f"-i {login} -e rollout_serial=1")
    plays = [part.split() for part in re.findall(r"hosts \(\d+\):\n((?: {6}.*\n?)+)", printed)]
    plan = json.loads((merged.folder / "bundle/plan.json").read_text())["waves"]
    waves = [wave for wave in plays if wave != ["localhost"]]
    assert [{*wave} for wave in waves] == [{device["name"] for device in wave["devices"]} for wave in plan]


def alerts(repository: Repository) -> dict[str, set[Any]]:
    """Codes of the alerts of a night's uploads; what is waived opens none, and a note is what no reader covers."""
    found = {}
    for name in ("drift", "state"):
        (run,) = json.loads((repository.folder / f"{name}.sarif").read_text())["runs"]
        open_ = [result for result in run["results"] if not result.get("suppressions")]
        found[name] = {result["ruleId"] for result in open_ if result["level"] != "note"}
    return found


def test_alerts_open_and_close(repository: Repository) -> None:
    *_, night = workflow_steps("running")
    env = {"RUNNING": str(repository.folder.parent / "running")}
    clean: dict[str, set[Any]] = {"drift": set(), "state": set()}
    repository.do(night, **env)
    assert alerts(repository) == clean
    repository.do(BY_HAND)
    repository.run(night, **env).exits(3)
    assert alerts(repository) == {**clean, "drift": {"FG-DIF-101"}}
    repository.run(f"ci/fabric-ci repair {repository.devices} ../patches").exits(3)
    carry_out(repository.folder.parent / "patches/spine-01/apply", config_of(repository.devices, "spine-01"))
    repository.do(night, **env)
    assert alerts(repository) == clean
    (repository.folder.parent / SILENT).write_text("spine-02")
    repository.run(night, **env).exits(1)
    assert "FG-DIF-020" in alerts(repository)["state"], "last night's answers do not count"
    jobs = yaml.safe_load((EXAMPLE / "github/fabric.yml").read_text())["jobs"]
    uploads = [step for step in jobs["running"]["steps"] if "upload-sarif" in step.get("uses", "")]
    for name, upload in zip(("drift", "state"), uploads, strict=True):
        assert upload["if"] == f"always() && hashFiles('{name}.sarif') != ''", "without results alerts are closed"
        assert upload["with"] == {"sarif_file": f"{name}.sarif", "category": f"fabricgen-{name}"}


def test_the_gitlab_job_of_every_night(repository: Repository) -> None:
    env = {**GITLAB, "RUNNING": str(repository.folder.parent / "running")}
    repository.do(BY_HAND)
    repository.run(gitlab_job("running"), **env).exits(3)
    cases = ElementTree.fromstring((repository.folder / "drift.xml").read_text()).iter("testcase")
    drift = [case for case in cases if case.find("skipped") is None]
    assert len(drift) == 14
    assert sum(case.find("failure") is not None for case in drift) == 1
    state = ElementTree.fromstring((repository.folder / "state.xml").read_text())
    assert not [case for case in state.iter("testcase") if case.find("failure") is not None]
    reports = yaml.safe_load((EXAMPLE / "gitlab/gitlab-ci.yml").read_text())["running"]["artifacts"]
    assert reports == {"when": "always", "reports": {"junit": ["drift.xml", "state.xml"]}}


def walk() -> Iterator[tuple[str, str]]:
    """Yield each command of the page and what it prints there."""
    for block in re.findall(r"^```console\n(.*?)^```", (EXAMPLE / "README.md").read_text(), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def test_the_page_walks_through_one_change(repository: Repository) -> None:
    """Every command prints what the page shows; ``…`` stands for what the page leaves out."""
    commands = list(walk())
    assert any("waves" in command for command, _ in commands)
    for command, printed in commands:
        shown = re.escape(printed).replace("…\\\n", r"(?:.*\n)*").replace("…", ".*")
        got = repository.do(command)
        assert re.fullmatch(shown, got), f"$ {command}\n{got}"
