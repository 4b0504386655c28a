"""The walk over all switches with snippets: who is touched, what is judged, and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import Compiled, compile_inventory
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.sonic import view
from tests.unit.snippets.snippet_fabric import NAMES, PLAIN, write_all

FIRST, SECOND = NAMES[:2]
OVER = "  - device: {}\n    raw: {{sonic: [{{file: own.json, overrides: ['{}']}}]}}\n    reason: a vendor case\n"


def compile_all(folder: Path) -> tuple[Compiled, Bag]:
    """Compile an inventory."""
    bag = Bag()
    compiled = compile_inventory(folder, (), bag)
    assert compiled is not None
    return compiled, bag


def write_override(folder: Path, path: str, text: str, *names: str) -> Path:
    """Write a fabric in which a snippet with an override, of which nobody answers, is laid over some switches."""
    write_all(folder, PLAIN, said="".join(OVER.format(name, path) for name in names))
    (folder / "own.json").write_text(text)
    return folder


def test_only_what_differs_from_its_class_is_touched(tmp_path: Path) -> None:
    """A snippet is laid over files of the class; a setting makes the switch a class of its own."""
    own = f"  - {{device: {SECOND}, set: {{operations.timezone: Europe/Berlin}}, reason: own}}\n"
    plan = compile_all(write_all(tmp_path, PLAIN, said=own))[0].plan
    assert {plan.device_name(device) for device in plan.exceptions.switches} == {*NAMES}
    assert {plan.device_name(device) for device in plan.exceptions.touched} == {SECOND}
    assert all(len(exception.raw) == 1 for exception in plan.exceptions.switches.values())


def test_switch_with_a_setting_of_its_own_is_judged_by_it(tmp_path: Path) -> None:
    """The snippet changes nothing of a leaf that has by another exception what it sets."""
    own = f"  - {{device: {SECOND}, set: {{operations.timezone: Europe/Berlin}}, reason: own}}\n"
    text = '{"DEVICE_METADATA": {"localhost": {"timezone": "Europe/Berlin"}}}'
    _, bag = compile_all(write_all(tmp_path, text, said=own))
    changed = {item.message.rpartition(" of ")[2] for item in bag if item.code == "FG-EXC-021"}
    assert changed == {*NAMES} - {SECOND}


def test_snippets_of_an_absent_switch_are_not_judged(tmp_path: Path) -> None:
    own = f"  - {{device: {SECOND}, state: absent, reason: not built yet}}\n"
    _, bag = compile_all(write_all(tmp_path, '{"SYSLOG_SERVER": {"192.0.2.9": {"wibble": "1"}}}', said=own))
    (found,) = [item for item in bag if item.code == "FG-EXC-930"]
    assert found.count == len(NAMES) - 1


def test_what_cannot_be_rendered_is_reported_as_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other switches are judged to the end."""
    build = view.device_view

    def fail(switch: Switch, *rest: Any) -> Any:
        if switch.hostname == "spine-01":
            raise ValueError("no such thing")
        return build(switch, *rest)

    mtu = '{"PORT": {"Ethernet504": {"mtu": "1500"}, "Ethernet496": {"mtu": "1500"}}}'
    folder = write_override(tmp_path, "PORT", mtu, FIRST, "spine-01")
    monkeypatch.setattr(view, "device_view", fail)
    found = [item for item in compile_all(folder)[1] if item.code.startswith(("FG-EXC-06", "FG-PLT-03"))]
    what = f"PORT in etc/sonic/config_db.json of {FIRST}"
    message = "{} is not judged: etc/sonic/config_db.json of spine-01 cannot be rendered"
    assert {(item.code, item.message) for item in found} == {
        ("FG-PLT-030", "view of sonic: ValueError: no such thing"),
        ("FG-EXC-064", message.format("config_db.json")),
        ("FG-EXC-064", message.format("own.json")),
        ("FG-EXC-060", f"own.json overrides {what}, on which other devices rely, and has no owner"),
    }
