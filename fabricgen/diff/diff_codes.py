"""Codes of everything that can keep a device from being compared."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(register, source="docs/diff.md, input that is no configuration")
NO_CONFIG = declare(
    "FG-DIF-020",
    "A device of the fabric was not collected",
    why="What it has is not known.",
    fix="Collect it, or leave it out with --only.",
)
UNJUDGED = declare(
    "FG-DIF-030",
    "A file of others may change ours in a way that is not compared",
    severity=Severity.WARNING,
    why="It selects interfaces by what only the device knows, or decides whether a unit runs.",
    fix="Compare what is in effect: collect the device, and check it with fabricgen check.",
)
OTHER_DEVICE = declare(
    "FG-DIF-022",
    "A collected file belongs to another device",
    why="Compared with the wrong device it would show differences that are none, and hide those that are.",
    fix="Check names and addresses in the collector, then collect the device again.",
)
FOREIGN = declare(
    "FG-DIF-023",
    "A collected file is in no form that is read of its device",
    why="What the device has is not known; the other devices are compared.",
    fix="Collect what the platform of the device's tier prints as its configuration.",
)
NOT_OURS = declare(
    "FG-DIF-024",
    "A device that is not in the fabric was collected",
    severity=Severity.WARNING,
    why="It is compared with nothing.",
    fix="No action is needed if they belong there; otherwise add them to the inventory.",
)
NO_LAYOUT = declare(
    "FG-DIF-027",
    "No device of the fabric is found on the deployed side",
    why="Whether any device has what it should have is not known: the folder is of another fabric, or laid out unlike "
    "those that are read.",
    fix="Name the folder that holds the devices: as switches/<name>/… and hosts/<name>/…; as <name>/etc/… or "
    "<name>/mnt/… with the paths of the device; as <name>/FILE with the name of the platform's file; or as <name>, "
    "<name>.cfg or <name>.json at any depth, like Oxidized and RANCID.",
)
NO_NAME = declare(
    "FG-DIF-025",
    "A single file that does not name its device",
    why="There is nothing to compare it with.",
    fix="Name the device with --only.",
)
NOTHING_TO_COMPARE = declare(
    "FG-DIF-026",
    "The intended side has no device to compare",
    why="No difference would be found, whatever is deployed.",
    fix="Check the intended side, and --only.",
)
NO_TIERS = register(
    "FG-DIF-028",
    "The tiers of the intended side are not known",
    why="--tier chooses devices by the plan of an inventory.",
    fix="Name an inventory, or a tree beside the inventory that it was rendered from, on the intended side; or choose "
    "by name with --only.",
    source="docs/diff.md, sides",
)
NO_PATCH = register(
    "FG-DIF-076",
    "No patch can be made of what a device has",
    why="What would repair the device is not known; every other device gets its patch.",
    fix="Repair the file on the device by hand, then compare again.",
    source="docs/diff.md, patches",
)
FAILED = declare(
    "FG-DIF-077",
    "Internal error: a file of a device could not be compared",
    why="Whether the device has what it should have is not known; every other file and device is compared.",
    fix="Report it with the line of code that is named: the fault is in fabricgen, not on the device.",
)
REFUSED = register(
    "FG-DIF-075",
    "The release on a device refuses every patch",
    why="The device judges its whole configuration whenever it is patched; one part that its release does not know "
    "refuses all of it.",
    fix="Render for the release that the device runs, or delete what it does not know on the device.",
    source="sonic-net/sonic-utilities, generic_config_updater; docs/diff.md, patches",
)
