"""Words of a line that may be shown: a command's own, never one that may as well be the secret itself."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics.commands import show_words
from fabricgen.diagnostics.quoting import HIDDEN, mask

WORDS = frozenset({"snmp-server", "community", "private", "enable", "password", "secret", "sha512", "key", "priv"})


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("snmp-server community private", f"snmp-server community {HIDDEN}"),
        ("enable password 7 secret", f"enable password {HIDDEN}"),
        ("enable secret sha512 password", f"enable secret {HIDDEN}"),
        ("enable password x key y", f"enable password {HIDDEN} key {HIDDEN}"),
        ("enable key", "enable key"),
    ],
)
def test_a_word_behind_one_that_announces_a_secret_is_not_shown(line: str, shown: str) -> None:
    assert mask(line, WORDS) == shown
    told = [word for word in show_words(line.split(), WORDS) if word != HIDDEN]
    assert told == shown.replace(HIDDEN, "").split()
