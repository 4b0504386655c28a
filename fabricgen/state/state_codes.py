"""Codes of what keeps the state of a device from being judged, and of what is not as planned."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register
from fabricgen.state import findings as names

declare = partial(register, source="docs/check.md")
NO_COLLECTION = declare(
    "FG-STA-001",
    "There is no collection at that place",
    why="Whether the fabric works as planned is not known.",
    fix="Name a folder that fabricgen collect has written; for cables check, files named after their devices.",
)
NO_ORDER = declare(
    "FG-STA-002",
    "The earlier collection is not earlier",
    why="Every counter would seem to have fallen, which means a restart.",
    fix="Name the later collection first, and the earlier one with --since.",
)
NO_ANSWER = declare(
    "FG-STA-011",
    "A device did not answer a command",
    why="What the command shows is not judged; everything else of the device is.",
    fix="Run the command of the record beside the answers on the device, and collect again.",
)
MISREAD = declare(
    "FG-STA-012",
    "An answer of a device cannot be read",
    why="What it shows is not judged; everything else of the device is.",
    fix="Collect the device again; if the answer is the same, report it with the device's software version.",
)
PARTIAL = declare(
    "FG-STA-014",
    "An answer leaves out what the plan has",
    why="What it leaves out is not judged, so the check does not pass; everything else of the device is judged.",
    fix="Collect the device again; if the answer is the same, look on the device for why it leaves that out.",
)
NOT_READ = declare(
    "FG-STA-020",
    "fabricgen does not read what a check needs from a platform",
    severity=Severity.INFO,
    why="The check is left out on every device of the platform; everything else is judged.",
    fix="Use the vendor's own tools for it.",
)
NOT_THERE = declare(
    "FG-STA-021",
    "A device does not have what a check looks at",
    severity=Severity.INFO,
    why="The check is left out on that device; everything else is judged.",
    fix="Use a release of its software, or a model, that has it; otherwise no action is needed.",
)
_deviates = partial(declare, severity=Severity.WARNING)
DEVIATIONS = {
    names.SESSIONS: _deviates(
        "FG-STA-101",
        "A BGP session is not as planned",
        why="Prefixes of a neighbor are missing, so its links carry nothing.",
        fix="Look for the neighbor's side of the session, then for the cable.",
    ),
    names.PREFIXES: _deviates(
        "FG-STA-102",
        "A BGP session brings another number of prefixes than planned",
        why="Hosts are not reached over that neighbor, or more is accepted than the plan has.",
        fix="Compare the configuration of both ends with fabricgen diff.",
    ),
    names.BFD: _deviates(
        "FG-STA-103",
        "BFD does not watch a neighbor as planned",
        why="A neighbor that falls silent is noticed only when the hold timer ends.",
        fix="Compare the configuration of both ends with fabricgen diff.",
    ),
    names.WIDTHS: _deviates(
        "FG-STA-104",
        "A route has another number of next hops than planned",
        why="Fewer links carry the traffic to that prefix than the plan has computed with.",
        fix="Repair the sessions and links that are missing among its next hops.",
    ),
    names.CABLES: _deviates(
        "FG-STA-105",
        "LLDP reports another neighbor than the cabling plan",
        why="A cable in the wrong port moves a rail or a plane, or takes a link of another pair.",
        fix="Move the cable to the port that fabricgen show INVENTORY cabling has.",
    ),
    names.PORTS: _deviates(
        "FG-STA-106",
        "A cabled port does not work as planned",
        why="The link carries nothing, or less than its neighbors beside it.",
        fix="Check transceiver and cable at both ends, then the configuration of the port.",
    ),
    names.ERRORS: _deviates(
        "FG-STA-107",
        "Errors of a port rise",
        why="Damaged packets are lost, and RoCE sends everything after a lost packet again.",
        fix="Change the cable or a transceiver at its ends, once cleaning does not help.",
    ),
    names.DROPS: _deviates(
        "FG-STA-108",
        "A lossless queue drops packets",
        why="PFC should prevent it: headroom or classification is wrong at one end.",
        fix="Compare classes, PFC and headroom of both ends with fabricgen diff.",
    ),
    names.PFC: _deviates(
        "FG-STA-109",
        "PFC frames do not follow the plan",
        why="Pauses on a priority that is not lossless stop other traffic; one end has another idea of the classes.",
        fix="Compare PFC priorities and DSCP maps of both ends.",
    ),
    names.WATCHDOG: _deviates(
        "FG-STA-110",
        "The PFC watchdog is off, or saw a storm",
        why="Without it one faulty NIC pauses the fabric; a storm is the sign of such a NIC.",
        fix="Start the watchdog; after a storm look at the device at the other end of the port.",
    ),
    names.ECN: _deviates(
        "FG-STA-111",
        "ECN marks do not follow the plan",
        why="Senders slow down for a queue that should not mark, or not for the one that should.",
        fix="Compare the marking profiles and DSCP maps with fabricgen diff.",
    ),
    names.FEC: _deviates(
        "FG-STA-113",
        "Codewords arrive that FEC cannot correct",
        why="Each of them is lost packets: the link has no margin left, and RoCE sends everything after a loss again.",
        fix="Clean the connectors, then change the cable or a transceiver at its ends.",
    ),
    names.OPTICS: _deviates(
        "FG-STA-114",
        "A transceiver is beyond its own alarm threshold",
        why="Light, temperature or voltage is out of the range that its maker warrants; bit errors follow.",
        fix="Clean and reseat it; check the fiber for weak light, the airflow for heat; then change it.",
    ),
    names.CONTRACT: _deviates(
        "FG-STA-115",
        "A NIC does not keep the lossless contract",
        why="Marks and pauses mean something else to the leaf: packets are lost, or other traffic is paused.",
        fix="Run fabricgen-roce on the host; update firmware to hosts.*.firmware, else to that of the other NICs.",
    ),
    names.FILES: _deviates(
        "FG-STA-116",
        "A host has another value in effect than its files set",
        why="A file of others, or a command, overrides it: fabricgen's file is as it should be and decides nothing.",
        fix="Compare a copy of the host's /etc with fabricgen diff, and remove the value from the file that it names.",
    ),
    names.SAVED: _deviates(
        "FG-STA-117",
        "The next reboot loads another configuration than the one that runs",
        why="A reboot takes away what was not saved, and brings what was saved but never loaded.",
        fix="Save what runs (write, config save, nv config save), once fabricgen diff finds it as intended.",
    ),
    names.SOFTWARE: _deviates(
        "FG-STA-112",
        "A device runs another release than planned, or restarted",
        why="The configuration was written and checked for the release of the intent.",
        fix="Install the release of the intent, or change it there and render again.",
    ),
}
"""A code per check, for what is not as planned."""
