"""Every code of the registry has a message that a test causes, and its texts keep to docs/style.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fabricgen.api.explain import load_codes
from fabricgen.diagnostics import Diagnostic
from tests.wording import faults_of

REPOSITORY = Path(__file__).resolve().parents[2]


def test_fixes_of_codes_are_hints() -> None:
    found = [Diagnostic(code.id, code.severity, code.title, hint=code.hint) for code in load_codes()]
    assert len(found) > 400
    assert [(each.code, fault) for each in found for fault in faults_of(each)] == []


def test_a_fault_of_wording_is_found() -> None:
    found = Diagnostic("FG-TOP-009", load_codes()[0].severity, "1 links find no port.", hint="see above")
    assert [fault.split(":")[0] for fault in faults_of(found)] == [
        "message ends with a full stop",
        "message has '1 links'",
        "hint is no imperative",
    ]


def test_messages_of_commands_are_complete_and_plain(tmp_path: Path) -> None:
    """Those of an inventory are held by the cases."""
    words = [sys.executable, "-m", "tests.messages", "--commands", str(tmp_path / "messages.md")]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
