"""A lab is up once it forwards as planned over sessions that BFD watches, all of it at one time."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from fabricgen.lab import stages
from fabricgen.lab.model.blueprint import LabNode
from fabricgen.lab.verify.findings import LabFinding, LabResult
from tests.unit.lab.fabrics import lab_of

BLUEPRINT = lab_of("quickstart")
LEAF, SPINE = "leaf-u001-r0", "spine-01"


class Readings:
    """A lab whose devices answer as listed, one list of names for each reading; as planned once the list ends."""

    def __init__(self, patch: pytest.MonkeyPatch, routes: Iterable[set[str]], sessions: Iterable[set[str]]) -> None:
        self.routes, self.sessions = list(routes), list(sessions)
        patch.setattr(stages, "routes_differ", self._read_routes)
        patch.setattr(stages, "check_sessions", self._read_sessions)
        patch.setattr(stages, "find_dead", lambda *_: [])
        patch.setattr(stages.time, "sleep", lambda _: None)

    def _read_routes(self, _: object, __: object, nodes: Iterable[LabNode]) -> list[LabNode]:
        late = self.routes.pop(0) if self.routes else set()
        return [node for node in nodes if node.name in late]

    def _read_sessions(self, _: object) -> LabResult:
        late = self.sessions.pop(0) if self.sessions else set()
        return LabResult("sessions", 1, "sessions", tuple(LabFinding(name, "", "BFD is down") for name in sorted(late)))


def test_sessions_that_forward_are_waited_for_until_they_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = Readings(monkeypatch, [], [{LEAF, SPINE}, {SPINE}])
    assert stages.wait_converged(BLUEPRINT, lambda *_: None) == []
    assert readings.sessions == []


def test_a_device_that_loses_its_routes_again_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = Readings(monkeypatch, [{SPINE}, set(), {LEAF}, {LEAF}], [])
    assert stages.wait_converged(BLUEPRINT, lambda *_: None) == []
    assert readings.routes == []


def test_sessions_that_stay_down_are_named_when_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    Readings(monkeypatch, [], [{SPINE}] * 2)
    assert [node.name for node in stages.wait_converged(BLUEPRINT, lambda *_: None, 1e-9)] == [SPINE]
