"""Collections of a healthy fabric on disk, which tests spoil."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fabricgen.api.effects import Effects
from fabricgen.collect import readings
from fabricgen.collect.readings import Answer, Record, device_folder, state_folder
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_all
from fabricgen.platforms.manifest.readings import ABSENT, SAVED
from fabricgen.render.engine import Renderer
from fabricgen.state.expected import Expected
from tests.unit.lab.fabrics import compiled
from tests.unit.state.answers import WRITERS
from tests.unit.state.bench import Bench, healthy

OUTPUTS = {
    "sonic": {
        "etc/sonic/config_db.json": '{"PORT": {"Ethernet0": {"mtu": "9100"}}}\n',
        "etc/sonic/frr/frr.conf": "frr version 8.5\nrouter bgp 65001\n neighbor 192.0.2.1 remote-as 65002\nexit\nend\n",
    },
    "eos": {"mnt/flash/startup-config": "hostname leaf\nalias wr write\ninterface Ethernet1/1\n   mtu 9214\nend\n"},
    "frr": {"etc/frr/frr.conf": "frr version 8.5\nrouter bgp 65001\n neighbor 192.0.2.1 remote-as 65002\nexit\nend\n"},
    "cumulus_nvue": {"etc/nvue.d/startup.yaml": "- set:\n    system:\n      hostname: leaf\n"},
}
"""Running configurations of switches, by platform and path; ``check`` compares them with what is saved alone."""


def show_files(host: Host) -> dict[str, str]:
    """Answers of a host on which its rendered files are in effect, beside settings of others."""
    specs = {**load_all("host", Bag(), [template_root()]), **load_all("nic", Bag(), [template_root()])}
    files = {Path(file.path).name: file.data.decode() for file in Renderer(specs, Bag()).render_host(host)}
    lines = [line.removeprefix("-") for line in files["90-fabricgen.conf"].splitlines() if not line.startswith("#")]
    unit = "fabricgen-roce@.service"
    return {
        "sysctl": "\n".join(["net.ipv4.conf.eth0.rp_filter = 1", *lines, ""]),
        "netplan": files["60-fabricgen.yaml"] + "    eth0:\n      dhcp4: true\n",
        "units": f"# /etc/systemd/system/{unit}\n{files[unit]}\n# {unit}.d/nice.conf\n[Service]\nNice=5\n",
    }


def host_bench(plan: FabricPlan, name: str) -> Bench:
    """A healthy host: its rails are up and LLDP reports their leafs."""
    lowering = Lowering(plan)
    host = next(found for found in map(lowering.lower_host, plan.all_hosts()) if found.hostname == name)
    bench = Bench(name, 0, shown=show_files(host))
    for rail in host.rails:
        port = rail.shape.interface
        bench.neighbors[port] = (rail.peer, rail.peer_port)
        bench.ports[port] = [True, rail.shape.speed_gbps, "", rail.shape.mtu_bytes]
        bench.errors[port] = 1
        bench.pauses[port] = [0, 0, 0, 17, 0, 0, 0, 0]
        bench.watchdogs[port] = ["operational", 1, 1]
        bench.drops[port] = [9, 0, 0, 1, 0, 0, 0, 0]
        bench.uncorrected[port] = 6
        bench.optics[port] = {"rx": [-1.5] * 4, "tx": [0.5] * 4, "degrees": 41.0, "volts": 3.3}
        bench.cnps[port] = [40, 12, 8, 0]
        bench.contract[port] = {
            "trust": "dscp",
            "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
            "dscp": list(host.cls.contract.priority_by_dscp),
            "tos": 104,
            "cnp": (46, 6),
            "np": [3],
            "rp": [3],
            "firmware": "28.43.2026",
        }
        bench.rdma[port] = "ACTIVE"
    return bench


def all_benches(plan: FabricPlan) -> dict[str, Bench]:
    """Every device of a plan, healthy."""
    names = [plan.device_name(device) for device in plan.switches()]
    benches = {name: healthy(plan, name) for name in names}
    return benches | {name: host_bench(plan, name) for name in map(plan.host_name, plan.all_hosts())}


def write_collection(
    root: Path,
    benches: Mapping[str, Bench],
    platforms: Mapping[str, str],
    when: str = "2026-01-01T00:00:00Z",
    *,
    tree: Path | None = None,
) -> Path:
    """Write a collection of devices into a new folder; without a rendered ``tree`` they run a few lines."""
    root.mkdir(parents=True)
    (root / readings.COLLECTION).write_text(json.dumps({"format": readings.FORMAT}))
    for name, bench in benches.items():
        platform = platforms[name]
        kind = "hosts" if platform == "ubuntu" else "switches"
        folder = state_folder(root, kind, name)
        folder.mkdir(parents=True)
        answers = {}
        for state, write in WRITERS[platform].items():
            text = write(bench)
            file = folder / f"{state}.{'json' if text[0] in '[{' else 'txt'}"
            file.write_text(text)
            answers[state] = Answer(state, f"show {state}", 0, str(file.relative_to(root)), file.stat().st_size)
        outputs = OUTPUTS.get(platform, {})
        if tree is not None:
            outputs = {path: (tree / kind / name / path).read_text() for path in outputs}
        answers |= _write_outputs(root, kind, bench, outputs)
        record = Record(name, kind, (platform,), "192.0.2.1:22", when, False, answers)
        (folder / readings.RECORD).write_bytes(readings.write_record(record))
    return root


def _write_outputs(root: Path, kind: str, bench: Bench, outputs: Mapping[str, str]) -> dict[str, Answer]:
    """Write the running and the saved outputs of a device."""
    answers = {}
    for path, text in outputs.items():
        places = (device_folder(root, kind, bench.name) / path, state_folder(root, kind, bench.name) / SAVED / path)
        texts = (text, bench.saved.get(path, text))
        for name, file, content in zip((path, f"{SAVED}{path}"), places, texts, strict=True):
            file.parent.mkdir(parents=True, exist_ok=True)
            if content is not None:
                file.write_text(content)
            size = 0 if content is None else file.stat().st_size
            place = "" if content is None else str(file.relative_to(root))
            answers[name] = Answer(name, f"cat {path}", ABSENT if content is None else 0, place, size)
    return answers


def platforms_of(plan: FabricPlan) -> dict[str, str]:
    """Platform of every device by its name."""
    found = {plan.device_name(device): plan.tier_of(device).platform for device in plan.switches()}
    return found | {plan.host_name(host): plan.hosts[host.group].os for host in plan.all_hosts()}


def with_files(expected: Expected) -> Expected:
    """The expectations of a host of quickstart, with what its files set."""
    made = compiled("quickstart")
    host = next(host for host in made.plan.all_hosts() if made.plan.host_name(host) == expected.name)
    return replace(expected, files=tuple(Effects(made.plan, made.platforms, Bag()).of(host)))
