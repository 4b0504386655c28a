"""NCCL and RCCL: their configuration files and NCCL's topology file → neutral facts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from ..facts import Device, TopologyNet
from ..tree import Files, Reader

CONFS = ("etc/nccl.conf", "etc/rccl.conf")
TOPOLOGY = "etc/fabricgen/nccl-topo.xml"
ENVIRONMENT = "etc/environment.d/60-fabricgen-rdma.conf"
PROFILE = "etc/profile.d/fabricgen-rdma.sh"
FOLDERS = "etc/tmpfiles.d/fabricgen-telemetry.conf"
TELEMETRY = ("NCCL_INSPECTOR_DUMP_DIR", "NCCL_TELEMETRY_LOG_PATH")
"""Variables that name the folder that a library measures into."""


def _read_conf(path: str, text: str, device: Device) -> None:
    """Variables, as the library reads them: the first ``=`` splits, ``#`` only at the start of a line."""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or name != name.strip():
            device.say(f"{path}: not a variable: {line}")
        elif name in device.host.collective:
            device.say(f"{path}: {name} is set twice")
        device.host.collective[name] = value


def _read_topology(text: str, device: Device) -> None:
    """NICs of the topology file, and the speed they give their interfaces."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        device.say(f"{TOPOLOGY}: {error}")
        return
    if root.tag != "system" or root.get("version") != "1":
        device.say(f"{TOPOLOGY}: its root is not version 1 of system")
    for pci in root.iter("pci"):
        if pci.get("busid", "") in device.host.topology_bdfs:
            device.say(f"{TOPOLOGY}: {pci.get('busid')} stands there twice")
        device.host.topology_bdfs.add(pci.get("busid", ""))
        for net in pci.findall("nic/net"):
            name, speed = net.get("name", ""), int(net.get("speed", "0")) // 1000
            place = (int(net.get(key, "-1")) for key in ("rail", "plane"))
            device.host.topology.append(TopologyNet(name, speed, pci.get("busid", ""), *place))
            ports = [port for port, rdma in device.host.rdma.items() if rdma == name and speed]
            for port in ports:
                device.interfaces[port].speed_gbps = speed // len(ports)


def _read_folders(text: str, device: Device) -> None:
    """Folders that systemd makes at boot, into which jobs of every user write: exactly those of the libraries."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    wanted = sorted({device.host.collective[name] for name in TELEMETRY if name in device.host.collective})
    made = sorted(words[1] for words in lines if [words[0], *words[2:]] == ["d", "1777", "root", "root", "-"])
    if made != wanted or len(made) != len(lines):
        device.say(f"{FOLDERS}: makes {made} for every user in {len(lines)} lines, the library measures into {wanted}")


def _read_environment(text: str, files: Files, device: Device) -> None:
    """Variables of other RDMA programs, and the login script that passes them on."""
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if line.startswith("#"):
            continue
        if not equals or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name) or not re.fullmatch(r"[\w^,./:-]*", value):
            device.say(f"{ENVIRONMENT}: not a variable: {line}")
        if name in device.host.environment:
            device.say(f"{ENVIRONMENT}: {name} is set twice")
        device.host.environment[name] = value
    words = [line for line in (files.text(PROFILE) or "").splitlines() if not line.startswith("#")]
    if words != ["set -a", f". /{ENVIRONMENT}", "set +a"]:
        device.say(f"{PROFILE}: does not pass on /{ENVIRONMENT}")


def read(files: Files, device: Device) -> bool:
    confs = {path: text for path in CONFS if (text := files.text(path)) is not None}
    topology = files.text(TOPOLOGY)
    if (environment := files.text(ENVIRONMENT)) is not None:
        _read_environment(environment, files, device)
    for path, text in confs.items():
        _read_conf(path, text, device)
    if topology is not None:
        _read_topology(topology, device)
    folders = files.text(FOLDERS)
    if folders is not None or any(name in device.host.collective for name in TELEMETRY):
        _read_folders(folders or "", device)
    named = device.host.collective.get("NCCL_TOPO_FILE", "").lstrip("/")
    if named and named not in files.paths:
        device.say(f"{CONFS[0]}: NCCL_TOPO_FILE is /{named}, which is not there")
    return bool(confs) or topology is not None or environment is not None


READER = Reader("host", read, stage=1)
