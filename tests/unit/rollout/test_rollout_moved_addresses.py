"""Addresses that go from one device to another while old and new ones are there, on each platform."""

from __future__ import annotations

import json

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.counting import Counting
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.steps import Situation
from fabricgen.rollout.phasing.atoms import Context
from fabricgen.rollout.phasing.refusals import Refusals, RefuseFile
from fabricgen.rollout.phasing.states import stage_file

CONTEXT = Context(is_host=False)
FRR, EOS, NVUE = "etc/frr/frr.conf", "mnt/flash/startup-config", "etc/nvue.d/startup.yaml"
SONIC, AGENT, NETPLAN = "etc/sonic/config_db.json", "etc/coop/agent.conf", "etc/netplan/60-fabricgen.yaml"
Sides = tuple[str, str, str]


def written(path: str, address: str) -> str:
    """A file in which a port has an address; with FRR, in which a router announces it."""
    return {
        FRR: f"router bgp 65000\n address-family ipv4 unicast\n  network {address}\n exit-address-family\nexit\n",
        EOS: f"interface Ethernet1/1\n   ip address {address}\n",
        NVUE: f"- set:\n    interface: {{swp1: {{ipv4: {{address: {{{address}: {{}}}}}}}}}}\n",
        SONIC: json.dumps({"INTERFACE": {"Ethernet0": {}, f"Ethernet0|{address}": {}}}),
        AGENT: json.dumps({"sw": {"interfaces": [{"intfID": 1, "ipAddresses": [address]}]}}),
        NETPLAN: f"network: {{version: 2, ethernets: {{rail0: {{addresses: [{address}]}}}}}}\n",
    }[path]


def refusals_of(path: str, *devices: Sides) -> list[str]:
    """Messages about devices, by their name and the address of their port before and after."""
    bag, refusals = Bag(), Refusals()
    side = "hosts" if path == NETPLAN else "switches"
    kind = load_kinds(None, Bag()).of_device(side, [path])[path]
    for name, *addresses in devices:
        texts = [written(path, address) for address in addresses]
        trees = [kind.read(text) for text in texts]
        changes = compare_trees(trees[0], trees[1], kind.semantics).changes
        found = Situation(path, changes, trees[0], trees[1], texts[0], texts[1], kind.semantics)
        file = FileDiff(path, path, kind, (), Counting(found.after), found, texts[1].encode())
        stage_file(file, found, CONTEXT, RefuseFile(refusals, name, f"{name}/{path}"))
    is_refused = refusals.any
    refusals.tell(bag)
    assert is_refused == bag.has_errors
    return [item.message for item in bag]


@pytest.mark.parametrize("path", [FRR, EOS, NVUE, SONIC, AGENT, NETPLAN])
def test_address_that_goes_from_one_device_to_another_is_refused_once(path: str) -> None:
    moved = ("one", "10.0.0.0/31", "10.0.0.2/31"), ("two", "10.0.0.2/31", "10.0.0.4/31")
    (message,) = refusals_of(path, *moved, ("three", "10.0.0.4/31", "10.0.0.6/31"))
    assert message.startswith("one and 1 more device: a device that takes the address of another one shares it")
    assert message.endswith("here one that of two (10.0.0.2)")
    (back,) = refusals_of(path, *((name, after, before) for name, before, after in moved))
    assert back.endswith("here two that of one (10.0.0.2)")


@pytest.mark.parametrize("path", [FRR, SONIC, NETPLAN])
def test_address_that_stays_on_its_device_or_is_free_is_not_refused(path: str) -> None:
    assert refusals_of(path, ("one", "10.0.0.0/31", "10.1.0.0/31"), ("two", "10.0.0.2/31", "10.1.0.2/31")) == []
    assert refusals_of(path, ("one", "10.0.0.0/27", "10.0.0.0/26"), ("two", "10.0.0.0/27", "10.1.0.0/26")) == []
    gateway = "10.0.0.1/24"
    assert refusals_of(path, ("one", gateway, "10.1.0.1/24"), ("two", gateway, "10.1.0.1/24")) == []


def test_ipv6_address_is_the_same_in_every_spelling() -> None:
    sides = ("one", "fd00::/127", "FD00:0::2/127"), ("two", "fd00::2/127", "fd00::4/127")
    (message,) = refusals_of(SONIC, *sides)
    assert message.endswith("(fd00::2)")
