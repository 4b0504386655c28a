"""Addresses of services and pools of the fabric, as operators mix them up."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.diagnostics import Diagnostic
from tests.acceptance.operator_faults import Fault, lines_with, plant


def planted(platform: str, folder: Path, *edits: tuple[str, str]) -> tuple[str, list[Diagnostic]]:
    return plant(Fault("", "", "", (), "", edits), platform, folder)


@pytest.mark.parametrize("platform", ["sonic", "eos", "cumulus_nvue", "frr"])
def test_a_collector_is_no_address_of_the_fabric(platform: str, tmp_path: Path) -> None:
    text, found = planted(platform, tmp_path, ("operations: {", "operations: {sflow: {collector: 10.0.0.5}, "))
    places = [d.place.line for d in found if d.code == "FG-ADR-011" and d.place]
    assert places == list(lines_with(text, "operations:"))


def test_pools_of_the_fabric_give_way_to_a_management_network_that_is_there(tmp_path: Path) -> None:
    """FG-ADR-010 and FG-ADR-011 give one hint: a prefix with neither the network nor its services."""
    services = ("operations: {", "operations: {ntp: [10.0.0.10], dns: [10.16.0.1], ")
    _, found = planted("sonic", tmp_path, ("192.168.0.0/16", "10.0.0.0/16"), services)
    hints = [d.hint.partition(";")[0] for d in found if d.code in ("FG-ADR-010", "FG-ADR-011")]
    assert len(hints) >= 2
    assert {*hints} == {"move addressing.fabric_links.ipv4, for example to 10.32.0.0/12"}


def test_samples_that_travel_through_the_fabric_may_end_in_it(tmp_path: Path) -> None:
    _, found = planted("fboss", tmp_path, ("operations: {", "operations: {sflow: {collector: 172.16.0.5}, "))
    assert [d.message for d in found if d.code == "FG-ADR-011"] == []
