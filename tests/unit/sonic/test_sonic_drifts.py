"""Patches for random drifts of a SONiC switch: why a release takes a reload."""

from __future__ import annotations

import random

import pytest
from patched_switch import LISTED, PG, UNLISTED, Config, Edit, add_row, carried_out, drop_row, mark, set_field, switch


def random_edit(rng: random.Random) -> Edit:
    """One to three changes of a switch, each of a kind that drifts bring."""
    kinds_of_changes: tuple[Edit, ...] = (
        set_field("PORT", f"Ethernet{8 * rng.randrange(8)}", "mtu", "9000"),
        set_field("SCHEDULER", "scheduler.a", "weight", str(rng.randrange(20, 90))),
        set_field("QUEUE", f"Ethernet{8 * rng.randrange(8)}|3", "scheduler", "scheduler.b"),
        set_field("BUFFER_PG", f"Ethernet{8 * rng.randrange(8)}|3", "profile", "ingress_lossy_profile"),
        set_field("PORT_QOS_MAP", f"Ethernet{8 * rng.randrange(8)}", "pfc_enable", "3,4"),
        set_field("BUFFER_PROFILE", PG, rng.choice(("dynamic_th", "xoff", "xon")), "7"),
        set_field("BUFFER_POOL", "ingress_lossless_pool", rng.choice(("size", "xoff")), "8"),
        mark(rng.choice(("green_max_threshold", "red_max_threshold"))),
        set_field("PFC_WD", f"Ethernet{8 * rng.randrange(8)}", "detection_time", "300"),
        drop_row("PFC_WD", f"Ethernet{8 * rng.randrange(8)}"),
        add_row("BUFFER_PROFILE", "other_1", {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "1"}),
        add_row("NTP_SERVER", "192.0.2.2", {}),
        set_field("PORT", f"Ethernet{8 * rng.randrange(8)}", "admin_status", "down"),
    )
    chosen = rng.sample(kinds_of_changes, rng.choice((1, 1, 2, 3)))

    def edit(config: Config) -> None:
        for change in chosen:
            change(config)

    return edit


REFUSED_POOL = "the updater of {release} refuses BUFFER_POOL"
REFUSED_PROFILE = "the updater of {release} refuses this change of a BUFFER_PROFILE"
REFUSED_ROW = "the updater of {release} neither adds nor removes a BUFFER_PROFILE"
UNKNOWN = "the updater of {release} does not know the ASIC of HwSKU '" + UNLISTED + "'"


@pytest.mark.sampled(2, of="release,sku")
@pytest.mark.parametrize(
    ("release", "sku", "reasons"),
    [
        ("202505", LISTED, {REFUSED_ROW, REFUSED_PROFILE}),
        ("202505", UNLISTED, {REFUSED_ROW, REFUSED_PROFILE, UNKNOWN}),
        ("202511", LISTED, {REFUSED_POOL, REFUSED_PROFILE}),
        ("202511", UNLISTED, {REFUSED_POOL, REFUSED_PROFILE, UNKNOWN}),
        ("202605", LISTED, {REFUSED_POOL, REFUSED_PROFILE}),
    ],
)
def test_reloads_of_random_drifts_have_these_reasons(release: str, sku: str, reasons: set[str]) -> None:
    """Of 200 drifts; a drift may have several reasons."""
    rng, found = random.Random(5), set[str]()
    for _ in range(200):
        steps, _ = carried_out(switch(release, sku), random_edit(rng))
        for step in steps:
            if "config reload" in step.command:
                found.update(reason.replace(release, "{release}") for reason in step.reason.split("; "))
    assert found == reasons
