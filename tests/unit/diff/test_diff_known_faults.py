"""Faults that public reports describe, on a deployed side: each kind once, with its disruption and its ports."""

from __future__ import annotations

import re
from typing import Any

from diff_site import FRR, HOST, LEAF, SPINE, Site, edit_json, switch_file

PORT = "Ethernet8"
OF_PORT = ("PORT_QOS_MAP", "PFC_WD", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE")
Kind = tuple[str, str, str]


def kinds(site: Site) -> set[Kind]:
    """Disruption, title and action of every kind of difference."""
    summary = site.compare(site.out, site.folder / "deployed")
    return {(group.disruption, group.title, group.action) for group in summary.groups()}


def test_port_that_was_broken_out_and_back_has_nothing_of_its_own(site: Site) -> None:
    """sonic-net/sonic-buildimage issues 6720 and 12045: no maps, groups, queues and watchdog are left."""

    def bare(data: dict[str, Any]) -> None:
        del data["CABLE_LENGTH"]["AZURE"][PORT]
        for table in OF_PORT:
            for key in [key for key in data[table] if key.split("|")[0] == PORT]:
                del data[table][key]

    edit_json(switch_file(site.copy()), bare)
    flaps = {"cable length", "port QoS maps", "priority group", "queue", "queue buffer"}
    assert kinds(site) == {("port flap", title, "add") for title in flaps} | {("hitless", "PFC watchdog", "add")}
    summary = site.compare(site.out, site.folder / "deployed", details=True)
    places = {(one.device, one.steps[-1].split("|")[0]) for group in summary.groups() for one in group.details}
    assert places == {(LEAF, PORT)}


def test_half_of_the_uplinks_are_idle_with_two_paths(site: Site) -> None:
    """osism/ansible-collection-services issue 2147: maximum-paths 2 from a template, or no multipath-relax."""
    deployed = site.copy()
    for name, pattern, new in (
        (SPINE, r"maximum-paths \d+", "maximum-paths 2"),
        (LEAF, r" bgp bestpath as-path multipath-relax\n", ""),
    ):
        file = switch_file(deployed, name, FRR)
        text, count = re.subn(pattern, new, file.read_text())
        assert count
        file.write_text(text)
    assert kinds(site) == {("hitless", "BGP paths", "change"), ("hitless", "BGP multipath", "add")}


def test_rings_that_cross_rails_do_not_meet(site: Site) -> None:
    """NVIDIA/nccl issue 2013: gathers time out where NCCL may cross rails that do not meet."""
    file = site.copy() / "hosts" / HOST / "etc/nccl.conf"
    text = file.read_text()
    assert "NCCL_CROSS_NIC=0\n" in text
    file.write_text(text.replace("NCCL_CROSS_NIC=0", "NCCL_CROSS_NIC=1"))
    assert kinds(site) == {("hitless", "collective library setting", "change")}
