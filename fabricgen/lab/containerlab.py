"""A fabric as a topology of containerlab: vendor images where there are some, Linux with FRR where there are none.

Source: https://containerlab.dev/manual/topo-def-file/ and schemas/clab.schema.json of srl-labs/containerlab.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import name_few
from fabricgen.lab.lab_codes import EQUIVALENT
from fabricgen.lab.lifecycle.boot import daemons_of
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.planned import Drafter, linux_name
from fabricgen.lab.model.routing_suite import CONFIG_NAME, IMAGE, SUITE
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import Renderer

HOST_IMAGE = "ghcr.io/srl-labs/network-multitool:latest"
_LINUX = "linux"
_SYSCTLS = {"net.ipv4.ip_forward": 1, "net.ipv4.fib_multipath_hash_policy": 1, "net.ipv6.conf.all.forwarding": 1}
_DIGIT = re.compile(r"\d.*")


@dataclass(slots=True)
class Export:
    """A topology: files by path relative to its folder, and devices that do not run their own image."""

    files: dict[str, bytes] = field(default_factory=dict)
    equivalent: list[str] = field(default_factory=list)


def export_containerlab(plan: FabricPlan, specs: Mapping[str, PlatformSpec], bag: Bag) -> Export | None:
    """Make a topology of a plan; None with diagnostics if a device cannot be rendered."""
    drafted = Bag()
    blueprint = Drafter(plan, specs, drafted).draft(plan.name)
    # The substitutes on this machine do not apply to containers, where most platforms run their own system.
    bag.extend([found for found in drafted if found.code != EQUIVALENT.id])
    renderer, lowering = Renderer(specs, bag), Lowering(plan)
    if bag.has_errors:
        return None
    export = Export()
    nodes: dict[str, Any] = {}
    names: dict[tuple[str, str], str] = {}
    for device in plan.switches():
        switch = lowering.lower_switch(device)
        spec = renderer.specs["switch", switch.cls.platform]
        node = blueprint.node(switch.hostname)
        if spec.container:
            nodes[node.name] = _vendor_node(node, spec)
            pattern = str(spec.container.get("interface", "{name}"))
            own = {shape.name: _interface(pattern, shape.name, at) for at, shape in enumerate(switch.cls.ports, 1)}
            names |= {(node.name, linux_name(port)): interface for port, interface in own.items()}
            rendered = {file.path: file.data for file in renderer.render_switch(switch)}
            export.files |= rendered
            export.files |= _image_files(f"switches/{node.name}/", spec, rendered, own)
        else:
            nodes[node.name] = _linux_speaker(node, export)
            export.equivalent.append(node.name)
    for node in blueprint.hosts:
        speaks = bool(node.config)
        plain = {"kind": _LINUX, "image": HOST_IMAGE, "exec": list(_commands(node))}
        nodes[node.name] = _linux_speaker(node, export) if speaks else plain
    links = list(_links(blueprint, names))
    topology = {"name": plan.name, "topology": {"nodes": nodes, "links": links}}
    export.files[f"{plan.name}.clab.yml"] = ("\n".join(_yaml(topology, 0)) + "\n").encode()
    if export.equivalent:
        bag.add(EQUIVALENT, f"control plane equivalent: {name_few(export.equivalent, 4)}")
    return None if bag.has_errors else export


def _vendor_node(node: LabNode, spec: PlatformSpec) -> dict[str, Any]:
    """A switch on its vendor's image with its own configuration."""
    container = spec.container
    found: dict[str, Any] = {"kind": str(container["kind"]), "image": str(container["image"])}
    folder = f"switches/{node.name}"
    if container.get("startup"):
        found["startup-config"] = f"{folder}/{container['startup']}"
    pairs = (pair.split("=", 1) for pair in str(container.get("binds", "")).split())
    binds = [f"{folder}/{source}:{target}" for source, target in pairs]
    if binds:
        found["binds"] = binds
    if container.get("prepare"):
        found["stages"] = {"create-links": {"exec": [{"command": str(container["prepare"]), "phase": "on-enter"}]}}
    return found


def _image_files(
    folder: str, spec: PlatformSpec, rendered: Mapping[str, bytes], interfaces: Mapping[str, str]
) -> dict[str, bytes]:
    """Files that only the image needs, which the platform makes of the switch's own."""
    own = {path.removeprefix(folder): data for path, data in rendered.items()}
    made = spec.platform.container_files(own, interfaces)
    return {f"{folder}{name}": data for name, data in made.items()}


def _linux_speaker(node: LabNode, export: Export) -> dict[str, Any]:
    """A switch without an image, or a host with BGP: Linux with FRR; its files go into the export."""
    folder = f"{'switches' if node.is_switch else 'hosts'}/{node.name}/etc/{SUITE}"
    export.files[f"{folder}/{CONFIG_NAME}"] = node.config.encode()
    export.files[f"{folder}/daemons"] = _daemons(node)
    return {
        "kind": _LINUX,
        "image": IMAGE,
        **({"sysctls": dict(_SYSCTLS)} if node.is_switch else {}),
        "binds": [f"{folder}/{name}:/etc/{SUITE}/{name}" for name in (CONFIG_NAME, "daemons")],
        "exec": list(_commands(node)),
    }


def _daemons(node: LabNode) -> bytes:
    """The file that says which daemons the image starts; zebra always runs."""
    lines = [f"{name}=yes" for name in daemons_of(node) if name != "zebra"]
    return "\n".join([*lines, "vtysh_enable=yes", ""]).encode()


def _commands(node: LabNode) -> Iterator[str]:
    """Commands that give a Linux device its addresses, MTU, routes and rules."""
    for address in node.loopbacks:
        yield f"ip address add {address} dev lo"
    for end in node.interfaces:
        yield f"ip link set {end.name} mtu {end.mtu_bytes} up"
        for address in end.addresses:
            yield f"ip address add {address} dev {end.name}"
    for command in node.commands:
        yield f"ip {command}"


def _links(blueprint: Blueprint, names: Mapping[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
    """Every cable once."""
    for wire in blueprint.wires:
        a = names.get((wire.a, wire.a_interface), wire.a_interface)
        b = names.get((wire.b, wire.b_interface), wire.b_interface)
        mtu = blueprint.node(wire.a).interface(wire.a_interface).mtu_bytes
        yield {"endpoints": [f"{wire.a}:{a}", f"{wire.b}:{b}"], "mtu": mtu}


def _interface(pattern: str, name: str, number: int) -> str:
    digits = _DIGIT.search(name)
    return pattern.format(name=linux_name(name), digits=linux_name(digits[0]) if digits else "", number=number)


def _yaml(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    """A mapping as block YAML; what is not a mapping or a list of one is written as JSON, which YAML includes."""
    indent = "  " * depth
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            yield f"{indent}{key}:"
            yield from _yaml(item, depth + 1)
        elif isinstance(item, list) and item:
            yield f"{indent}{key}:"
            yield from (f"{indent}  - {json.dumps(entry)}" for entry in item)
        else:
            yield f"{indent}{key}: {json.dumps(item)}"
