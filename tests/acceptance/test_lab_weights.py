"""Next hops in kernels are weighted by the links that are left behind them, as predicted for the FRR that runs."""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from ipaddress import ip_address, ip_network
from math import sqrt
from pathlib import Path

import pytest

from fabricgen.lab.lifecycle.kernel import inside, read_counters
from fabricgen.physics.path_weights import WeightedRest, weigh_rest, weighting_rule
from tests.acceptance import frr_roots
from tests.acceptance.laboratory import Lab, running, small_inventory
from tests.acceptance.laboratory import alone as alone
from tests.waiting import wait

LEAF, OTHER, SENDER, RECEIVER = "leaf-u001-r0", "leaf-u002-r0", "gpu-u002-h01", "gpu-u001-h01"
SPINE, UNHURT = "spine-01", "spine-02"
PER_PAIR, SOURCES, TARGETS, FIRST_PORT = 4, 64, 64, 20_001
PAYLOAD_BYTES, FRAME_BYTES = 1000, 1000 + 8 + 20 + 14
DEVIATIONS = 5
"""Standard deviations that the flows on a link may be from the prediction."""

Links = Mapping[str, tuple[str, str]]

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("root", frr_roots.ALL)
def test_kernels_and_packets_follow_the_links_that_are_left(root: str, tmp_path: Path) -> None:
    inventory = small_inventory(tmp_path, per_pair=str(PER_PAIR))
    with (inventory / "fabric.yaml").open("a", encoding="utf-8") as file:
        file.write("routing: {ecmp: {weights: on}}\n")
    with running(inventory, "weights", *frr_roots.words_of(root)) as lab:
        rule = weighting_rule(lab.on(LEAF, "vtysh", "-c", "show version").split()[1])
        (route,) = json.loads(lab.on(LEAF, "ip", "-j", "route", "show", "type", "blackhole"))
        cables = {device: links(lab, device) for device in (LEAF, OTHER, SPINE, UNHURT)}
        hurt = [port for port, (spine, _) in cables[LEAF].items() if spine == SPINE]
        for lost in range(PER_PAIR):
            if lost:
                lab.on(LEAF, "ip", "link", "set", hurt[lost - 1], "down")
            rest = weigh_rest(PER_PAIR, lost, 2, PER_PAIR, rule)
            wait(partial(is_installed, lab, route["dst"], cables[OTHER], rest))
            if lost in (1, PER_PAIR - 1):
                judge_packets(lab, cables, rest, set(hurt[:lost]))


def links(lab: Lab, device: str) -> Links:
    """Return the ports of a switch that lead to other switches, each with the switch and the port at its other end."""
    text = lab.on(device, "vtysh", "-c", "show running-config")
    routes = json.loads(lab.on(device, "ip", "-j", "route", "show", "proto", "kernel"))
    found = {}
    for address, peer, port in re.findall(r"neighbor (\S+) description ((?:leaf|spine)[^:]*):(\S+)", text):
        own = next(route["dev"] for route in routes if ip_address(address) in ip_network(route["dst"]))
        found[own] = peer, port
    return found


def is_installed(lab: Lab, prefix: str, ways: Links, rest: WeightedRest) -> bool:
    """Return whether the kernel of the other leaf has the next hops with the predicted weights."""
    (route,) = json.loads(lab.on(OTHER, "ip", "-j", "route", "show", prefix))
    found = Counter((ways[hop["dev"]][0], hop["weight"]) for hop in route["nexthops"])
    return found == Counter({(SPINE, rest.fewer): PER_PAIR, (UNHURT, rest.full): PER_PAIR})


def judge_packets(lab: Lab, cables: Mapping[str, Links], rest: WeightedRest, dead: set[str]) -> None:
    """Flows that differ in ports leave by each link, and come down by each link, as often as the weights say."""
    share = rest.fewer / (rest.fewer + rest.full)
    parts = {SPINE: share, UNHURT: 1 - share}
    expected = {(OTHER, port): parts[spine] / PER_PAIR for port, (spine, _) in cables[OTHER].items()}
    for spine, part in parts.items():
        left = [port for port, (peer, far) in cables[spine].items() if peer == LEAF and far not in dead]
        expected |= {(spine, port): part / len(left) for port in left}
    before = {device: count(lab, device) for device in (OTHER, SPINE, UNHURT)}
    flows = send(lab)
    after = {device: count(lab, device) for device in before}
    for (device, port), part in expected.items():
        met = (after[device][port] - before[device][port]) // FRAME_BYTES
        margin = DEVIATIONS * sqrt(flows * part * (1 - part))
        assert abs(met - flows * part) <= margin, f"{device} {port}: {met} of {float(flows * part):.0f} flows"


def count(lab: Lab, device: str) -> dict[str, int]:
    """Return the bytes that each port of a device has sent."""
    with inside(f"fglab.{lab.name}.{device}"):
        return read_counters()


def send(lab: Lab) -> int:
    """Send a datagram of each of many flows from a host to another one; return how many."""
    addresses = [json.loads(lab.on(host, "ip", "-j", "-4", "addr", "show", "rail0")) for host in (SENDER, RECEIVER)]
    source, target = (found[0]["addr_info"][0]["local"] for found in addresses)
    with ExitStack() as stack, inside(f"fglab.{lab.name}.{SENDER}"):
        for _ in range(SOURCES):
            port = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            port.bind((source, 0))
            for number in range(TARGETS):
                port.sendto(b"\0" * PAYLOAD_BYTES, (target, FIRST_PORT + number))
    return SOURCES * TARGETS
