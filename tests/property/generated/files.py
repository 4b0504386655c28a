"""The files of an inventory beside what its intent says: snippets, assets, a job, and a catalog of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .hardware import SERVERS
from .model import Model
from .records import Data

SNIPPETS = {
    "snippets/one.json": '{"FEATURE": {"dhcp_relay": {"state": "disabled", "auto_restart": "enabled"}}}\n',
    "snippets/two.json": '{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo"}}}\n',
    "snippets/frr.conf": "ip prefix-list LABORATORY seq 5 permit 198.51.100.0/24 le 32\n",
}
NIC = """id: {name}
source: "none: a NIC of this test"
family: mlx5
vendor: nvidia
ports: {ports}
lanes: {{400G: 4, 200G: 2 4, 100G: 1 2 4}}
mtu_max_bytes: 9978
pci_vendor: "0x15b3"
pci_device: "0x1021"
"""
NICS = {"two_ports": 2, "four_ports": 4, "eight_ports": 8}
SERVER = """id: own_server
source: "none: a server of this test"
gpus: 4
gpu_vendor: nvidia
nvlink_hosts: 4
gpu_sm: 90
pcie_gen: 5
nvlink_gbytes_s: 900
numa_nodes: 2
cpu_vendor: GenuineIntel
rails:
  - {nic: "0000:18:00.0", gpu: "0000:1b:00.0", switch: "0000:16:00.0", numa: 0}
  - {nic: "0000:9a:00.0", gpu: "0000:9d:00.0", switch: "0000:98:00.0", numa: 1}
"""
SWITCH = """id: own_switch
source: "none: a switch of this test"
asic: tomahawk5
platforms: [sonic, frr, eos, cumulus_nvue]
boards: {x86_64-own-r0: {default_sku: Own-O96, default_topology: t1}}
cages:
  - index: 1-48
    base: {start: 0, step: 8}
    lanes: 8
    first_lane: {start: 1, step: 8}
    native_gbps: 800
    modes:
      1x800G: etp{i}
      2x400G: etp{i}a etp{i}b
      4x200G: etp{i}a etp{i}b etp{i}c etp{i}d
skus:
  Own-O96:
    modes:
      2x400G: 1-48
buffers:
  - skus: {Own-O96: t0 t1}
    pools:
      ingress_lossless_pool: {kind: ingress, mode: dynamic, size_bytes: 150000000, xoff_bytes: 29000000}
      egress_lossless_pool: {kind: egress, mode: static, size_bytes: 150000000}
    profiles:
      ingress_lossy_profile: {pool: ingress_lossless_pool, size_bytes: 0, static_th_bytes: 150000000}
      egress_lossless_profile: {pool: egress_lossless_pool, size_bytes: 0, static_th_bytes: 150000000}
      egress_lossy_profile: {pool: egress_lossless_pool, size_bytes: 0, dynamic_th: 2}
headroom:
  - skus: [Own-O96]
    columns: speed_gbps row_m size_bytes xon_bytes xoff_bytes dynamic_th xon_offset_bytes
    rows:
      - 200 5 9144 9144 165000 0 9144
      - 200 300 9144 9144 350000 0 9144
      - 400 5 9144 9144 225000 0 9144
      - 400 40 9144 9144 425000 0 9144
      - 400 300 9144 9144 750000 0 9144
      - 800 5 9144 9144 400000 0 9144
      - 800 300 9144 9144 1500000 0 9144
ecn_profiles: {200G: sonic_default, 400G: sonic_default, 800G: sonic_default}
"""
BOARD = """# Stands for the chip section that the maker of a box ships.
asicConfig:
  common:
    yamlConfig: |
      ---
      device:
        0:
          TM_THD_CONFIG:
            THRESHOLD_MODE: LOSSY_AND_LOSSLESS
            SKIP_BUFFER_RESERVATION: 1
"""
JOB = {"model": {"parameters_billion": 7, "layers": 32, "hidden": 4096}}
OVERLAY = "site"


def write_inventory(folder: Path, data: Data, overlay: Data) -> None:
    """An inventory with hardware that nobody sells; what the overlay says is not in the intent itself."""
    texts = {**SNIPPETS, "board.yaml": BOARD}
    texts |= {f"catalog/nics/{name}.yaml": NIC.format(name=name, ports=ports) for name, ports in NICS.items()}
    texts |= {"catalog/servers/own_server.yaml": SERVER, "catalog/switches/own_switch.yaml": SWITCH}
    texts["fabric.yaml"] = json.dumps({**data, **_otherwise(data)} if overlay else data, indent=1)
    if overlay:
        texts[f"overlays/{OVERLAY}.yaml"] = json.dumps(overlay, indent=1)
    if "assets" in data:
        texts[data["assets"]] = "\n".join(_assets(Model(data))) + "\n"
    if "workload" in data:
        texts[data["workload"]] = json.dumps(_job(data))
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _otherwise(data: Data) -> Data:
    """Return what an intent says before its overlay says otherwise."""
    return {
        "units": 7,
        "links": {name: {"speed": "100G"} for name in data["links"]},
        "lossless": {"headroom": {"pool_oversubscription_max": 2}},
        **({"collectives": {"qps_per_connection": 2}} if "collectives" in data else {}),
    }


def _job(data: Data) -> dict[str, Any]:
    """A small job on the first hosts."""
    return JOB | {
        "name": "small",
        "hosts": ["gpu"],
        "parallelism": {"tensor": 2, "data": 2},
        "step": {"sequences": 64, "sequence_tokens": 4096, "seconds": 60},
    }


def _assets(model: Model) -> Iterator[str]:
    """Serial numbers of all, and where the NICs of servers are that nobody sells as such."""
    yield "hostname,serial,mac,rail,pci"
    for at, name in enumerate(model.switches):
        yield f"{name},SN-{at},02:00:00:00:{at // 256:02x}:{at % 256:02x},,"
    for at, (name, host) in enumerate(model.hosts.items()):
        yield f"{name},SN-H{at},,,"
        server = SERVERS[model.data["hosts"][host.group]["server"]]
        for rail in range(server.rails) if not server.has_map else ():
            yield f"{name},,,{rail},0000:{26 + rail:02x}:00.0"
