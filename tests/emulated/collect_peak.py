"""Collect switches in a process of its own, and print what became of each with the peak of its memory in MiB."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from fabricgen.api.collection.run import Wish, collect
from fabricgen.collect.target import Limits, Login, Target
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms
from tests.emulated.https_switch import LOGIN

PLATFORMS = {"eapi": "eos", "nvue": "cumulus_nvue"}


def main() -> None:
    """Read name, API and port of each switch, the file of pins, the folder and the bound in time from the arguments."""
    asked = json.loads(sys.argv[1])
    specs = load_platforms(dict.fromkeys(PLATFORMS.values(), ()), "switch", Bag(), [template_root()])
    targets = [
        Target(
            name, "switches", "leaf", (PLATFORMS[api],), "127.0.0.1", port, specs[PLATFORMS[api]].readings_by_api(), api
        )
        for name, api, port in asked["switches"]
    ]
    seconds, bag = asked["seconds"], Bag()
    login = Login(LOGIN[0], (), password=LOGIN[1], pins=(Path(asked["pins"]),))
    wish = Wish(Path(asked["out"]), login, Limits(50, seconds, seconds, 2 * seconds), lambda: "2026-01-01T00:00:00Z")
    outcomes = collect(targets, specs, wish, bag, lambda done: None) or []
    codes = {each.target.name: each.failure.code.id if each.failure else "" for each in outcomes}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"codes": codes, "lines": len(list(bag)), "peak_mib": peak}))


if __name__ == "__main__":
    main()
