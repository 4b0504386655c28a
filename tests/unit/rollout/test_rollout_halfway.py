"""Waves of a change in phases as a lab carries them out: forwarding is as before after every one; nothing is booted."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network
from pathlib import Path

import pytest
from rollout_site import QUICKSTART

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rehearsal import open_rehearsal
from fabricgen.api.rollout import plan_rollout
from fabricgen.diagnostics import Bag
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.model.planned import Drafter
from fabricgen.lab.rehearsal.changes import LabChange, WaveChanges, mix
from fabricgen.lab.rehearsal.draft import draft_sides
from fabricgen.lab.verify.predict import predict
from tests.acceptance.laboratory import small_inventory

FLOOR = "rollout: {floor: 0.5}\n"
LINKS = ("fabric_links: 10.0.0.0/12", "fabric_links: 10.64.0.0/12")
HOSTS = ("host_links: 172.16.0.0/12", "host_links: 172.32.0.0/12")
LINKS6 = ('fd3a:91c4:7e02:1::/64"', 'fd3a:91c4:7e02:7::/64"')
ASN = (FLOOR, FLOOR + "routing: {asn: {base: 4200001000}}\n")
MTU = ("links:\n  host-leaf: {speed: 400G,", "links:\n  host-leaf: {speed: 400G, mtu: 4200,")
Wave = tuple[Blueprint, list[LabChange]]


def play(folder: Path, change: tuple[str, str], overlay: str = "") -> Iterator[Wave]:
    """Yield the lab before each wave with what the wave changes, and last the lab after all of them."""
    deployed = small_inventory(folder / "deployed", count="2")
    for name in ("boards", "overlays"):
        shutil.copytree(QUICKSTART / name, deployed / name)
    file = deployed / "fabric.yaml"
    file.write_text(file.read_text() + FLOOR)
    intended = Path(shutil.copytree(deployed, folder / "intended"))
    changed = intended / ("overlays/dual.yaml" if overlay == "dual" else "fabric.yaml")
    assert change[0] in changed.read_text()
    changed.write_text(changed.read_text().replace(*change))
    bag, options = Bag(), DiffOptions(folder, overlays=(overlay,) if overlay else ())
    assert plan_rollout(str(intended), str(deployed), folder / "bundle", options, bag), list(bag)
    with open_rehearsal(folder / "bundle", "", "", options, bag) as sides:
        assert sides is not None, list(bag)
        assert sides.deployed is not None
        blueprint = Drafter(sides.deployed.plan, sides.deployed.platforms, bag).draft("test")
        both = draft_sides(sides.intended.plan, sides.intended.platforms, blueprint, sides.states, bag)
        assert both is not None
        changes = WaveChanges(sides.bundle, both)
        for wave in sides.bundle.rollout.waves:
            found = changes.of(wave, blueprint)
            yield blueprint, found
            blueprint = mix(blueprint, {each.name: each.after for each in found})
        yield blueprint, []
        assert {node.name: node for node in blueprint.nodes} == dict(both.intended)


def agreed(blueprint: Blueprint, node: LabNode, end: Interface) -> int:
    """Sessions over a link that both ends have, between two addresses of one subnet."""
    other = blueprint.node(end.peer).interface(end.peer_interface)
    mine, theirs = (
        {str(found.ip): found.network for found in map(ip_interface, each.addresses)} for each in (end, other)
    )
    assert node.is_switch
    return sum(theirs.get(name) in {mine.get(back) for back in other.neighbors} - {None} for name in end.neighbors)


def paths_of(node: LabNode) -> set[int]:
    """Numbers of equal-cost paths that a switch takes, by its routing configuration."""
    return {int(number) for number in re.findall(r"maximum-paths (\d+)", node.config)}


@pytest.mark.sampled(1, of="overlay")
@pytest.mark.parametrize("overlay", ["", "frr", "nvue", "dual"])
def test_every_link_has_a_session_that_both_ends_have_while_its_addresses_change(overlay: str, tmp_path: Path) -> None:
    change = LINKS6 if overlay == "dual" else LINKS
    first = None
    widest = 0
    for blueprint, _ in play(tmp_path, change, overlay):
        forwarding = predict(blueprint).interfaces
        first = first or forwarding
        assert forwarding == first
        for node in blueprint.switches:
            uplinks = [end for end in node.interfaces if end.neighbors and end.link == "leaf-spine"]
            assert all(agreed(blueprint, node, end) for end in uplinks), node.name
            if not node.tier:
                sessions = max(len([name for name in end.neighbors if ":" not in name]) for end in uplinks)
                widest = max(widest, len(uplinks) * sessions)
                assert min(paths_of(node)) >= len(uplinks) * sessions
    assert widest == (2 if overlay == "dual" else 4)


def networks(end: Interface) -> set[IPv4Network | IPv6Network]:
    """Networks that a port is in."""
    return {ip_interface(address).network for address in end.addresses}


@pytest.mark.nightly
@pytest.mark.sampled(1, of="overlay")
@pytest.mark.parametrize("overlay", ["", "eos", "nvue", "fboss"])
def test_hosts_have_a_gateway_and_an_announced_prefix_while_their_addresses_change(
    overlay: str, tmp_path: Path
) -> None:
    seen = set()
    for blueprint, _ in play(tmp_path, HOSTS, overlay):
        for node in blueprint.nodes:
            for end in node.interfaces if not node.is_switch else ():
                leaf = blueprint.node(end.peer)
                announced = [ip_network(prefix) for prefix in leaf.originates]
                assert networks(end) <= networks(leaf.interface(end.peer_interface))
                for network in networks(end):
                    assert any(network.subnet_of(prefix) for prefix in announced), (node.name, network)  # type: ignore[arg-type]
                    seen.add(str(network)[:6])
    assert seen == {"172.16", "172.32"}


@pytest.mark.sampled(1, of="system")
@pytest.mark.parametrize("system", ["", "frr", "nvue"])
def test_routers_have_the_number_of_their_configuration_in_every_wave(system: str, tmp_path: Path) -> None:
    first = None
    stages: dict[str, list[str]] = {}
    for blueprint, changes in play(tmp_path, ASN, system):
        first = first or predict(blueprint).interfaces
        assert predict(blueprint).interfaces == first
        assert all(f"router bgp {node.asn}\n" in node.config for node in blueprint.switches)
        for change in changes:
            stages.setdefault(change.name, []).append(change.after.config)
    assert {len(texts) for texts in stages.values()} == {3}
    for expanded, migrated, contracted in stages.values():
        told, any_number = " no-prepend replace-as\n", " remote-as external\n"
        assert (told in expanded, any_number in expanded) == (True, True)
        assert (told in migrated, any_number in migrated) == (False, True)
        assert (told in contracted, any_number in contracted) == (False, False)


def test_hosts_send_shorter_packets_before_ports_are_made_shorter(tmp_path: Path) -> None:
    order = []
    for blueprint, changes in play(tmp_path, MTU):
        sizes = [{end.mtu_bytes for end in node.interfaces if end.link == "host-leaf"} for node in blueprint.nodes]
        order += [change.after.is_switch for change in changes]
        hosts = {
            size for node, found in zip(blueprint.nodes, sizes, strict=True) if not node.is_switch for size in found
        }
        leafs = {size for node, found in zip(blueprint.nodes, sizes, strict=True) if node.is_switch for size in found}
        assert max(hosts) <= min(leafs) or min(leafs) == 4200 == max(hosts)
    assert order == sorted(order)
