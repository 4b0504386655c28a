"""A fabric of four switches and two hosts, written out by hand-made rules: the reader's own test object.

Two leafs (one per rail), two spines, two links per pair, two hosts with two rails. Nothing of the product is used,
so that a tree that the reader accepts is known to be right by another way.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Tree = dict[str, str]
"""Text by path inside the tree."""

LEAFS = ("leaf-1", "leaf-2")
SPINES = ("spine-1", "spine-2")
HOSTS = ("gpu-1", "gpu-2")
PAIR = 2
ASN = {"leaf-1": 4200001001, "leaf-2": 4200001002, "spine-1": 4200000001, "spine-2": 4200000001}
LOOPBACK = {"leaf-1": "10.255.1.1", "leaf-2": "10.255.1.2", "spine-1": "10.255.0.1", "spine-2": "10.255.0.2"}
AGGREGATE = {"leaf-1": "172.16.0.0/29", "leaf-2": "172.16.0.8/29"}
BDF = ("0000:1a:00.0", "0000:3c:00.0")
PRIORITY = {26: 3, 46: 6, 48: 7, 56: 7}


def _cables() -> list[tuple[str, str, str, str, str, str]]:
    """Every cable: lower device, port, address, upper device, port, address."""
    found = []
    for number, leaf in enumerate(LEAFS):
        for host_number, host in enumerate(HOSTS):
            base = 8 * number + 2 * host_number
            port = f"Ethernet{8 * host_number}"
            found.append((host, f"rail{number}", f"172.16.0.{base + 1}", leaf, port, f"172.16.0.{base}"))
        for spine_number, spine in enumerate(SPINES):
            for parallel in range(PAIR):
                position = spine_number * PAIR + parallel
                base = 2 * (number * len(SPINES) * PAIR + position)
                up, down = f"Ethernet{64 + 8 * position}", f"Ethernet{8 * (number * PAIR + parallel)}"
                found.append((leaf, up, f"10.0.0.{base + 1}", spine, down, f"10.0.0.{base}"))
    return found


def _ports(name: str) -> list[tuple[str, str, str, str, str]]:
    """Used ports of a switch: port, own address, peer, peer's port, peer's address."""
    found = []
    for lower, lower_port, lower_address, upper, upper_port, upper_address in _cables():
        if lower == name:
            found.append((lower_port, lower_address, upper, upper_port, upper_address))
        if upper == name:
            found.append((upper_port, upper_address, lower, lower_port, lower_address))
    return found


def _qos(ports: list[str]) -> dict[str, Any]:
    same = {str(n): str(n) for n in range(8)}
    row = {
        "dscp_to_tc_map": "ROCE", "tc_to_queue_map": "ROCE", "tc_to_pg_map": "ROCE", "pfc_to_queue_map": "ROCE",
        "pfc_enable": "3", "pfcwd_sw_enable": "3",
    }  # fmt: skip
    wred = {"ecn": "ecn_all", "wred_green_enable": "true", "green_drop_probability": "5"}
    scheduler = {0: "best-effort", 3: "roce", 6: "strict", 7: "strict"}
    return {
        "DSCP_TO_TC_MAP": {"ROCE": {str(d): str(PRIORITY.get(d, 0)) for d in range(64)}},
        "TC_TO_QUEUE_MAP": {"ROCE": dict(same)},
        "TC_TO_PRIORITY_GROUP_MAP": {"ROCE": {str(n): "3" if n == 3 else "0" for n in range(8)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"ROCE": dict(same)},
        "PORT_QOS_MAP": {port: dict(row) for port in ports},
        "SCHEDULER": {
            "best-effort": {"type": "DWRR", "weight": "5"},
            "roce": {"type": "DWRR", "weight": "95"},
            "strict": {"type": "STRICT"},
        },
        "WRED_PROFILE": {"ROCE": {**wred, "green_min_threshold": "1000000", "green_max_threshold": "2000000"}},
        "QUEUE": {
            f"{port}|{queue}": {"scheduler": kind, **({"wred_profile": "ROCE"} if queue == 3 else {})}
            for port in ports
            for queue, kind in scheduler.items()
        },
        "BUFFER_POOL": {"lossless": {"size": "1000000", "type": "ingress", "mode": "dynamic", "xoff": "100000"}},
        "BUFFER_PROFILE": {
            "headroom": {"pool": "lossless", "size": "1000", "xon": "0", "xoff": "400000", "dynamic_th": "0"},
            "lossy": {"pool": "lossless", "size": "0", "dynamic_th": "0"},
        },
        "BUFFER_PG": {
            f"{port}|{group}": {"profile": "headroom" if group == 3 else "lossy"} for port in ports for group in (0, 3)
        },
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "200"},
            **{p: {"action": "drop", "detection_time": "200", "restoration_time": "400"} for p in ports},
        },
    }  # fmt: skip


def config_db(name: str) -> dict[str, Any]:
    """The switch's configuration database; one port beyond the used ones is down."""
    used = _ports(name)
    port = {"speed": "400000", "fec": "rs", "mtu": "9100", "lanes": "1,2,3,4"}
    ports = {p: {**port, "admin_status": "up", "description": f"{peer}:{far}"} for p, _, peer, far, _ in used}
    number = (LEAFS + SPINES).index(name)
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": name, "bgp_asn": str(ASN[name]), "bgp_router_id": LOOPBACK[name],
                "docker_routing_config_mode": "split-unified",
            }
        },
        "PORT": {**ports, "Ethernet504": {**port, "admin_status": "down"}},
        "LOOPBACK_INTERFACE": {"Loopback0": {}, f"Loopback0|{LOOPBACK[name]}/32": {}},
        "MGMT_INTERFACE": {f"eth0|192.168.0.{10 + number}/24": {"gwaddr": "192.168.0.1"}},
        "INTERFACE": {key: {} for p, address, *_ in used for key in (p, f"{p}|{address}/31")},
        "DEVICE_NEIGHBOR": {p: {"name": peer, "port": far, "local_port": p} for p, _, peer, far, _ in used},
        "FEATURE": {"sflow": {"state": "enabled"}},
        "SFLOW": {"global": {"admin_state": "up", "agent_id": "eth0"}},
        "SFLOW_COLLECTOR": {"collector": {"collector_ip": "192.0.2.10", "collector_vrf": "mgmt"}},
        "SFLOW_SESSION": {
            **{p: {"admin_state": "up", "sample_rate": "50000"} for p, *_ in used}, "all": {"admin_state": "down"},
        },
        "SWITCH_HASH": {"GLOBAL": {"ecmp_hash_algorithm": "CRC" if name in LEAFS else "CRC_32LO"}},
        **_qos([p for p, *_ in used]),
    }  # fmt: skip


