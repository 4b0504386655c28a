"""Codes of bundles: writing them, and comparing them with what is deployed."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(register, source="docs/rollout.md")
_warn = partial(declare, severity=Severity.WARNING)
NO_BUNDLE_FOLDER = declare(
    "FG-ROL-050",
    "The folder for the bundle cannot be used",
    why="A bundle is approved as a whole; files of another one beside it could be carried out by mistake.",
    fix="Name a folder that does not exist yet, or an empty one.",
)
NO_ROLLOUT_PLAN = declare(
    "FG-ROL-051",
    "A rollout needs the plan of its fabric",
    why="Waves follow from the cabling, which a rendered tree alone does not tell.",
    fix="Name an inventory on the intended side, or a tree beside the inventory that it was rendered from.",
)
INCOMPLETE = declare(
    "FG-ROL-052",
    "No rollout is planned while something cannot be compared or patched",
    why="The devices that are left out would be changed by nothing and judged by nothing, in the middle of a rollout.",
    fix="Correct what the other errors name, or leave those devices out with --only.",
)
NOT_PLANNED = _warn(
    "FG-ROL-053",
    "Devices that a rollout does not add or remove",
    why="A new device has nothing to go back to, and a removed one is unplugged, not configured.",
    fix="Use the rendered tree for new devices, before the rollout; remove the others after it.",
)
NOT_A_BUNDLE = declare(
    "FG-ROL-054",
    "A folder is not the bundle of a rollout",
    why="What is not known to be whole is not carried out.",
    fix="Name the folder that fabricgen rollout has written.",
)
BUNDLE_CHANGED = declare(
    "FG-ROL-055",
    "A bundle is no longer what was written",
    why="A file of it that was edited, removed or added is not what was approved.",
    fix="Restore the bundle from where it was approved, or plan it again; the same sides give the same bytes.",
)
BUNDLE_MALFORMED = declare(
    "FG-ROL-056",
    "A bundle's plan is malformed",
    why="Its digests are in order, so it was written by something else than this release.",
    fix="Use the release that has written the bundle, or run fabricgen rollout again.",
)
NEITHER_STATE = declare(
    "FG-ROL-057",
    "A device is neither as before nor as after its change",
    why="Its change is half done, or something else has changed it; the remaining steps begin from a known state.",
    fix="Restore the device with the rollback of the bundle, collect it again, and resume; or plan a new rollout.",
)
NOT_COLLECTED = declare(
    "FG-ROL-058",
    "A device of a rollout was not collected again",
    why="Whether its change is done is not known.",
    fix="Collect every device that the rollout was planned on.",
)
IGNORES_SHUTDOWN = _warn(
    "FG-ROL-059",
    "A switch may not honour graceful shutdown before its own change",
    why="A neighbour that is drained before it loses traffic which it goes on sending over it, though there are other "
    "paths.",
    fix="Put an import policy on the switch that gives routes with 65535:0 the local preference 0, collect it and plan "
    "again; or move the jobs away from the switches that are drained before it.",
)
NO_STATE_BETWEEN = declare(
    "FG-ROL-063",
    "No intent has what both the deployed and the intended one take",
    why="Code points, PFC, ECN, marks and MTU change over an intent that takes both; whether buffers and queues hold "
    "both is only known once that intent is planned and checked.",
    fix="Change one of them after the other in rollouts of their own, or all of it while no jobs run.",
)
NO_DEPLOYED_INTENT = declare(
    "FG-ROL-064",
    "The contract of lossless traffic changes, and the deployed intent is not known",
    why="The intents between both are made of them. A rendered tree keeps what is needed in its manifest; files that "
    "were collected do not.",
    fix="Name the inventory that is deployed, or its revision of git, with --from.",
)
DRIFTED = _warn(
    "FG-ROL-065",
    "The contract of lossless traffic has drifted from the deployed intent",
    why="What differs from the intent is repaired in any order, device by device. A change of all devices in any order "
    "sends lossless traffic through lossy queues meanwhile.",
    fix="Name the intent that is deployed with --from; no action is needed where single devices are repaired.",
)
REPLACED = declare(
    "FG-ROL-066",
    "A switch runs another platform than the intended one",
    why="Commands of one network operating system mean nothing to another; the switch has to be installed anew.",
    fix="Drain the switch, install it from the rendered tree, and collect it again before the rollout of the others.",
)
HIDES_SHUTDOWN = _warn(
    "FG-ROL-068",
    "A switch that is drained sends no communities",
    why="Graceful shutdown is a community: a neighbour that is sent none goes on using the switch while it is drained, "
    "and the rollout stops there, because no neighbour shows the drain.",
    fix="Configure the switch to send communities to its neighbours, collect it, and plan again.",
)
PARTIAL = _warn(
    "FG-ROL-067",
    "A change that needs an order across devices is rolled out on some of them",
    why="A phase is safe once every device is through the one before, and --only, --tier or an incomplete collection "
    "leave devices out.",
    fix="Leave no device out, unless those left out are through each earlier phase already.",
)
UNSEEN = _warn(
    "FG-ROL-069",
    "Devices or files that the deployed side does not have are left out of a rollout",
    why="Nothing is known of what they run, so they are in no wave, and changes that they need at the other end of a "
    "link are missing.",
    fix="Collect every device with all its files; no action is needed if they are rolled out in another way.",
)
EXCHANGED = _warn(
    "FG-ROL-070",
    "An inventory as the deployed side of a rollout to a rendered tree",
    why="The rollout leads from what DEPLOYED renders to INTENDED: with both exchanged it takes the fabric back.",
    fix="Name the inventory first and what is deployed second; no action is needed where the tree is what should be.",
)
ONE_VALUE = declare(
    "FG-ROL-060",
    "A change at two ends that no state between old and new carries over",
    why="Whichever end changes first, the link or the session is down until the other follows.",
    fix="Change one thing at a time, in rollouts of their own, or all of it while no jobs run.",
)
