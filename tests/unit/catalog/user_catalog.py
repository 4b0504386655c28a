"""Shared by the catalog tests: a user's own catalog folder, and what loading from it says."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath

NAMED_AT: IntentPath = ("tiers", "leaf", "model")

SWITCH = """\
    # A small switch.
    id: tiny
    source: made up for a test
    asic: tomahawk5
    platforms: [sonic]
    boards: {x86_64-tiny: {default_sku: Tiny-O4, default_topology: t0}}
    cages:
      - index: 1-4
        base: {start: 0, step: 8}
        lanes: 8
        first_lane: 1 9 17 25
        native_gbps: 800
        modes:
          1x800G: etp{i}
          2x400G: etp{i}a etp{i}b
    skus:
      Tiny-O4:
        modes: {2x400G: 1-4}
        fec: {400G: rs}
    buffers:
      - skus: {Tiny-O4: t0}
        pools:
          ingress_lossless_pool: {kind: ingress, mode: dynamic, size_bytes: 1000000, xoff_bytes: 1000}
        profiles:
          ingress_lossy_profile: {pool: ingress_lossless_pool, size_bytes: 0, dynamic_th: 3}
    headroom:
      - skus: [Tiny-O4]
        columns: speed_gbps row_m size_bytes xon_bytes xoff_bytes dynamic_th
        rows:
          - 400 5 1000 0 5000 0
          - 400 40 1000 0 6000 0
    ecn_profiles: {400G: sonic_th5_400g, 800G: sonic_default}
    """

NIC = """\
    # A NIC.
    id: mynic
    source: made up for a test
    family: mlx5
    vendor: nvidia
    ports: 1
    lanes: {400G: 4}
    mtu_max_bytes: 9000
    pci_vendor: "0x15b3"
    pci_device: "0x1021"
    """

SERVER = """\
    # A server.
    id: myserver
    source: made up for a test
    gpus: 2
    gpu_vendor: nvidia
    pcie_gen: 5
    numa_nodes: 2
    cpu_vendor: GenuineIntel
    rails:
      - {nic: "0000:18:00.0", gpu: "0000:1b:00.0", numa: 0}
      - {nic: "0000:40:00.0", gpu: "0000:43:00.0", numa: 1}
    """


def write(folder: Path, kind: str, name: str, text: str) -> Path:
    path = folder / kind / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))
    return path


def load(extra: Path | None, **names: str) -> tuple[Catalog, list[Diagnostic]]:
    """Load one name per given kind (``switch``, ``nic``, ``server``, ``ecn``) and return what was said."""
    bag = Bag()

    def named(kind: str) -> dict[str, Any]:
        return {names[kind]: NAMED_AT} if kind in names else {}

    catalog = load_catalog(
        switches=named("switch"),
        nics=named("nic"),
        servers=named("server"),
        ecn_profiles=named("ecn"),
        own=() if extra is None else (OwnFolder(extra, extra.parent),),
        bag=bag,
    )
    return catalog, list(bag)