def frr_conf(name: str) -> str:
    aggregate = AGGREGATE.get(name)
    lines = ["frr defaults datacenter", f"hostname {name}", "!"]
    lines += [f"ip route {aggregate} blackhole"] if aggregate else []
    lines += [
        "ip prefix-list FABRIC seq 5 permit 10.255.0.0/16 ge 32",
        "ip prefix-list FABRIC seq 10 permit 172.16.0.0/24 ge 29 le 29",
        *(
            f"ip prefix-list FROM_{leaf} permit {prefix}"
            for leaf in LEAFS
            if name not in LEAFS
            for prefix in (f"{LOOPBACK[leaf]}/32", AGGREGATE[leaf])
        ),
        "route-map FABRIC permit 10",
        " match ip address prefix-list FABRIC",
        "exit",
        f"router bgp {ASN[name]}",
        f" bgp router-id {LOOPBACK[name]}",
        " no bgp default ipv4-unicast",
        " bgp bestpath as-path multipath-relax",
        " neighbor FABRIC peer-group",
        " neighbor FABRIC bfd",
    ]
    for _, _, peer, _, address in _ports(name):
        if peer in ASN:
            lines += [
                f" neighbor {address} remote-as {ASN[peer]}",
                f" neighbor {address} peer-group FABRIC",
                f" neighbor {address} description {peer}",
            ]
    lines += [" address-family ipv4 unicast", f"  network {LOOPBACK[name]}/32"]
    lines += [f"  network {aggregate}"] if aggregate else []
    lines += [
        "  neighbor FABRIC activate",
        "  neighbor FABRIC route-map FABRIC in",
        "  neighbor FABRIC route-map FABRIC out",
        *(
            f"  neighbor {address} prefix-list FROM_{peer} in"
            for _, _, peer, _, address in _ports(name)
            if name not in LEAFS and peer in LEAFS
        ),
        "  maximum-paths 16",
        " exit-address-family",
        "exit",
    ]
    return "\n".join(lines) + "\n"


