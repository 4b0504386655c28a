"""Small devices and small platforms for the tests of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fabricgen.device import model
from fabricgen.device.model import Host, Port, PortShape, Rail, RailShape, Switch, SwitchClass
from fabricgen.plan.model import contract
from fabricgen.plan.model.buffers import AsicMemory, Buffers, PgProfile
from fabricgen.plan.model.identity import Coordinates, Numbering
from fabricgen.plan.model.topology import Hardware, HostGroup, LinkGroup, RailPlace
from fabricgen.platforms.manifest.capabilities import RECORDS, fields_of
from fabricgen.platforms.manifest.spec import Output, PlatformSpec, TemplatePart
from fabricgen.platforms.platform import Platform, ViewModule

CONTRACT = contract.Contract(
    mode="dcqcn",
    classes=(
        contract.TrafficClass("default", (), 0, 0, lossless=False, strict=False, weight_pct=5),
        contract.TrafficClass("roce", (26,), 3, 3, lossless=True, strict=False, weight_pct=95),
        contract.TrafficClass("cnp", (46,), 6, 0, lossless=False, strict=True, weight_pct=0),
    ),
    priority_by_dscp=tuple({26: 3, 46: 6}.get(dscp, 0) for dscp in range(64)),
    lossless=(3,),
    reason="",
)
LINK = "host-leaf"
PROFILE = PgProfile("pg_400_40m", 400, 40, 1000, 500, None, 7000, -1, "a table")
ECN = contract.EcnThresholds("roce_400g", 400, 1000, 2000, 5, "a profile")
SERVICES = contract.Services(
    ntp=("192.0.2.1", "192.0.2.2"), syslog=(), dns=(), snmp_community="", snmp_location='room "7"', snmp_contact="",
    tacacs=(), tacacs_key="", users=(contract.User("netops", "ssh-ed25519 AAAA", ""),), timezone="UTC",
)  # fmt: skip
ROUTING = contract.RoutingPolicy(
    bfd_upper=True, bfd_lower=True, bfd_multiplier=3, bfd_interval_ms=300, keepalive_s=3, hold_s=9, connect_s=10,
    advertisement_s=0, max_paths=8, max_prefixes=100, hash_fields=("five_tuple",), hash_rank=0, load_balancing="static",
)  # fmt: skip


def make_shape(number: int, side: str = "down", used: bool = True) -> PortShape:
    """A port; the first ones go down to hosts, the others up to spines."""
    link = {"down": LINK, "up": "leaf-spine"}.get(side, "")
    return PortShape(
        name=f"Ethernet{number * 8}", alias=f"etp{number + 1}", cage=number + 1, subport=0,
        lanes=(8 * number, 8 * number + 1), speed_gbps=400, fec="rs", autoneg="off", side=side, position=number,
        link=link, used=used, mtu_bytes=9100, length_m=30 if used else 0, headroom=PROFILE if used else None,
        ecn=ECN.name if used else "",
    )  # fmt: skip


def make_class(key: str = "leaf/gpu", ports: Sequence[PortShape] | None = None, **changes: object) -> SwitchClass:
    """A class of leafs with two hosts, two spines and an empty cage."""
    shapes = [make_shape(0), make_shape(1), make_shape(2, "up"), make_shape(3, "up"), make_shape(4, "", used=False)]
    cls = SwitchClass(
        key=key, fabric="toy", tier="leaf", role="leaf", has_upper=True, model="box", platform="toy", board="board",
        sku="sku", sku_is_exact=True, ports=tuple(shapes if ports is None else ports), modes=(), contract=CONTRACT,
        watchdog=contract.Watchdog(200, 400, 200, "drop"), ecn=(ECN,), routing=ROUTING,
        buffers=Buffers((), (), (PROFILE,), "a file", AsicMemory("chip", "its file")),
        services=SERVICES, host_groups=("gpu",),
        prefixes=model.FabricPrefixes("10.255.0.0/16", 32, "172.16.0.0/12", 27),
    )  # fmt: skip
    return replace(cls, **changes)


def make_switch(cls: SwitchClass | None = None, number: int = 1, **changes: object) -> Switch:
    """A leaf of the class."""
    cls = cls or make_class()
    ports = []
    for at, shape in enumerate(shape for shape in cls.ports if shape.used):
        up = shape.side == "up"
        first = f"10.{number}.{at}" if up else f"172.16.{at}"
        peer = f"spine-{at:02}" if up else f"gpu-u001-h{at + 1:02}"
        peer_port = "Ethernet0" if up else "rail0"
        ports.append(Port(shape, peer, peer_port, f"{first}.0", f"{first}.1", 65000 + at if up else 0))
    switch = Switch(
        cls=cls,
        hostname=f"leaf-u{number:03}-r0", place=f"unit {number}", asn=4_200_000_000 + number,
        router_id=f"10.255.0.{number}", loopback=f"10.255.0.{number}", aggregate=f"172.16.{number}.0/27",
        management=f"192.168.1.{number}", management_len=16, management_gateway="192.168.0.1",
        state="", reason="", mac="", serial="", ports=ports,
    )  # fmt: skip
    return replace(switch, **changes)


def make_host(number: int = 1) -> Host:
    """A host with two rails."""
    shapes = [
        RailShape(RailPlace(at, pci, "", "", 0), f"rail{at}", f"roce_r{at}", 101 + at, 9100, 400, 3.0, pci, LINK)
        for at, pci in enumerate(("0000:00:00.0", "0000:01:00.0"))
    ]
    group = HostGroup(
        name="gpu", server="box", nic="card", os="tux", nic_family="card", name_pattern="gpu-{host}", units=(),
        per_unit=1, per_unit_reserved=1, rails=(), gpus=8, hardware=Hardware(), slot_base=0, slots_per_host=1,
        link=LinkGroup(LINK, -1, 0, 400, 4, 1, "dac", 3, 9100, "mesh", 1, 1, Numbering(0, Coordinates())),
        rails_per_leaf=1,
    )  # fmt: skip
    collectives = contract.Collectives(4, False, 20, 7, "eno1", 26, ())
    cls = model.HostClass("gpu", "toy", group, tuple(shapes), "172.16.0.0/12", CONTRACT, collectives)
    rails = [
        Rail(shape, f"172.16.{number}.{2 * at + 1}", f"172.16.{number}.{2 * at}", f"leaf-u001-r{at}", "Ethernet0", "")
        for at, shape in enumerate(shapes)
    ]
    return Host(cls, f"gpu-u001-h{number:02}", "unit 1", "", "", "", rails)


@dataclass(frozen=True)
class Toy(Platform):
    """A platform with a view module, or without one."""

    module: ViewModule | None = None

    def view(self) -> ViewModule | None:
        return self.module


def make_platform(
    root: Path,
    outputs: Mapping[str, Sequence[tuple[str, str]]],
    name: str = "toy",
    kind: str = "switch",
    view: ViewModule | None = None,
) -> PlatformSpec:
    """Write templates, each (scope, text), of the paths on the device; a path that ends in ``.json`` is JSON."""
    folder = root / kind / name
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for at, (path, parts) in enumerate(outputs.items()):
        named = []
        for number, (scope, text) in enumerate(parts):
            template = f"{at}-{number}-{scope}.j2"
            (folder / template).write_text(text)
            named.append(TemplatePart(f"{kind}/{name}/{template}", scope))
        listed.append(Output(path, "json" if path.endswith(".json") else "text", 0o640, tuple(named)))
    nothing = RECORDS[kind](**{key: field.nothing for key, field in fields_of(kind).items()})
    spec = PlatformSpec(name, kind, "1", tuple(listed), nothing, Toy(view))
    return spec._replace(folder=f"{kind}/{name}", root=str(root))
