"""Hosts of quickstart, and their files by the real engine."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, HostClass, Rail, RailLink, RailPort
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.contract import Contract, TrafficClass
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.topology import RailPlace
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document
from tests.acceptance.run import INVENTORIES

NETPLAN = "etc/netplan/60-fabricgen.yaml"
SYSCTL = "etc/sysctl.d/90-fabricgen.conf"
UDEV = "etc/udev/rules.d/60-rdma-persistent-naming.rules"
ROCE = "usr/local/sbin/fabricgen-roce"
BOND_UNIT = "etc/systemd/system/fabricgen-bond@.service"
FIRMWARE = "usr/local/sbin/fabricgen-mlxconfig"
ROUTING = "etc/frr/frr.conf"
DAEMONS = "etc/frr/daemons"
LLDP = "etc/lldpd.d/60-fabricgen.conf"
ENVIRONMENT = "etc/environment.d/60-fabricgen-rdma.conf"
PROFILE = "etc/profile.d/fabricgen-rdma.sh"
NODES = "etc/nvidia-imex/nodes_config.cfg"
NCCL = "etc/nccl.conf"
RCCL = "etc/rccl.conf"
TELEMETRY = "etc/tmpfiles.d/fabricgen-telemetry.conf"
TOPOLOGY = "etc/fabricgen/nccl-topo.xml"

DCQCN = (("rpg_time_reset", 300), ("clamp_tgt_rate_after_time_inc", 1), ("min_time_between_cnps", 4))


@cache
def lowered() -> HostClass:
    folder = INVENTORIES / "quickstart"
    plan = compile_document(load_document(folder / "fabric.yaml", Bag()), folder, Bag()).plan
    return Lowering(plan).lower_host(next(plan.all_hosts())).cls


def judge(name: str) -> str:
    """Path of an outside judge; where it is missing the test is skipped by name, with CI=true it fails."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        message = f"the judge {name} is not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return found


def as_root() -> None:
    """Skip a test that needs a network or mount namespace of its own where nobody may make one."""
    if os.geteuid() != 0:
        pytest.skip("needs root for a namespace of its own")


def reference(name: str) -> Any:
    """A table of the reference beside the judges; skipped by name where there are none."""
    judges = os.environ.get("FABRICGEN_JUDGES")
    if not judges:
        pytest.skip(f"the judge {name}: FABRICGEN_JUDGES is not set")
    return yaml.safe_load((Path(judges) / ".." / "reference" / "hosts" / name).read_text())


def contract(mode: str = "dcqcn", **changes: TrafficClass) -> Contract:
    """The contract of the intent language's defaults; ``changes`` replaces classes by name."""
    named = {cls.name: cls for cls in lowered().contract.classes} | changes
    classes = tuple(sorted(named.values(), key=lambda cls: cls.priority))
    by_dscp = {dscp: cls.priority for cls in classes for dscp in cls.dscp}
    under_pfc = () if mode == "ecn_only" else tuple(sorted({cls.priority for cls in classes if cls.lossless}))
    reason = "" if mode == "dcqcn" else "the library paces"
    return Contract(mode, classes, tuple(by_dscp.get(dscp, 0) for dscp in range(64)), under_pfc, reason)


def host_class(rails: int = 8, mode: str = "dcqcn") -> HostClass:
    """Hosts of quickstart with so many of their rails, over cables of no whole metres."""
    cls = lowered()
    shapes = tuple(replace(rail, mtu_bytes=9000, length_m=2.5, autoneg="", port_gbps=0) for rail in cls.rails[:rails])
    told = replace(cls.collectives, dcqcn=DCQCN, dcqcn_by_rate=())
    return replace(cls, rails=shapes, contract=contract(mode), collectives=told)


def of_group(cls: HostClass, **changes: object) -> HostClass:
    return replace(cls, group=replace(cls.group, **changes))


def host(cls: HostClass, **changes: object) -> Host:
    """The first host of the second unit."""
    rails = [
        Rail(shape, f"172.16.1.{2 * n + 1}", f"172.16.1.{2 * n}", f"leaf-u002-r{n}", f"Ethernet{8 * n}", "")
        for n, shape in enumerate(cls.rails)
    ]
    return replace(Host(cls, "gpu-u002-h01", "unit 2", "", "", "", rails), **changes)


def bonded_class(rails: int = 2) -> HostClass:
    """The same hosts with two ports of 200G on each NIC, which bond."""
    cls = host_class(rails)
    return replace(of_group(cls, nic_ports=2), rails=tuple(replace(rail, members=tuple(
        RailPort(port, f"{rail.interface}p{port}", f"{rail.nic_bdf[:-1]}{port}" if rail.nic_bdf else "")
        for port in (0, 1)
    )) for rail in cls.rails))  # fmt: skip


def bonded_host(cls: HostClass, **changes: object) -> Host:
    rails = [
        Rail(
            shape, f"172.16.{n}.14", f"172.16.{n}.1", f"tor-r{n}a", "Ethernet3/1", "", 24,
            tuple(RailLink(p.port, p.interface, f"tor-r{n}{'ab'[p.port]}", "Ethernet3/1") for p in shape.members),
        )
        for n, shape in enumerate(cls.rails)
    ]  # fmt: skip
    return replace(Host(cls, "gpu-u002-h01", "unit 2", "", "", "", rails), **changes)


def without_places(cls: HostClass, *numbers: int) -> HostClass:
    """The class as it is when nobody knows where these rails sit."""
    return replace(cls, rails=tuple(
        replace(rail, nic_bdf="", place=RailPlace(rail.place.rail, "", "", "", -1),
                members=tuple(replace(port, nic_bdf="") for port in rail.members))
        if rail.place.rail in numbers else rail
        for rail in cls.rails
    ))  # fmt: skip


def specs() -> dict[str, PlatformSpec]:
    bag = Bag()
    found = load_platforms({"ubuntu": ("hosts", "gpu", "os")}, "host", bag)
    found |= load_platforms({"mlx5": ("hosts", "gpu", "nic")}, "nic", bag)
    assert not list(bag), [str(item) for item in bag]
    return found


def render(device: Host) -> dict[str, str]:
    bag = Bag()
    files = Renderer(specs(), bag).render_host(device)
    assert not list(bag), [str(item) for item in bag]
    prefix = f"hosts/{device.hostname}/"
    return {file.path.removeprefix(prefix): file.data.decode() for file in files}


def compiled(folder: Path, more: str) -> tuple[Compiled, Bag]:
    """Compile quickstart with other hosts: ``more`` is the text in the place of its own."""
    text = re.sub(r"(?m)^(hosts|expect):.*\n", "", (INVENTORIES / "quickstart/fabric.yaml").read_text())
    (fabric := folder / "fabric.yaml").write_text(text + more)
    bag = Bag()
    document = load_document(fabric, bag)
    assert document is not None
    return compile_document(document, folder, bag), bag


def error_codes(bag: Bag) -> list[str]:
    return sorted(item.code for item in bag if item.severity.value == "error")


def render_hosts(made: Compiled) -> Iterator[tuple[HostId, dict[str, str]]]:
    """Yield the hosts of a compiled fabric, each with its files by their path on the host."""
    assert made.platforms is not None
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, Bag())
    for each in made.plan.all_hosts():
        files = renderer.render_host(lowering.lower_host(each))
        yield each, {file.path.split("/", 2)[2]: file.data.decode() for file in files}


def write(files: dict[str, str], root: Path) -> Path:
    """Lay the files out below a folder, with the permissions of their manifests."""
    modes = {output.path: output.mode for spec in specs().values() for output in spec.outputs}
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(modes[path])
    return root
