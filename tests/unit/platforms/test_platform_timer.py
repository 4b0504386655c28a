"""Time of the timer that restores a device whose change cut it off."""

from __future__ import annotations

import re

from ruamel.yaml import YAML

from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.patching.timer import MINUTES, SECONDS, TIMES, timer_minutes, waits_s


def test_timer_outlasts_the_wait_and_the_proofs_of_a_drain() -> None:
    """Checks and drain have their whole time beside the wait for an idle device and what the neighbors are asked."""
    task, *_ = YAML(typ="safe").load(template_root() / "rollout/ansible/posix/neighbors.yml")
    retries, delay = (int(re.findall(r"default\((\d+)\)", task[key])[0]) for key in ("retries", "delay"))
    assert timer_minutes((), drained=False) == MINUTES
    assert timer_minutes((), drained=True) >= 2 * MINUTES + (TIMES * SECONDS + retries * delay) / 60
    assert 60 * timer_minutes((), drained=True) >= TIMES * SECONDS + waits_s(drained=True)
