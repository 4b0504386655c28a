"""Secrets are references until the last moment (law 9)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.run import config_of, copy_inventory, read_tree, render, run

COMMUNITY, KEY, PASSWORD = "planted-community", "planted-tacacs-key", "planted-session-password"
ENV = {"SNMP_COMMUNITY": COMMUNITY, "TACACS_KEY": KEY, "BGP_KEY": PASSWORD}


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """A small copy of rail-1k whose community comes from a file."""
    folder = copy_inventory(
        "rail-1k", tmp_path / "fabric",
        {'"env:SNMP_COMMUNITY"': '"file:secrets/snmp"', "per_unit: 32": "per_unit: {count: 2, max: 32}",
            "expect: {gpus: 1024, oversubscription: {leaf: 1.0}, paths: {leaf: 32}, failures: {spine: 15}}": ""},
    )  # fmt: skip
    with (folder / "fabric.yaml").open("a") as file:
        file.write("routing: {security: {key: {secret: env:BGP_KEY}}}\n")
    (folder / "secrets").mkdir()
    (folder / "secrets/snmp").write_text(COMMUNITY + "\n")
    return folder


def test_nothing_of_a_secret_is_in_tree_manifest_or_messages(inventory: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("render", str(inventory), "-o", str(out), env=ENV).exits(0)
    tree = read_tree(out)
    told = [done.stdout, done.stderr]
    (inventory / "fabric.yaml").write_text((inventory / "fabric.yaml").read_text() + "nonsense: 1\n")
    for form in ("text", "json", "sarif", "junit", "github"):
        failed = run("validate", str(inventory), "--format", form, env=ENV).exits(1)
        told += [failed.stdout, failed.stderr]
    for secret in (COMMUNITY, KEY, PASSWORD):
        assert not [path for path, data in tree.items() if secret.encode() in data]
        assert not [text for text in told if secret in text]
    assert any(b"@fabricgen-secret:file:secrets/snmp@" in data for data in tree.values())
    assert any(b"@fabricgen-secret:env:TACACS_KEY@" in data for data in tree.values())


def test_resolved_secrets_lie_in_a_private_folder_and_only_where_needed(inventory: Path, tmp_path: Path) -> None:
    out = tmp_path / "private"
    render(inventory, out, "--with-secrets", env=ENV)
    assert out.stat().st_mode & 0o777 == 0o700
    tree = read_tree(out)
    for values, name in (((COMMUNITY, KEY), "config_db.json"), ((PASSWORD,), "frr.conf")):
        holding = {path for path, data in tree.items() if any(value.encode() in data for value in values)}
        assert holding == {path for path in tree if path.endswith(name)}
    assert not [path for path, data in tree.items() if b"@fabricgen-secret:" in data]


def test_resolved_secrets_are_refused_in_a_work_tree(inventory: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repository")], check=True)
    out = tmp_path / "repository/deep/out"
    done = run("render", str(inventory), "-o", str(out), "--with-secrets", env=ENV).exits(1)
    assert "FG-SEC" in done.stderr
    assert not out.exists()


def test_the_command_names_every_secret_it_lacks(inventory: Path, tmp_path: Path) -> None:
    (inventory / "secrets/snmp").write_text("planted-first\nplanted-second\n")
    words = ("render", str(inventory), "-o", str(tmp_path / "private"), "--with-secrets")
    done = run(*words, env={**ENV, "TACACS_KEY": ""}).exits(1)
    assert {"env:TACACS_KEY", "file:secrets/snmp"} <= set(re.findall(r"(?:env|file):[\w/]+", done.stderr))
    assert "planted" not in done.stderr + done.stdout
    assert not (tmp_path / "private").exists() or not read_tree(tmp_path / "private")


def test_no_command_tells_a_secret(inventory: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(inventory, out, env=ENV)
    config = out / "switches/spine-01/etc/sonic/config_db.json"
    numbers = [at for at, line in enumerate(config.read_text().splitlines(), start=1) if "@fabricgen-secret:" in line]
    assert len(numbers) == 2
    config.write_text(config.read_text() + "\n")
    told = []
    for words, code in [
        (("render", str(inventory), "-o", str(out), "--check"), 3),
        (("render", str(inventory), "-o", str(out)), 1),
        (("render", str(inventory), "-o", str(out), "--force", "--verify"), 0),
        *((("explain", f"{config}:{number}", "--inventory", str(inventory)), 0) for number in numbers),
        (("show", str(inventory), "devices", "--format", "json"), 0),
    ]:
        done = run(*words, env=ENV).exits(code)
        told += [done.stdout, done.stderr]
    assert any("operations.snmp.community" in text for text in told)
    assert any("operations.tacacs.key" in text for text in told)
    assert not [text for text in told if any(secret in text for secret in (COMMUNITY, KEY, PASSWORD))]


def test_a_tree_with_secrets_differs_from_the_other_by_them_alone(inventory: Path, tmp_path: Path) -> None:
    with (inventory / "fabric.yaml").open("a") as file:
        file.write("exceptions: [{device: spine-01, raw: {sonic: radius.json}, reason: a vendor case}]\n")
    (inventory / "radius.json").write_text('{"RADIUS": {"global": {"passkey": "@fabricgen-secret:env:RADIUS_KEY@"}}}')
    render(inventory, tmp_path / "public")
    render(inventory, tmp_path / "private", "--with-secrets", env={**ENV, "RADIUS_KEY": "planted-in-a-snippet"})
    public, private = config_of(read_tree(tmp_path / "public")), config_of(read_tree(tmp_path / "private"))
    tokens = {
        b"@fabricgen-secret:file:secrets/snmp@": COMMUNITY,
        b"@fabricgen-secret:env:TACACS_KEY@": KEY,
        b"@fabricgen-secret:env:BGP_KEY@": PASSWORD,
        b"@fabricgen-secret:env:RADIUS_KEY@": "planted-in-a-snippet",
    }
    for token, value in tokens.items():
        public = {path: data.replace(token, value.encode()) for path, data in public.items()}
    assert private == public


def test_the_operators_own_vault_is_asked_once_and_only_with_secrets(inventory: Path, tmp_path: Path) -> None:
    asked, vault = tmp_path / "asked", tmp_path / "bin/vault"
    vault.parent.mkdir()
    vault.write_text(f'#!/bin/sh\necho "$*" >> {asked}\nprintf %s {COMMUNITY}\n')
    vault.chmod(0o755)
    intent = inventory / "fabric.yaml"
    intent.write_text(intent.read_text().replace("file:secrets/snmp", "vault:secret/fabric#snmp"))
    env = {**ENV, "PATH": f"{vault.parent}:/usr/bin:/bin"}
    render(inventory, tmp_path / "out", env=env)
    assert not asked.exists()
    render(inventory, tmp_path / "private", "--with-secrets", env=env)
    assert asked.read_text() == "kv get -field=snmp secret/fabric\n"
    assert COMMUNITY in (tmp_path / "private/switches/spine-01/etc/sonic/config_db.json").read_text()
