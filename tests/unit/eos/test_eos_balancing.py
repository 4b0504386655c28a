"""Load balancing of EOS: DLB and resilient hashing, each alone, as Arista's own generator and manual write them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.device.model import SwitchClass
from fabricgen.platforms.eos.reader import read
from fabricgen.platforms.eos.view import TABLE_MAX, build_resilience
from tests.judges.avd.__main__ import findings
from tests.unit.conformance_files import startup_configs
from tests.unit.sonic.sonic_fabric import leaf

BALANCING = ("routing", "ecmp", "load_balancing")
DLB = "ip hardware fib load-balance distribution dynamic"
UNSET = (("tiers", "leaf", "ecmp", "load_balancing"),)


def test_flowlets_are_one_line_that_avd_writes_too() -> None:
    for text in startup_configs({BALANCING: "flowlet"}, without=UNSET).values():
        assert DLB in text.splitlines()
        assert "ecmp resilience" not in text
        assert findings(text) == []


HASH = ("routing", "ecmp", "hash")
UDF = "port-channel load-balance trident udf eth-type {} ip-protocol udp header outer l4 offset {} mask 0xff"


def test_the_hash_reads_the_queue_pair_as_avd_writes_it() -> None:
    """Three bytes from the 13th of the UDP header on Tomahawk, the same from behind it on sand."""
    own = (("tiers", "leaf", "ecmp", "hash"), ("expect",))
    for text in startup_configs({HASH: ["five_tuple", "roce_dest_qp"]}, without=own).values():
        pairs = [line for line in text.splitlines() if line.startswith("port-channel load-balance")]
        assert pairs == [UDF.format("IPv4", offset) for offset in (13, 14, 15)]
        assert findings(text) == []
        assert set(pairs) <= set(read(text.replace("eth-type IPv4", "eth-type ipv4")))
    sand = {
        ("tiers", "core", "model"): "arista_7808r3",
        ("lossless", "ecn"): {"kmin_bytes": 1000000, "kmax_bytes": 2000000, "pmax_pct": 5},
    }
    core = startup_configs({HASH: ["five_tuple", "roce_dest_qp"], **sand}, without=own)["core-01"]
    assert (
        "\n   load-balance sand profile default\n      fields udp dst-port 4791\n         payload bytes 5-7\n" in core
    )
    assert "trident udf" not in core
    assert findings(core) == []


def resilient(width: int) -> SwitchClass:
    """A class that hashes resiliently over so many next hops."""
    cls = leaf().cls
    return replace(cls, routing=replace(cls.routing, resilient=True, max_paths=width))


@pytest.mark.parametrize("width", [1, 8, 64, 256, 600])
def test_a_resilient_table_has_room_for_every_next_hop_and_fits_the_box(width: int) -> None:
    tables = build_resilience(resilient(width))
    assert {table.prefix for table in tables} == {resilient(width).prefixes.host_links}
    assert all(table.capacity == width and table.capacity * table.redundancy <= TABLE_MAX for table in tables)
    assert all(table.redundancy > 1 for table in tables)
