"""Codes of what an import cannot take over, of what contradicts itself, and of what was assumed."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

_DOCS = "docs/import.md"
_refuse = partial(register, source=f"{_DOCS}, what is not taken over")
_warn = partial(register, severity=Severity.WARNING, source=f"{_DOCS}, what is left")

OTHER_PLATFORM = _refuse(
    "FG-IMP-041",
    "Imports do not read the files of this platform",
    why="The switch would be missing from the intent, and its links with it.",
    fix="Leave the switch out, or write the intent by hand.",
)
SAME_NAME = register(
    "FG-IMP-042",
    "Two switches have one name",
    why="Which of them a line of the intent means would be left to chance; file systems and DNS ignore case.",
    fix="Remove the stale file, or correct the host name.",
    source="RFC 4343 section 3",
)
TWO_OWNERS = register(
    "FG-IMP-043",
    "One address is at two ports",
    why="One of the two files is of another time or another fabric; a link to both does not exist.",
    fix="Collect both switches again, or remove the one that is not of this fabric.",
    source="RFC 5227 section 1",
)
OTHER_ASN = register(
    "FG-IMP-044",
    "A session expects another AS number than its neighbor has",
    why="The session cannot come up: RFC 4271 answers a bad peer AS with a NOTIFICATION. The files are of two times.",
    fix="Collect both switches again.",
    source="RFC 4271 section 6.2",
)
NO_HOSTS = _refuse(
    "FG-IMP-045",
    "No leaf was found",
    why="Tiers follow from the distance to hosts: a leaf has ports that are up and lead to no switch that was read.",
    fix="Collect the leafs, with their host ports up.",
)
NOT_ONE_FABRIC = _refuse(
    "FG-IMP-046",
    "Switches of another fabric",
    why="No path leads from them to the others, and they are neither a plane nor a rail of them.",
    fix="Import each fabric by itself.",
)
NOT_TAKEN = _refuse(
    "FG-IMP-047",
    "A kind of fabric that imports do not take over",
    why="An intent that leaves it out would change the network when it is rendered.",
    fix="Write the intent by hand; docs/import.md lists what is taken over.",
)
NO_MODEL = _refuse(
    "FG-IMP-048",
    "The model of a switch is not known",
    why="Ports, breakouts and buffers follow from the model.",
    fix="Name it with --switch, or add it to a catalog that --catalog names.",
)
MISSING = _warn(
    "FG-IMP-051",
    "A switch of the fabric was not read",
    why="Its neighbors lead to it; the intent has it as the others of its tier are.",
    fix="Collect it, and import again.",
)
UNPLACED = _warn(
    "FG-IMP-052",
    "A switch has no place in the intent that was found",
    why="Its cables are not those of any place that is left; it is not in the intent.",
    fix="Compare its cables with those of its neighbors; exceptions of the intent take single ones.",
)
DIFFERENCE = _warn(
    "FG-IMP-053",
    "A line that the intent does not explain",
    why="Rendering the intent gives another line, or none; a rollout would change it.",
    fix="Add a key or an exception, or accept the change; fabricgen diff INVENTORY DEPLOYED --details lists every one.",
)
SECRET = _warn(
    "FG-IMP-054",
    "A secret of a device stays on the device",
    why="The intent holds references only; the one that was written has to give the same secret.",
    fix="Put the secret where the reference says.",
)
ASSUMED = _warn(
    "FG-IMP-055",
    "Assumed, because files of switches do not say it",
    why="Servers, NICs and media are known to hosts only; host files and GPU counts follow them.",
    fix="Give --server, --nic, or correct the key.",
)
UNMANAGED = register(
    "FG-IMP-056",
    "Sections that fabricgen does not write",
    severity=Severity.INFO,
    why="They stay as they are on the devices, and are in no file that is rendered.",
    fix="No action is needed; fabricgen diff INVENTORY DEPLOYED --unmanaged lists them.",
    source=f"{_DOCS}, what is left",
)
