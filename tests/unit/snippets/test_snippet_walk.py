"""The walk over all switches with snippets: what is rendered and read how often, who is touched, what is not judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import Compiled, compile_inventory
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.sonic import reader, view
from fabricgen.render.engine import Renderer
from tests.unit.snippets.test_snippet_precedents import NAMES, PLAIN, write_all

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
    write_all(folder, "sonic", PLAIN["sonic"], said="".join(OVER.format(name, path) for name in names))
    (folder / "own.json").write_text(text)
    return folder


def test_each_switch_is_rendered_once_and_each_text_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the first switch of a class are read before and after; of the others only the text is compared."""
    rendered: Counter[str] = Counter()
    read: Counter[str] = Counter()
    render, read_text = Renderer.render_switch, reader.read

    def count_render(self: Renderer, switch: Switch, **options: Any) -> Any:
        rendered[switch.hostname] += 1
        return render(self, switch, **options)

    def count_read(text: str) -> Any:
        read[text] += 1
        return read_text(text)

    folder = write_all(tmp_path, "sonic", PLAIN["sonic"])
    monkeypatch.setattr(Renderer, "render_switch", count_render)
    monkeypatch.setattr(reader, "read", count_read)
    compile_all(folder)
    assert rendered == dict.fromkeys(NAMES, 1)
    assert [*read.values()] == [1] * 4


def test_only_what_differs_from_its_class_is_touched(tmp_path: Path) -> None:
    """A snippet is laid over files of the class; a setting makes the switch a class of its own."""
    own = f"  - {{device: {SECOND}, set: {{operations.timezone: Europe/Berlin}}, reason: own}}\n"
    plan = compile_all(write_all(tmp_path, "sonic", PLAIN["sonic"], said=own))[0].plan
    assert plan is not None
    assert {plan.device_name(device) for device in plan.exceptions.switches} == {*NAMES}
    assert {plan.device_name(device) for device in plan.exceptions.touched} == {SECOND}
    assert all(len(exception.raw) == 1 for exception in plan.exceptions.switches.values())


def test_snippets_of_an_absent_switch_are_not_judged(tmp_path: Path) -> None:
    own = f"  - {{device: {SECOND}, state: absent, reason: not built yet}}\n"
    _, bag = compile_all(write_all(tmp_path, "sonic", '{"SYSLOG_SERVER": {"192.0.2.9": {"wibble": "1"}}}', said=own))
    (found,) = [item for item in bag if item.code == "FG-EXC-930"]
    assert found.count == len(NAMES) - 1


def test_what_cannot_be_rendered_is_reported_as_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other switches are judged to the end: overrides that nobody answers for, and the other ends of their links.

    Nothing is reported of a link to the switch of which nothing is known.
    """
    build = view.device_view

    def fail(switch: Switch, *rest: Any) -> Any:
        if switch.hostname == "spine-01":
            raise ValueError("no such thing")
        return build(switch, *rest)

    mtu = '{"PORT": {"Ethernet504": {"mtu": "1500"}, "Ethernet496": {"mtu": "1500"}}}'
    folder = write_override(tmp_path, "PORT", mtu, FIRST, "spine-01")
    monkeypatch.setattr(view, "device_view", fail)
    found = [item for item in compile_all(folder)[1] if item.code.startswith("FG-EXC-06") or "no such" in item.message]
    what = f"PORT in etc/sonic/config_db.json of {FIRST}"
    message = "{} is not judged: etc/sonic/config_db.json of spine-01 cannot be rendered"
    assert {(item.code, item.message) for item in found[1:]} == {
        ("FG-EXC-064", message.format("config_db.json")),
        ("FG-EXC-064", message.format("own.json")),
        ("FG-EXC-060", f"own.json overrides {what}, on which other devices rely, and has no owner"),
        ("FG-EXC-061", f"{FIRST} Ethernet496: MTU 1500; spine-02 Ethernet0 at the other end has 9100"),
    }
    assert "ValueError: no such thing" in found[0].message
