"""``fabricgen check`` over a collection of a lab: what a lab cannot have is named, everything else is judged."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

from fabricgen.lab.collection import GIVEN
from fabricgen.platforms.manifest.readings import ABSENT, STATES
from tests.acceptance.run import INVENTORIES
from tests.command_line import Done, run_here
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.bench import Bench
from tests.unit.state.collected import all_benches, platforms_of, write_collection

LEAF, PORT = "leaf-u001-r0", "Ethernet0"


def collect(root: Path, benches: dict[str, Bench]) -> Path:
    """Write a collection of a lab: switches answer as plain Linux, and what no lab has is not there."""
    systems = platforms_of(plan_of("quickstart"))
    write_collection(root, benches, {name: "ubuntu" if each == "ubuntu" else "frr" for name, each in systems.items()})
    for record in root.glob("state/*/*/record.json"):
        data = json.loads(record.read_text())
        given = [answer for answer in data["answers"] if answer["name"] in GIVEN]
        others = [{"name": name, "command": "", "status": ABSENT} for name in STATES if name not in GIVEN]
        record.write_text(json.dumps({**data, "via": "lab", "answers": given + others}))
    return root


def check(root: Path) -> Done:
    return run_here("check", INVENTORIES / "quickstart", root, "--format", "json")


def test_what_a_lab_cannot_have_is_named_and_everything_else_is_judged(tmp_path: Path) -> None:
    benches = deepcopy(all_benches(plan_of("quickstart")))
    for bench in benches.values():
        for port in bench.ports.values():
            port[1:3] = 10, ""
    done = check(collect(tmp_path / "healthy", benches)).exits(0)
    assert done.stderr.count("FG-STA-021") == 1
    assert "as a lab does not have it: speed, FEC and RDMA devices of ports on 14 devices, fec on 14" in done.stderr
    rows = {row["check"]: row for row in json.loads(done.stdout)["checks"]}
    assert rows["ports"]["as expected"] == rows["cables"]["as expected"] == 14
    assert rows["watchdog"]["because"] == "the device has none (6)"
    benches[LEAF].ports[PORT][0] = False
    devices = json.loads(check(collect(tmp_path / "down", benches)).exits(3).stdout)["devices"]
    made = [(device["device"], made) for device in devices for made in device["checks"]]
    found = [(name, each["check"], finding["at"]) for name, each in made for finding in each["findings"]]
    assert found == [(LEAF, "ports", PORT)]