def netplan(name: str) -> str:
    lines = ["network:", "  version: 2", "  ethernets:"]
    for host, rail, address, leaf, port, gateway in _cables():
        if host != name:
            continue
        table = 101 + int(rail[-1])
        lines += [
            f"    # to {leaf} {port}",
            f"    {rail}:",
            "      mtu: 9100",
            f"      addresses: [{address}/31]",
            "      routes:",
            f"      - {{to: 172.16.0.0/12, via: {gateway}, table: {table}}}",
            "      - {to: 172.16.0.0/12, type: unreachable, metric: 2147483647}",
            "      routing-policy:",
            f"      - {{from: {address}/32, table: {table}, priority: {table}}}",
        ]
    return "\n".join(lines) + "\n"


def roce_script() -> str:
    """The host's run-time QoS, for NVIDIA's tools and files or for those of Linux."""
    own = "".join(f" --dscp2prio set,{d},{PRIORITY.get(d, 0)}" for d in range(64))
    linux = "".join(f" {d}:{PRIORITY.get(d, 0)}" for d in range(64))
    text = (Path(__file__).parent / "right/fabricgen-roce").read_text()
    return text.replace("OWN", own).replace("LINUX", linux)


def host_files(name: str) -> Tree:
    udev = "".join(
        f'ACTION=="add", SUBSYSTEM=="net", KERNELS=="{bdf}", NAME="rail{n}"\n'
        f'ACTION=="add", SUBSYSTEM=="infiniband", KERNELS=="{bdf}", PROGRAM="rdma_rename %k NAME_FIXED roce_r{n}"\n'
        for n, bdf in enumerate(BDF)
    )
    nets = "".join(
        f'<pci busid="{bdf}"><nic><net name="roce_r{n}" dev="{n}" speed="400000"/></nic></pci>'
        for n, bdf in enumerate(BDF)
    )
    keys = "CNP_DSCP_P1=46 CNP_802P_PRIO_P1=6 ROCE_CC_PRIO_MASK_P1=8"
    return {
        "etc/netplan/60-fabricgen.yaml": netplan(name),
        "etc/sysctl.d/60-fabricgen.conf": "".join(
            f"net.ipv4.conf.all.{k} = {v}\n" for k, v in (("arp_ignore", 1), ("arp_announce", 2), ("rp_filter", 2))
        )
        + "".join(
            f"net.{where}.accept_redirects = 0\n"
            for where in ("ipv4.conf.all", *(f"ip{f}.conf.rail{n}" for n in range(2) for f in ("v4", "v6")))
        ),
        "etc/lldpd.d/60-fabricgen.conf": "configure system hostname .\nconfigure lldp portidsubtype ifname\n",
        "etc/environment.d/60-fabricgen-rdma.conf": "UCX_IB_TRAFFIC_CLASS=106\nNVSHMEM_IB_TRAFFIC_CLASS=104\n",
        "etc/profile.d/fabricgen-rdma.sh": "set -a\n. /etc/environment.d/60-fabricgen-rdma.conf\nset +a\n",
        "etc/udev/rules.d/60-fabricgen.rules": udev,
        "etc/systemd/system/fabricgen-roce.service": (
            "[Unit]\nDescription=RoCE\n[Service]\nType=oneshot\nExecStart=/bin/sh /usr/local/sbin/fabricgen-roce\n"
        ),
        "usr/local/sbin/fabricgen-roce": roce_script(),
        "usr/local/sbin/fabricgen-mlxconfig": "#!/bin/sh\n"
        + "".join(f"mlxconfig -d {bdf} -y set {keys}\n" for bdf in BDF),
        "etc/nccl.conf": "NCCL_IB_HCA==roce_r0,roce_r1\nNCCL_IB_TC=104\nNCCL_SOCKET_IFNAME==eno1\n"
        "NCCL_TOPO_FILE=/etc/fabricgen/nccl-topo.xml\n",
        "etc/fabricgen/nccl-topo.xml": f'<system version="1"><cpu numaid="0">{nets}</cpu></system>\n',
    }


def miniature() -> Tree:
    found: Tree = {}
    for name in LEAFS + SPINES:
        found[f"switches/{name}/etc/sonic/config_db.json"] = json.dumps(config_db(name), indent=1) + "\n"
        found[f"switches/{name}/etc/sonic/frr/frr.conf"] = frr_conf(name)
    for name in HOSTS:
        found |= {f"hosts/{name}/{path}": text for path, text in host_files(name).items()}
    return found


def write(tree: Tree, out: Path) -> None:
    for path, text in tree.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
