"""A small fabric by hand: a leaf, a spine and a core on eight cages of a Dell Z9864F."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.device.model import FabricPrefixes, Port, PortShape, Release, Switch, SwitchClass
from fabricgen.plan.model.buffers import Buffers, PgProfile, Pool, Profile
from fabricgen.plan.model.contract import (
    Access,
    Contract,
    EcnThresholds,
    Gnmi,
    RoutingPolicy,
    Services,
    TrafficClass,
    Watchdog,
)
from fabricgen.plan.model.topology import CageMode

FIRST_LANE = {1: 1, 2: 17, 3: 33, 4: 49, 5: 65, 6: 81, 7: 97, 8: 113}
SOURCE = "sonic-net/sonic-buildimage 086b03bd, device/dell/x86_64-dell_z9864f-r0/Dell-Z9864f-O64"
COMMUNITY = "@fabricgen-secret:env:SNMP_COMMUNITY@"
TACACS_KEY = "@fabricgen-secret:file:secrets/tacacs.key@"

CLASSES = (
    TrafficClass("default", (), 0, 0, lossless=False, strict=False, weight_pct=5),
    TrafficClass("roce", (26,), 3, 3, lossless=True, strict=False, weight_pct=95),
    TrafficClass("cnp", (46,), 6, 0, lossless=False, strict=True, weight_pct=0),
    TrafficClass("control", (48, 56), 7, 0, lossless=False, strict=True, weight_pct=0),
)
WATCHDOG = Watchdog(detection_ms=200, restoration_ms=400, poll_ms=200, action="drop")
ECN = (EcnThresholds("roce_400g", 400, 1048576, 2097152, 5, "stock 400G profile"),)
BUFFERS = Buffers(
    pools=(
        Pool("ingress_lossless_pool", "ingress", "dynamic", 162539680, 33374584),
        Pool("egress_lossless_pool", "egress", "static", 162539680, None),
    ),
    profiles=(
        Profile("ingress_lossy_profile", "ingress_lossless_pool", 0, None, 165867080),
        Profile("egress_lossless_profile", "egress_lossless_pool", 0, None, 165867080),
        Profile("egress_lossy_profile", "egress_lossless_pool", 1778, 0, None),
    ),
    headroom=(
        PgProfile("pg_lossless_400000_5m_profile", 400, 5, 18796, 0, 3556, 393192, 0, SOURCE),
        PgProfile("pg_lossless_400000_40m_profile", 400, 40, 18796, 0, 3556, 446024, 0, SOURCE),
    ),
    source=SOURCE,
)
ROUTING = RoutingPolicy(
    bfd_upper=True,
    bfd_lower=True,
    bfd_multiplier=3,
    bfd_interval_ms=300,
    keepalive_s=3,
    hold_s=9,
    connect_s=10,
    max_paths=64,
    max_prefixes=512,
    hash_fields=("five_tuple",),
    hash_rank=0,
    load_balancing="static",
)
GNMI = Gnmi(
    port=8080,
    server_crt="/etc/sonic/telemetry/switch.cer",
    server_key="/etc/sonic/telemetry/switch.key",
    ca_crt="/etc/sonic/telemetry/collectors.cer",
    clients=("collector-a.example.net", "collector-b.example.net"),
)
SERVICES = Services(
    ntp=("192.168.0.10", "192.168.0.11"),
    syslog=("192.168.0.12",),
    dns=("192.168.0.13",),
    snmp_community=COMMUNITY,
    snmp_location='hall 2, "row 9"',
    snmp_contact="netops@example.net",
    tacacs=("192.168.0.14", "192.168.0.15"),
    tacacs_key=TACACS_KEY,
    users=(),
    timezone="Europe/Berlin",
    access=Access(True, ("10.200.0.0/24", "192.168.0.0/16"), ("2001:db8:1::/48",)),
    gnmi=GNMI,
)
PREFIXES = FabricPrefixes("10.255.0.0/16", 32, "172.16.0.0/12", 24, fabric_links="10.0.0.0/12")


def contract(mode: str = "dcqcn", classes: tuple[TrafficClass, ...] = CLASSES) -> Contract:
    """The contract of those classes; code points that nobody names belong to the first class."""
    by_dscp = {dscp: cls.priority for cls in classes for dscp in cls.dscp}
    lossless = tuple(cls.priority for cls in classes if cls.lossless) if mode != "ecn_only" else ()
    return Contract(mode, classes, tuple(by_dscp.get(dscp, classes[0].priority) for dscp in range(64)), lossless, "")


def halves(cage: int, side: str, link: str, used: tuple[bool, bool], length_m: float, row_m: int) -> list[PortShape]:
    """The two 400G ports of a cage that is broken out."""
    first = FIRST_LANE[cage]
    return [
        PortShape(
            name=f"Ethernet{8 * (cage - 1) + 4 * half}",
            alias=f"etp{cage}{'ab'[half]}",
            cage=cage,
            subport=half + 1,
            lanes=tuple(range(first + 4 * half, first + 4 * half + 4)),
            speed_gbps=400,
            fec="rs",
            autoneg="off",
            side=side,
            position=2 * cage + half,
            link=link,
            used=used[half],
            mtu_bytes=9216,
            length_m=length_m if used[half] else 0,
            headroom=BUFFERS.headroom_for(400, row_m) if used[half] else None,
            ecn="roce_400g" if used[half] else "",
        )
        for half in (0, 1)
    ]


def idle(cage: int, name: str, lanes: tuple[int, ...], speed_gbps: int) -> PortShape:
    """A port that no link will ever use."""
    fec = "rs" if speed_gbps > 25 else "none"
    return PortShape(
        name, f"etp{cage}", cage, 0, lanes, speed_gbps, fec, "off", "", -1, "", False, 9216, 0, None, "",
    )  # fmt: skip


def spare_ports() -> list[PortShape]:
    """Cages 3 to 6 at native speed."""
    return [
        idle(cage, f"Ethernet{8 * (cage - 1)}", tuple(range(FIRST_LANE[cage], FIRST_LANE[cage] + 8)), 800)
        for cage in range(3, 7)
    ]


def service_ports() -> list[PortShape]:
    """The two management ports of the box."""
    return [idle(65, "Ethernet512", (515,), 25), idle(66, "Ethernet513", (516,), 25)]


def switch_class(role: str, ports: list[PortShape], upper: bool) -> SwitchClass:
    """A class of switches with these ports."""
    broken_out = sorted({port.cage for port in ports if port.side})
    return SwitchClass(
        key=role,
        fabric="quickstart",
        tier=role,
        role=role,
        has_upper=upper,
        model="dell_z9864f",
        release=Release("202605", schema="version_202605_01"),
        platform="sonic",
        board="x86_64-dell_z9864f-r0",
        sku="Dell-Z9864f-O64",
        sku_is_exact=False,
        ports=tuple(ports),
        modes=tuple(CageMode(cage, f"Ethernet{8 * (cage - 1)}", "2x400G(8)") for cage in broken_out),
        contract=contract(),
        watchdog=WATCHDOG,
        buffers=BUFFERS,
        ecn=ECN,
        routing=replace(ROUTING, hash_rank=("leaf", "spine", "core").index(role)),
        services=SERVICES,
        prefixes=PREFIXES,
    )


def leaf_class() -> SwitchClass:
    """Three hosts on cages 1 and 2, four uplinks on cages 7 and 8."""
    return switch_class(
        "leaf",
        [
            *halves(1, "down", "host-leaf", (True, True), 3, 5),
            *halves(2, "down", "host-leaf", (True, False), 3, 5),
            *spare_ports(),
            *halves(7, "up", "leaf-spine", (True, True), 30, 40),
            *halves(8, "up", "leaf-spine", (True, True), 30, 40),
            *service_ports(),
        ],
        upper=True,
    )


def spine_class() -> SwitchClass:
    """Four links down on cages 1 and 2, two up on cage 8."""
    return switch_class(
        "spine",
        [
            *halves(1, "down", "leaf-spine", (True, True), 30, 40),
            *halves(2, "down", "leaf-spine", (True, True), 30, 40),
            *spare_ports(),
            *halves(8, "up", "spine-core", (True, True), 40, 40),
            *service_ports(),
        ],
        upper=True,
    )


def core_class() -> SwitchClass:
    """Two links down on cage 1."""
    ports = [*halves(1, "down", "spine-core", (True, True), 40, 40), *spare_ports(), *service_ports()]
    return switch_class("core", ports, upper=False)


def switch(cls: SwitchClass, hostname: str, asn: int, number: int, ports: list[Port], aggregate: str = "") -> Switch:
    """A switch of the class."""
    return Switch(
        cls=cls,
        hostname=hostname,
        place="unit 1" if cls.role == "leaf" else "",
        asn=asn,
        router_id=f"10.255.0.{number}",
        loopback=f"10.255.0.{number}",
        management=f"192.168.1.{number}",
        management_len=16,
        management_gateway="192.168.0.1",
        aggregate=aggregate,
        state="",
        reason="",
        mac="",
        serial="",
        ports=ports,
    )


def leaf(cls: SwitchClass | None = None) -> Switch:
    """The first leaf."""
    cls = cls or leaf_class()
    used = [shape for shape in cls.ports if shape.used]
    hosts = [
        Port(shape, f"gpu-u001-h{at + 1:02}", "rail0", f"172.16.0.{2 * at}", f"172.16.0.{2 * at + 1}", 0)
        for at, shape in enumerate(shape for shape in used if shape.side == "down")
    ]
    spines = [
        Port(shape, f"spine-{at // 2 + 1:02}", f"Ethernet{4 * (at % 2)}", f"10.0.0.{2 * at + 1}", f"10.0.0.{2 * at}",
             4200001000)
        for at, shape in enumerate(shape for shape in used if shape.side == "up")
    ]  # fmt: skip
    return switch(cls, "leaf-u001-r0", 4200000001, 1, [*hosts, *spines], "172.16.0.0/24")


def spine(cls: SwitchClass | None = None) -> Switch:
    """The first spine."""
    cls = cls or spine_class()
    used = [shape for shape in cls.ports if shape.used]
    leafs = [
        Port(shape, f"leaf-u00{at // 2 + 1}-r0", f"Ethernet{48 + 4 * (at % 2)}", f"10.0.{at // 2}.{2 * (at % 2)}",
             f"10.0.{at // 2}.{2 * (at % 2) + 1}", 4200000001 + at // 2)
        for at, shape in enumerate(shape for shape in used if shape.side == "down")
    ]  # fmt: skip
    cores = [
        Port(shape, f"core-0{at + 1}", "Ethernet0", f"10.1.0.{2 * at + 1}", f"10.1.0.{2 * at}", 4200002000)
        for at, shape in enumerate(shape for shape in used if shape.side == "up")
    ]
    return switch(cls, "spine-01", 4200001000, 11, [*leafs, *cores])


def core(cls: SwitchClass | None = None) -> Switch:
    """The first core."""
    cls = cls or core_class()
    used = [shape for shape in cls.ports if shape.used]
    spines = [
        Port(shape, f"spine-0{at + 1}", "Ethernet56", f"10.1.{at}.0", f"10.1.{at}.1", 4200001000)
        for at, shape in enumerate(used)
    ]
    return switch(cls, "core-01", 4200002000, 21, spines)


def spectrum(cls: SwitchClass) -> SwitchClass:
    """The same class on a Spectrum-4 board, with the pools and profiles its vendor ships and headroom it computes."""
    computed = "sonic-net/sonic-swss e6b0c5b5, cfgmgr/buffer_headroom_mellanox.lua"
    buffers = Buffers(
        pools=(
            Pool("ingress_lossless_pool", "ingress", "dynamic", 67737959, None, computed=True),
            Pool("ingress_lossy_pool", "ingress", "dynamic", 67737959, None, computed=True),
            Pool("egress_lossless_pool", "egress", "dynamic", 158229504, None),
            Pool("egress_lossy_pool", "egress", "dynamic", 67737959, None, computed=True),
        ),
        profiles=(
            Profile("ingress_lossless_profile", "ingress_lossless_pool", 0, 7, None),
            Profile("ingress_lossy_profile", "ingress_lossy_pool", 0, 3, None),
            Profile("egress_lossless_profile", "egress_lossless_pool", 0, 7, None),
            Profile("egress_lossy_profile", "egress_lossy_pool", 9216, 7, None),
            Profile("q_lossy_profile", "egress_lossy_pool", 0, 3, None),
        ),
        headroom=(
            PgProfile("pg_lossless_400000_5m_profile", 400, 5, 117760, 19456, None, 98304, 0, computed, 4, 9100),
            PgProfile("pg_lossless_400000_40m_profile", 400, 40, 139264, 19456, None, 119808, 0, computed, 4, 9100),
        ),
        source="sonic-net/sonic-buildimage 086b03bd, device/mellanox/x86_64-nvidia_sn5600-r0/ACS-SN5600",
        computed=True,
        traffic_mtu_bytes=1024,
        small_packet_pct=50,
    )
    return replace(cls, board="x86_64-nvidia_sn5600-r0", sku="ACS-SN5600", buffers=buffers)
