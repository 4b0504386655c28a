"""Secrets: found, resolved, kept out of messages, and kept in a private folder."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.diagnostics import Bag
from fabricgen.render.secrets import SecretResolver, SecretToken, check_secret_target, find_tokens, resolve_tokens

TOKEN = b"@fabricgen-secret:env:SNMP@"


def resolver(inventory: Path = Path("/nowhere"), **environment: str) -> SecretResolver:
    return SecretResolver(environment, inventory)


def only(bag: Bag) -> tuple[str, str]:
    (diagnostic,) = bag
    return diagnostic.code, diagnostic.message


def test_tokens_are_found_once_and_in_order() -> None:
    text = (
        b"a @fabricgen-secret:file:secrets/netops.hash@ b" + TOKEN + TOKEN + b"\nx@y.z @fabricgen-secret:vault:kv/a#b@"
    )
    assert find_tokens(text) == (
        SecretToken("file", "secrets/netops.hash"),
        SecretToken("env", "SNMP"),
        SecretToken("vault", "kv/a#b"),
    )
    assert str(SecretToken("env", "SNMP")).encode() == TOKEN


def test_text_and_json_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "hash").write_bytes(b"$6$salt$abc./\n")
    resolve = resolver(tmp_path, SNMP="pa/ss:w\u00f6rd")
    text = b"community " + TOKEN + b" hash @fabricgen-secret:file:hash@\n"
    bag = Bag()
    assert (
        resolve_tokens(text, resolve, format="text", bag=bag)
        == "community pa/ss:w\u00f6rd hash $6$salt$abc./\n".encode()
    )
    assert resolve_tokens(b"no secret", resolve, format="json", bag=bag) == b"no secret"
    assert not list(bag)


printable = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp"]), min_size=1, max_size=20)


@given(value=printable)
def test_json_stays_json_whatever_the_value(value: str) -> None:
    document = json.dumps({"before": [1], "secret": f"x {TOKEN.decode()} y", "after": 2}).encode()
    resolved = resolve_tokens(document, resolver(SNMP=value), format="json", bag=Bag())
    assert resolved is not None
    assert json.loads(resolved) == {"before": [1], "secret": f"x {value} y", "after": 2}


@given(value=st.text(st.characters(codec="utf-8"), max_size=8))
def test_text_keeps_its_lines_and_words_whatever_the_value(value: str) -> None:
    bag = Bag()
    resolved = resolve_tokens(b'password "' + TOKEN + b'" end\n', resolver(SNMP=value), format="text", bag=bag)
    if resolved is None:
        assert only(bag)[0] == "FG-SEC-105"
    else:
        assert [len(line.split()) for line in resolved.decode().splitlines()] == [3]
        assert resolved.count(b'"') == 2


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize(
    "value", ["", "a\nb", "a\rb", "a\0b", "a\x85b", "a\u2028b", "a\u202eb", "\x1b[31m", "bad\udcffbyte"]
)
def test_unfit_value_is_refused_and_never_shown(value: str, form: str) -> None:
    bag = Bag()
    assert resolve_tokens(TOKEN, resolver(SNMP=value), format=form, bag=bag) is None
    code, message = only(bag)
    assert code == "FG-SEC-105"
    assert "env:SNMP" in message
    assert not value or value not in message


@pytest.mark.parametrize(
    ("token", "code", "words"),
    [
        ("@fabricgen-secret:env:ABSENT@", "FG-SEC-102", "environment variable ABSENT"),
        ("@fabricgen-secret:file:absent@", "FG-SEC-103", "file:absent"),
        ("@fabricgen-secret:file:folder@", "FG-SEC-103", "file:folder"),
        ("@fabricgen-secret:file:latin@", "FG-SEC-105", "file:latin"),
        ("@fabricgen-secret:file:../outside@", "FG-SEC-104", "file:../outside"),
        ("@fabricgen-secret:file:/etc/hostname@", "FG-SEC-104", "file:/etc/hostname"),
        ("@fabricgen-secret:file:link@", "FG-SEC-104", "file:link"),
        ("@fabricgen-secret:sops:a.yaml#b@", "FG-SEC-109", "sops:a.yaml#b"),
        ("@fabricgen-secret:vault:kv/a#b@", "FG-SEC-109", "vault:kv/a#b"),
        ("@fabricgen-secret:sops:../outside#b@", "FG-SEC-104", "sops:../outside#b"),
        ("@fabricgen-secret:sops:link#b@", "FG-SEC-104", "sops:link#b"),
        ("@fabricgen-secret:sops:a.yaml@", "FG-SEC-101", "sops:a.yaml"),
        ("@fabricgen-secret:vault:-help#b@", "FG-SEC-101", "vault:-help#b"),
        ("@fabricgen-secret:plain:text@", "FG-SEC-101", "plain:text"),
        ("@fabricgen-secret:env:A B@", "FG-SEC-101", "cannot be read"),
        ("@fabricgen-secret:env:A", "FG-SEC-101", "cannot be read"),
        ("@fabricgen-secret:ENV:A@", "FG-SEC-101", "cannot be read"),
    ],
)
def test_reference_that_cannot_be_resolved_is_named(tmp_path: Path, token: str, code: str, words: str) -> None:
    inventory = tmp_path / "inventory"
    (inventory / "folder").mkdir(parents=True)
    (inventory / "latin").write_bytes(b"top\xffsecret\n")
    (tmp_path / "outside").write_bytes(b"topsecret\n")
    (inventory / "link").symlink_to(tmp_path / "outside")
    bag = Bag()
    data = b"fine " + TOKEN + b" " + token.encode() + b"\n"
    assert resolve_tokens(data, resolver(inventory, SNMP="topsecret"), format="text", bag=bag) is None
    assert only(bag)[0] == code
    assert words in only(bag)[1]
    assert "topsecret" not in only(bag)[1]


def test_a_value_is_not_resolved_again() -> None:
    resolve = resolver(SNMP="@fabricgen-secret:env:OTHER@", OTHER="x")
    assert resolve_tokens(TOKEN, resolve, format="text", bag=Bag()) == b"@fabricgen-secret:env:OTHER@"


def test_target_is_created_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        assert check_secret_target(tmp_path / "a/b", Bag())
    finally:
        os.umask(old)
    assert (tmp_path / "a/b").stat().st_mode & 0o7777 == 0o700
    assert check_secret_target(tmp_path / "a/b", Bag())


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o1700, 0o500])
def test_target_that_is_not_private_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out").chmod(mode)
    bag = Bag()
    assert not check_secret_target(tmp_path / "out", bag)
    assert only(bag)[0] == "FG-SEC-106"
    assert f"{mode:04o}" in only(bag)[1]
    (tmp_path / "out").chmod(0o700)


def test_target_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"")
    bag = Bag()
    assert not check_secret_target(tmp_path / "out", bag)
    assert only(bag)[0] == "FG-SEC-106"


@pytest.mark.parametrize("out", [".", "deep/er", "../linked/x", "../alias/deep"])
def test_target_in_a_git_work_tree_is_refused_and_not_created(tmp_path: Path, out: str) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", "init", "--quiet", "repo"], cwd=tmp_path, check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", "x"], cwd=tmp_path / "repo", check=True)
    add = ["git", "worktree", "add", "--quiet", "--detach", "../linked"]
    subprocess.run(add, cwd=tmp_path / "repo", check=True, capture_output=True)
    (tmp_path / "alias").symlink_to("repo")
    bag = Bag()
    assert not check_secret_target(tmp_path / "repo" / out, bag)
    assert only(bag)[0] == "FG-SEC-107"
    assert not (tmp_path / "repo/deep").exists()
