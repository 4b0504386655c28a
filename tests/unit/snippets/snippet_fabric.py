"""Small fabrics of each platform with snippets laid over their spines."""

from __future__ import annotations

from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.compiler.positions import place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic

INTENT = """\
fabric: small
hosts: {{server: dgx_h100_8, nic: connectx7_400g, per_unit: 2}}
units: {{count: 2, max: 4}}
attachment: {{rails_per_leaf: 4}}
tiers:
  leaf: {{model: {model}, platform: {platform}{board}}}
  spine: {{model: {model}, platform: {platform}{board}, per: fabric, count: 2}}
links:
  host-leaf: {{speed: 400G, cable: {{media: dac, length_m: 3}}}}
  leaf-spine: {{speed: 400G, per_pair: 2, cable: {{media: smf, length_m: 30}}}}
addressing:
  {{loopbacks: 10.255.0.0/16, fabric_links: 10.0.0.0/12, host_links: 172.16.0.0/12, management: 192.168.0.0/16}}
exceptions:
"""
MODELS = {
    "sonic": "dell_z9864f",
    "eos": "arista_7060x6_64pe",
    "frr": "arista_7060x6_64pe",
    "fboss": "meta_minipack3",
    "cumulus_nvue": "nvidia_sn5600",
}
BOARD = "asicConfig: {common: {yamlConfig: 'mmu_lossless: 2, THRESHOLD_MODE: LOSSY_AND_LOSSLESS'}}\n"
FIRST = len(INTENT.splitlines()) + 2
"""Line of the intent that names the first spine's snippet."""


def write_fabric(folder: Path, platform: str, file: str, *texts: str | bytes) -> Path:
    """Write an inventory whose spines have a snippet each."""
    board = ", board_data: board.yaml" if platform == "fboss" else ""
    intent = INTENT.format(model=MODELS[platform], platform=platform, board=board)
    for number, text in enumerate(texts, 1):
        name = f"snippets/{number}/{file}"
        intent += f"  - device: spine-0{number}\n    raw: {{{platform}: {name}}}\n    reason: a vendor case\n"
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "fabric.yaml").write_text(intent)
    (folder / "board.yaml").write_text(BOARD)
    return folder


NAMES = [f"leaf-u00{unit}-r{first}" for unit in (1, 2) for first in (0, 4)] + ["spine-01", "spine-02"]
PLAIN = '{"SYSLOG_SERVER": {"192.0.2.9": {"port": "514"}}}'


def write_all(folder: Path, text: str, *, said: str = "") -> Path:
    """Write a fabric of SONiC in which one snippet is laid over every switch."""
    rows = [f"  - {{device: {name}, raw: {{sonic: config_db.json}}, reason: a vendor case}}\n" for name in NAMES]
    intent = INTENT.format(model=MODELS["sonic"], platform="sonic", board="")
    (folder / "fabric.yaml").write_text(intent + "".join(rows) + said)
    (folder / "config_db.json").write_text(text)
    return folder


def judge(folder: Path, platform: str, file: str, *texts: str | bytes) -> list[Diagnostic]:
    """Compile such an inventory and return what is said of exceptions, with places below the folder."""
    bag = Bag()
    compiled = compile_inventory(write_fabric(folder, platform, file, *texts), (), bag)
    placed = place_diagnostics(bag, compiled.document)
    return [item for item in placed if item.code.startswith(("FG-EXC-", "FG-SEC-"))]
