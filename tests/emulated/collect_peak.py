"""Collect switches in a process of its own, and print what became of each with the peak of its memory in MiB."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from fabricgen.api.collect import CollectSettings, collect
from fabricgen.collect.target import CollectLimits, CollectTarget, Login
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.manifest.spec import PlatformSpec
from tests.emulated.https_switch import LOGIN

PLATFORMS = {"eapi": "eos", "nvue": "cumulus_nvue", "ssh": "sonic"}


def list_readings(spec: PlatformSpec, way: str) -> tuple[Reading, ...]:
    return spec.collect if way == "ssh" else spec.readings_by_api()


def main() -> None:
    """Read name, way and port of each switch, files of pins and keys, folder and bound in time from the arguments."""
    asked = json.loads(sys.argv[1])
    specs = load_platforms(dict.fromkeys(PLATFORMS.values(), ()), "switch", Bag(), [template_root()])
    targets = []
    for name, way, port in asked["switches"]:
        readings = list_readings(specs[PLATFORMS[way]], way)
        targets.append(CollectTarget(name, "switches", "leaf", (PLATFORMS[way],), "127.0.0.1", port, readings, way))
    seconds, bag = asked["seconds"], Bag()
    known, keys = (tuple(map(Path, asked[key])) for key in ("known_hosts", "keys"))
    login = Login(LOGIN[0], known, keys, password=LOGIN[1], pins=(Path(asked["pins"]),))
    wish = CollectSettings(
        Path(asked["out"]), login, CollectLimits(50, seconds, seconds, 2 * seconds), lambda: "2026-01-01T00:00:00Z"
    )
    outcomes = collect(targets, specs, wish, bag, lambda done: None) or []
    codes = {each.target.name: each.failure.code.id if each.failure else "" for each in outcomes}
    # Of this program alone: getrusage has that of the process before it too.
    (peak,) = re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    print(json.dumps({"codes": codes, "lines": len(list(bag)), "peak_mib": int(peak) // 1024}))


if __name__ == "__main__":
    main()
