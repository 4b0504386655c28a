"""All checks of a running lab, in the order in which their faults explain each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from fabricgen.lab.lifecycle.boot import Progress
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.findings import LabResult
from fabricgen.lab.verify.forwarding import check_paths, check_valleys, check_widths, read_all_routes
from fabricgen.lab.verify.intended import check_configuration, fit
from fabricgen.lab.verify.predict import predict
from fabricgen.lab.verify.reach import check_mtu, check_reach
from fabricgen.lab.verify.sessions import check_cabling, check_daemons, check_sessions
from fabricgen.lab.verify.spread import check_spread


def judge(intended: Blueprint, running: Blueprint, progress: Progress) -> list[LabResult]:
    """Hold a running lab against the fabric as it is intended now.

    Args:
        intended: The fabric as the inventory has it.
        running: The lab.
        progress: Gets the checks done so far.
    """
    blueprint, lacks = fit(intended, running)
    prediction = predict(blueprint)
    routes = read_all_routes(blueprint, blueprint.speakers)
    checks: list[tuple[str, Callable[[], LabResult | Iterable[LabResult]]]] = [
        ("intended", lambda: lacks),
        ("daemons", lambda: check_daemons(blueprint)),
        ("configuration", lambda: check_configuration(blueprint)),
        ("cabling", lambda: check_cabling(blueprint)),
        ("sessions", lambda: check_sessions(blueprint)),
        ("ecmp width", lambda: check_widths(blueprint, prediction, routes)),
        ("path lengths", lambda: check_paths(blueprint, prediction, routes)),
        ("no valleys", lambda: check_valleys(blueprint, prediction)),
        ("reachability", lambda: check_reach(blueprint, prediction)),
        ("mtu", lambda: check_mtu(blueprint, prediction)),
        ("spread", lambda: check_spread(blueprint, routes)),
        ("daemons after", lambda: replace(check_daemons(blueprint), name="daemons after")),
    ]
    results: list[LabResult] = []
    for done, (name, check) in enumerate(checks):
        progress(name, done, len(checks))
        started = time.monotonic()
        found = check()
        each = [found] if isinstance(found, LabResult) else list(found)
        seconds = (time.monotonic() - started) / len(each)
        results += [replace(result, seconds=seconds) for result in each]
    progress("done", len(checks), len(checks))
    return results
