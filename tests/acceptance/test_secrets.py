"""Secrets are references until the last moment (law 9)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.acceptance.run import copy_inventory, read_tree, render, run

COMMUNITY, KEY = "planted-community", "planted-tacacs-key"
ENV = {"SNMP_COMMUNITY": COMMUNITY, "TACACS_KEY": KEY}


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """A small copy of rail-1k whose community comes from a file."""
    folder = copy_inventory(
        "rail-1k",
        tmp_path / "fabric",
        {
            '"env:SNMP_COMMUNITY"': '"file:secrets/snmp"',
            "per_unit: 32": "per_unit: {count: 2, max: 32}",
            "expect: {gpus: 1024, oversubscription: {leaf: 1.0}, paths: {leaf: 32}, failures: {spine: 15}}": "",
        },
    )
    (folder / "secrets").mkdir()
    (folder / "secrets/snmp").write_text(COMMUNITY + "\n")
    return folder


def test_nothing_of_a_secret_is_in_tree_manifest_or_messages(inventory: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("render", str(inventory), "-o", str(out), env=ENV)
    assert done.returncode == 0
    tree = read_tree(out)
    told = [done.stdout, done.stderr]
    (inventory / "fabric.yaml").write_text((inventory / "fabric.yaml").read_text() + "nonsense: 1\n")
    for form in ("text", "json", "sarif", "junit", "github"):
        failed = run("validate", str(inventory), "--format", form, env=ENV)
        assert failed.returncode == 1
        told += [failed.stdout, failed.stderr]
    for secret in (COMMUNITY, KEY):
        assert not [path for path, data in tree.items() if secret.encode() in data]
        assert not [text for text in told if secret in text]
    assert any(b"@fabricgen-secret:file:secrets/snmp@" in data for data in tree.values())
    assert any(b"@fabricgen-secret:env:TACACS_KEY@" in data for data in tree.values())


def test_resolved_secrets_lie_in_a_private_folder_and_only_where_needed(inventory: Path, tmp_path: Path) -> None:
    out = tmp_path / "private"
    render(inventory, out, "--with-secrets", env=ENV)
    assert out.stat().st_mode & 0o777 == 0o700
    tree = read_tree(out)
    holding = {path for path, data in tree.items() if COMMUNITY.encode() in data or KEY.encode() in data}
    assert holding == {path for path in tree if path.endswith("config_db.json")}
    assert not [path for path, data in tree.items() if b"@fabricgen-secret:" in data]


def test_resolved_secrets_are_refused_in_a_work_tree(inventory: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repository")], check=True)
    out = tmp_path / "repository/deep/out"
    done = run("render", str(inventory), "-o", str(out), "--with-secrets", env=ENV)
    assert done.returncode == 1
    assert "FG-SEC" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("value", [None, "two\nlines", "x" * 3 + "\x00"])
def test_a_missing_or_unfit_secret_is_named_and_never_shown(value: str | None, inventory: Path, tmp_path: Path) -> None:
    if value is None:
        (inventory / "secrets/snmp").unlink()
    else:
        (inventory / "secrets/snmp").write_text(value)
    done = run("render", str(inventory), "-o", str(tmp_path / "private"), "--with-secrets", env=ENV)
    assert done.returncode == 1
    assert "secrets/snmp" in done.stderr
    assert "FG-SEC" in done.stderr
    assert value is None or value not in done.stderr
    assert not (tmp_path / "private").exists() or not read_tree(tmp_path / "private")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github"])
def test_a_secret_typed_in_clear_is_refused_and_not_shown(form: str, tmp_path: Path) -> None:
    clear = "typed-in-clear"
    inventory = copy_inventory("rail-1k", tmp_path / "fabric", {'{secret: "env:SNMP_COMMUNITY"}': clear})
    done = run("validate", str(inventory), "--format", form)
    assert done.returncode == 1
    assert "operations.snmp.community" in done.stdout + done.stderr or form == "sarif"
    assert clear not in done.stdout + done.stderr
