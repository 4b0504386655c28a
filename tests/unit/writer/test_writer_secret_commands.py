"""Secrets from the operator's own sops and vault: stand-ins on the PATH, and never a word of theirs in a message."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.render.secrets import SecretResolver, SecretToken, run_secret_command

SOPS = SecretToken("sops", "secrets/fabric.yaml#snmp/community")
VAULT = SecretToken("vault", "secret/fabric/switches#community")


def program(folder: Path, name: str, body: str) -> None:
    """A program that is called so, in the interpreter's own words."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n")
    path.chmod(0o755)


def resolve(tmp_path: Path, token: SecretToken, **environment: str) -> tuple[str | None, list[tuple[str, str]]]:
    """Return what the resolver finds, and what it says."""
    inventory = tmp_path / "inventory"
    (inventory / "secrets").mkdir(parents=True, exist_ok=True)
    bag = Bag()
    found = SecretResolver({"PATH": str(tmp_path / "bin"), **environment}, inventory)(token, bag)
    return found, [(d.code, d.message) for d in bag]


def test_sops_is_asked_for_one_key_of_a_file_of_the_inventory(tmp_path: Path) -> None:
    program(tmp_path / "bin", "sops", "print('|'.join(sys.argv[1:]))")
    value, said = resolve(tmp_path, SOPS)
    file = tmp_path / "inventory/secrets/fabric.yaml"
    assert (value, said) == (f'--decrypt|--extract|["snmp"]["community"]|{file}', [])
    value, _ = resolve(tmp_path, SecretToken("sops", "secrets/users.yaml#users/0/hash"))
    assert value is not None
    assert '["users"][0]["hash"]' in value


def test_vault_is_asked_for_one_field_with_the_operators_login(tmp_path: Path) -> None:
    program(tmp_path / "bin", "vault", "print(' '.join(sys.argv[1:]), os.environ['VAULT_ADDR'], end='')")
    assert resolve(tmp_path, VAULT, VAULT_ADDR="https://v.example") == (
        "kv get -field=community secret/fabric/switches https://v.example",
        [],
    )


@pytest.mark.parametrize("token", [SOPS, VAULT], ids=lambda token: token.scheme)
def test_a_program_that_is_missing_is_named(token: SecretToken, tmp_path: Path) -> None:
    value, said = resolve(tmp_path, token)
    assert value is None
    assert [code for code, _ in said] == ["FG-SEC-109"]
    assert f"no program {token.scheme} on the PATH" in said[0][1]
    assert str(token) in said[0][1]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("print('planted'); print('planted', file=sys.stderr); sys.exit(7)", "FG-SEC-110", "ended with status 7"),
        ("os.kill(os.getpid(), 9)", "FG-SEC-110", "ended with status -9"),
        (r"sys.stdout.buffer.write(b'planted\xff')", "FG-SEC-105", "not UTF-8"),
    ],
)
def test_a_program_that_fails_is_named_and_never_quoted(body: str, code: str, words: str, tmp_path: Path) -> None:
    program(tmp_path / "bin", "vault", body)
    value, said = resolve(tmp_path, VAULT)
    assert value is None
    assert [found for found, _ in said] == [code]
    assert words in said[0][1]
    assert "planted" not in said[0][1]


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    program(tmp_path / "bin", "vault", "")
    (tmp_path / "bin/vault").write_text("#!/nowhere/at/all\n")
    _, said = resolve(tmp_path, VAULT)
    assert [code for code, _ in said] == ["FG-SEC-110"]


def test_a_program_that_does_not_end_is_stopped_though_its_child_holds_the_pipe(tmp_path: Path) -> None:
    program(tmp_path / "bin", "vault", "os.fork()\nprint('planted', flush=True)\ntime.sleep(8)")
    bag = Bag()
    place = ("secret/fabric", "community")
    assert run_secret_command("it", "vault", place, {"PATH": str(tmp_path / "bin")}, bag, timeout_s=1.0) is None
    (said,) = bag
    assert said.code == "FG-SEC-110"
    assert "within 1 s" in said.message
    assert "planted" not in said.message


def test_a_value_of_several_lines_keeps_them_for_the_check_that_refuses_them(tmp_path: Path) -> None:
    program(tmp_path / "bin", "vault", "print('one\\ntwo')")
    assert resolve(tmp_path, VAULT) == ("one\ntwo", [])
