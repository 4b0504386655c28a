"""Export for ANTA, judged by ANTA: it takes every test with its inputs, and its tests judge answers as planned."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anta.catalog import AntaCatalog, AntaTestDefinition
from anta.device import AsyncEOSDevice
from anta.inventory import AntaInventory
from anta.result_manager.models import AntaTestStatus

from fabricgen.lab.model.planned import linux_name
from fabricgen.lab.verify.predict import predict
from tests.acceptance.run import INVENTORIES
from tests.command_line import Done, run_here
from tests.unit.lab.fabrics import draft, plan_of

LEAF = "leaf-u001-r0-1"
SESSIONS, LLDP, WIDTHS = "VerifyBGPPeerSession", "VerifyLLDPNeighbors", "VerifyBGPRouteECMP"


def export(*words: str | Path) -> Done:
    return run_here("export", "anta", *words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("anta") / "out"
    export(INVENTORIES / "dual-tor", "-o", out).exits(0)
    return out


@pytest.fixture(scope="module")
def catalog(folder: Path) -> AntaCatalog:
    return AntaCatalog.parse(folder / "catalog.yml")


def of_device(catalog: AntaCatalog, device: str) -> Iterator[AntaTestDefinition]:
    """The tests whose tags choose a device."""
    for test in catalog.tests:
        if test.inputs.filters is not None and device in (test.inputs.filters.tags or ()):
            yield test


def test_anta_takes_every_test_and_every_switch(folder: Path, catalog: AntaCatalog) -> None:
    found = AntaInventory.parse(folder / "inventory.yml", username="nobody", password="none")
    plan = plan_of("dual-tor")
    leafs = {plan.device_name(device) for device in plan.switches() if device.tier == 0}
    assert set(found.keys()) == leafs | {"spine-01", "spine-02"}
    for name, device in found.items():
        assert name in device.tags, "a device's own name chooses its tests"
        names = [test.test.__name__ for test in of_device(catalog, name)]
        assert {SESSIONS, LLDP, WIDTHS, "VerifyInterfacesStatus", "VerifyBFDSpecificPeers"} <= set(names)
    assert len(catalog.tests) == sum(len(list(of_device(catalog, name))) for name in found)


def judge(test: AntaTestDefinition, *answers: Any) -> tuple[AntaTestStatus, list[str]]:
    """The verdict of one of ANTA's tests over what a device answers."""
    device = AsyncEOSDevice("192.0.2.1", "nobody", "none", name=LEAF)
    made = test.test(device, inputs=test.inputs, eos_data=list(answers))
    asyncio.run(made.test())
    return made.result.result, list(made.result.messages)


def one(catalog: AntaCatalog, name: str) -> AntaTestDefinition:
    (found,) = (test for test in of_device(catalog, LEAF) if test.test.__name__ == name)
    return found


def neighbors() -> dict[str, Any]:
    """Return the leaf's ``show lldp neighbors detail`` with every cable in place, from the lab's blueprint."""
    node = draft(plan_of("dual-tor"), "dual-tor").node(LEAF)
    return {
        "lldpNeighbors": {
            end.name.replace("_", "/"): {
                "lldpNeighborInfo": [
                    {
                        "systemName": f"{end.peer}.example.net",
                        "neighborInterfaceInfo": {"interfaceId_v2": end.peer_interface.replace("_", "/")},
                    }
                ]
            }
            for end in node.interfaces
        }
    }


def test_cables_pass_and_a_swapped_one_fails(catalog: AntaCatalog) -> None:
    answer = neighbors()
    assert judge(one(catalog, LLDP), answer)[0] is AntaTestStatus.SUCCESS
    ports = answer["lldpNeighbors"]
    first, second, *_ = ports
    ports[first], ports[second] = ports[second], ports[first]
    status, messages = judge(one(catalog, LLDP), answer)
    assert status is AntaTestStatus.FAILURE
    assert len(messages) == 2


def test_widths_are_those_of_the_lab_s_walk(catalog: AntaCatalog) -> None:
    routes = predict(draft(plan_of("dual-tor"), "dual-tor")).interfaces[LEAF]
    entries, vias = {}, {}
    for prefix, ports in routes.items():
        head = {"valid": True, "active": True, "ecmpHead": True, "ecmp": True, "ecmpContributor": True}
        paths = [{"nextHop": port, "routeType": {**head, "ecmpHead": not at}} for at, port in enumerate(sorted(ports))]
        entries[prefix] = {"bgpRoutePaths": paths, "totalPaths": len(paths)}
        vias[prefix] = {"vias": [{"interface": linux_name(port)} for port in ports]}
    answers = ({"vrfs": {"default": {"bgpRouteEntries": entries}}}, {"vrfs": {"default": {"routes": vias}}})
    status, messages = judge(one(catalog, WIDTHS), *answers)
    assert status is AntaTestStatus.SUCCESS, messages
    prefix = next(iter(one(catalog, WIDTHS).inputs.route_entries)).prefix
    entries[str(prefix)]["bgpRoutePaths"].pop()
    assert judge(one(catalog, WIDTHS), *answers)[0] is AntaTestStatus.FAILURE


def test_half_speed_fails(catalog: AntaCatalog) -> None:
    test = one(catalog, "VerifyInterfacesSpeed")
    rows = {
        each.name: {"bandwidth": int(each.speed * 1e9), "duplex": "duplexFull", "lanes": 8, "autoNegotiate": "unknown"}
        for each in test.inputs.interfaces
    }
    assert judge(test, {"interfaces": rows})[0] is AntaTestStatus.SUCCESS
    next(iter(rows.values()))["bandwidth"] //= 2
    assert judge(test, {"interfaces": rows})[0] is AntaTestStatus.FAILURE


def test_neighbor_that_announces_aliases_is_expected_by_alias(tmp_path: Path) -> None:
    export(INVENTORIES / "quickstart", "--overlay", "mixed", "-o", tmp_path / "out").exits(0)
    catalog = AntaCatalog.parse(tmp_path / "out" / "catalog.yml")
    ports = {
        each.neighbor_port
        for test in catalog.tests
        if test.test.__name__ == LLDP
        for each in test.inputs.neighbors
        if each.neighbor_device.startswith(("leaf", "spine"))
    }
    assert all(port.startswith("etp") for port in ports), ports


def test_refusals(tmp_path: Path) -> None:
    assert "FG-XPT-001" in export(INVENTORIES / "quickstart", "-o", tmp_path / "none").stderr
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "FG-SRC-042" in export(INVENTORIES / "dual-tor", "-o", tmp_path / "full").stderr
    (tmp_path / "file").touch()
    done = export(INVENTORIES / "dual-tor", "-o", tmp_path / "file" / "below").exits(1)
    assert "FG-OUT-013" in done.stderr
