"""Origins: every device field names intent paths, and they are paths the intent schema has."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import pytest
from pydantic.json_schema import PydanticJsonSchemaWarning
from render_toys import ECN, PROFILE, make_class, make_host, make_shape, make_switch

from fabricgen.device import host_model, model
from fabricgen.device.model import Host, Switch
from fabricgen.device.origins import FIELD_ORIGINS, VARIABLES, FieldRead, origin_of, variables_in
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model import buffers, contract, topology
from fabricgen.plan.model.topology import CageMode

Schema = Mapping[str, Any]

CONSTANTS = {
    "RoutingPolicy.bfd_multiplier", "RoutingPolicy.bfd_interval_ms", "FabricPrefixes.loopback_len",
    "FabricPrefixes.loopback_len6", "HostSubnet.gateway_mac", "HostSubnet.vlan", "Ptp.announce", "Ptp.delay_request",
    "Ptp.dscp", "Ptp.priority", "Ptp.sync", "Ptp.timeout",
}  # fmt: skip
"""Fields that planning sets by a standard or a published default, so that no intent key changes them."""


OF_NO_DEVICE = {"MarkingBound"}
"""Dataclasses of the plan that no device carries."""


def model_classes() -> dict[str, type]:
    """The dataclasses of the device model, and those of the plan that it carries."""
    found: dict[str, type] = {}
    for module in (model, host_model, contract, buffers, topology):
        for name, item in inspect.getmembers(module, inspect.isclass):
            if is_dataclass(item) and item.__module__ == module.__name__ and name not in OF_NO_DEVICE:
                found[name] = item
    return found


@cache
def intent_schema() -> Schema:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PydanticJsonSchemaWarning)  # defaults of address pools, which paths need not
        return FabricIntent.model_json_schema()


def variants(schema: Schema) -> Iterator[Schema]:
    """A schema and everything it may stand for."""
    if "$ref" in schema:
        yield from variants(intent_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
        return
    yield schema
    for word in ("anyOf", "oneOf", "allOf"):
        for option in schema.get(word, ()):
            yield from variants(option)


def is_legal(path: tuple[str, ...], schema: Schema) -> bool:
    """Return whether the schema has a place for a path; a segment with a variable takes any key of a mapping."""
    if not path:
        return True
    head, rest = path[0], path[1:]
    for variant in variants(schema):
        if head.startswith("["):
            below = [variant["items"]] if "items" in variant else []
        elif variables_in(head):
            below = [*variant.get("patternProperties", {}).values(), *variant.get("properties", {}).values()]
            below += [variant["additionalProperties"]] if isinstance(variant.get("additionalProperties"), dict) else []
        elif head in variant.get("properties", {}):
            below = [variant["properties"][head]]
        else:
            below = list(variant.get("patternProperties", {}).values())
            below += [variant["additionalProperties"]] if isinstance(variant.get("additionalProperties"), dict) else []
        if any(is_legal(rest, item) for item in below):
            return True
    return False


def test_the_judge_of_paths_knows_legal_from_illegal() -> None:
    schema = intent_schema()
    assert is_legal(("hosts", "gpu", "per_unit", "count"), schema)
    assert is_legal(("operations", "users", "[netops]", "ssh_key"), schema)
    assert not is_legal(("hosts", "gpu", "per_rack"), schema)
    assert not is_legal(("operations", "users", "netops", "ssh_key"), schema)
    assert not is_legal(("lossless", "watchdog", "kmin"), schema)


def test_every_field_of_the_device_model_has_an_origin() -> None:
    wanted = {name: {field.name for field in fields(cls)} for name, cls in model_classes().items()}
    assert {name: set(named) for name, named in FIELD_ORIGINS.items()} == wanted


def test_only_constants_of_planning_have_no_key() -> None:
    empty = {f"{name}.{field}" for name, keys in FIELD_ORIGINS.items() for field, of in keys.items() if not of}
    assert empty == CONSTANTS


def test_every_pattern_is_a_path_of_the_intent_and_every_variable_is_used() -> None:
    used = set()
    for name, named in FIELD_ORIGINS.items():
        for field, patterns in named.items():
            for pattern in patterns:
                assert is_legal(pattern, intent_schema()), (name, field, pattern)
                used |= {word for segment in pattern for word in variables_in(segment)}
    assert used == set(VARIABLES)


def walk(item: object) -> Iterator[object]:
    """Every model object below one."""
    if isinstance(item, list | tuple):
        for part in item:
            yield from walk(part)
    elif is_dataclass(item):
        yield item
        for field in fields(item):
            yield from walk(getattr(item, field.name))


def spine() -> Switch:
    shapes = [replace(make_shape(0), link="leaf-spine"), replace(make_shape(1, "up"), link="spine-core")]
    modes = (CageMode(1, "Ethernet0", "1x400G"),)
    cls = make_class("spine", shapes, tier="spine", role="spine", host_groups=(), modes=modes)
    return make_switch(cls, state="drained", reason="optics")


@pytest.mark.parametrize("device", [make_switch(), spine(), make_host()], ids=["leaf", "spine", "host"])
def test_every_field_of_a_device_resolves_to_whole_paths(device: Switch | Host) -> None:
    for item in walk(device):
        owner = type(item).__name__
        for field in FIELD_ORIGINS[owner]:
            for path in origin_of(FieldRead(owner, field, item), device):
                assert is_legal(path, intent_schema()), (owner, field, path)
                assert not any(variables_in(segment) for segment in path)


def first(item: object, field: str, device: Switch | Host, index: int | None = None) -> tuple[str, ...]:
    return origin_of(FieldRead(type(item).__name__, field, item, index), device)[0]


def test_the_most_decisive_key_comes_first() -> None:
    leaf, host = make_switch(), make_host()
    down, up, unused = leaf.ports[0], leaf.ports[2], leaf.cls.ports[4]
    roce = leaf.cls.contract.by_name("roce")
    assert first(down, "address", leaf) == ("addressing", "host_links", "ipv4")
    assert first(up, "address", leaf) == ("addressing", "fabric_links", "ipv4")
    assert first(down, "peer", leaf) == ("hosts", "gpu", "name")
    assert first(up, "peer", leaf) == ("tiers", "spine", "name")
    assert first(up, "peer_asn", leaf) == ("routing", "asn", "base")
    assert first(up.shape, "speed_gbps", leaf) == ("links", "leaf-spine", "speed")
    assert first(unused, "speed_gbps", leaf) == ("tiers", "leaf", "model")
    assert first(unused, "mtu_bytes", leaf) == ("links", "host-leaf", "mtu")
    assert first(down.shape, "used", leaf) == ("hosts", "gpu", "per_unit", "count")
    assert first(up.shape, "used", leaf) == ("tiers", "spine", "count", "count")
    assert first(leaf, "loopback", leaf) == ("addressing", "loopbacks", "ipv4")
    assert first(leaf, "state", leaf) == ("exceptions", "[leaf-u001-r0 state]", "state")
    assert first(leaf, "place", leaf) == ("units", "name")
    assert first(roce, "dscp", leaf) == ("lossless", "classes", "roce", "dscp")
    assert first(roce, "priority_group", leaf) == ("lossless", "classes", "roce", "priority")
    assert first(leaf.cls.contract.by_name("cnp"), "priority_group", leaf) == ("lossless", "classes", "cnp", "lossless")
    assert first(leaf.cls.contract, "lossless", leaf, 0) == ("lossless", "classes", "roce", "priority")
    assert first(ECN, "kmin_bytes", leaf) == ("lossless", "ecn")
    assert first(leaf.cls.services.users[0], "ssh_key", leaf) == ("operations", "users", "[netops]", "ssh_key")
    assert first(leaf.cls.routing, "max_paths", leaf) == ("tiers", "leaf", "ecmp", "max_paths")
    assert first(host.rails[0], "peer", host) == ("tiers", "leaf", "name")
    assert first(host.rails[0].shape, "speed_gbps", host) == ("links", "host-leaf", "speed")
    assert first(host, "hostname", host) == ("hosts", "gpu", "name")


def test_what_several_links_share_names_all_of_them() -> None:
    paths = origin_of(FieldRead("PgProfile", "xoff_bytes", PROFILE), make_switch())
    assert paths[:2] == (("links", "host-leaf", "cable", "length_m"), ("links", "leaf-spine", "cable", "length_m"))


def test_links_of_a_spine_end_at_leafs_below_and_cores_above() -> None:
    device = spine()
    down, up = device.ports
    assert first(down, "peer", device) == ("tiers", "leaf", "name")
    assert first(up, "peer", device) == ("tiers", "core", "name")
    assert first(down, "address", device) == ("addressing", "fabric_links", "ipv4")
    assert first(up.shape, "used", device) == ("tiers", "core", "count", "count")
    assert first(down.shape, "used", device) == ("units", "count")
    assert first(device, "place", device) == ("pods", "name")


def test_without_the_object_the_known_part_of_the_path_is_left() -> None:
    assert origin_of(FieldRead("TrafficClass", "dscp", None), make_switch()) == (("lossless", "classes"),)
    assert origin_of(FieldRead("RoutingPolicy", "bfd_multiplier", None), make_switch()) == ()
