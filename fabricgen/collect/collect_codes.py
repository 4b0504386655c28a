"""Codes of everything that can be wrong with what was collected."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

_of_sides = partial(register, source="docs/diff.md, sides")
NO_SIDE = _of_sides(
    "FG-DIF-001",
    "There is nothing to compare at that place",
    why="A comparison needs both sides.",
    fix="Name an inventory, a rendered tree, a git REV:PATH such as HEAD:my-fabric, collected files, or - for stdin.",
)
NO_REVISION = register(
    "FG-DIF-002",
    "The git revision cannot be read",
    why="A comparison needs both sides.",
    fix="Name a revision and a path that git show knows, from inside the repository.",
    source="git documentation, gitrevisions: <rev>:<path>",
)
NEW_PATH = _of_sides(
    "FG-DIF-004",
    "The deployed revision does not have the path yet",
    severity=Severity.INFO,
    why="Every device is compared with nothing, as in the change that adds an inventory.",
    fix="No action is needed if the change adds it; otherwise correct the path behind the colon.",
)
NOT_REGULAR = _of_sides(
    "FG-DIF-014",
    "A directory, a device, a FIFO or a socket in place of a configuration",
    why="It has no content that could be compared, or one without end; the other devices are compared.",
    fix="Name a regular file; pipe what a program writes to -.",
)


declare = partial(register, source="docs/collect.md, what can go wrong")
_lacking = partial(declare, why="Nothing of the device is taken; the other devices are collected.")

NO_LIBRARY = register(
    "FG-COL-001",
    "A library that reaches devices is not installed",
    why="SSH takes asyncssh, eAPI and NVUE take httpx; without it no device can be reached.",
    fix="Run pip install 'fabricgen[collect]'.",
    source="docs/adr/0019-asyncssh-collects.md, docs/adr/0020-apis-over-https.md",
)
NO_READINGS = _lacking(
    "FG-COL-004",
    "The platform does not say how its devices are read",
    fix="Add collect to the platform's manifest, or leave the devices out with --only or --tier.",
)
BAD_ADDRESS = declare(
    "FG-COL-005",
    "An address of a device is none, or of no device",
    why="The device would be looked for at the wrong place.",
    fix="Write NAME=HOST, NAME=HOST:PORT or NAME=[IPV6]:PORT, with the name of a device of the inventory, "
    "and eapi:// or nvue:// before HOST for another way than SSH.",
)
BAD_LOGIN = declare(
    "FG-COL-006",
    "A key, a known_hosts file, a certificate or a secret of the login cannot be used",
    why="No device would let the login in, or none could be recognised.",
    fix="Correct the option or the file that is named.",
)
IN_WORK_TREE = declare(
    "FG-COL-007",
    "The collection lies in a git work tree",
    severity=Severity.WARNING,
    why="Configurations hold secrets, and what lies there is easily committed.",
    fix="Use --redact, or name a folder outside the work tree; a .gitignore that covers the folder does as well.",
)
NO_WAY = declare(
    "FG-COL-008",
    "A device cannot be reached in the way that is named",
    why="Its platform has no such API, or fabricgen does not know how to ask it.",
    fix="Leave --via out, or choose devices with --only or --tier; ssh reaches all platforms.",
)
UNREACHABLE = _lacking(
    "FG-COL-010",
    "A device cannot be reached",
    fix="Check its address, its server and the way there; --address names another address, --jump a jump host.",
)
UNKNOWN_KEY = declare(
    "FG-COL-011",
    "The key or certificate of a device is not known",
    why="Anything could answer in the device's place and get the login's password.",
    fix="Compare the fingerprint with the device's own; then add it: a host key to the known_hosts file, a "
    "certificate to --pins, or name its authority with --ca.",
)
CHANGED_KEY = declare(
    "FG-COL-012",
    "The key or certificate of a device has changed",
    why="The device was installed anew, another one has its address, or an attacker answers in its place.",
    fix="Check on the device which of these it is; only then replace the host key (ssh-keygen -R, ssh-keyscan) or "
    "the line in the file of --pins.",
)
LOGIN_REFUSED = _lacking(
    "FG-COL-013",
    "A device refuses the login",
    fix="Name the user with --user, and the key with --key or ssh-add, or the password with --password.",
)
TIMED_OUT = _lacking(
    "FG-COL-014",
    "A device did not answer in time",
    fix="Run the command by hand; --timeout gives slow devices more time.",
)
SESSION_FAILED = declare(
    "FG-COL-015",
    "A session broke off, or a command ended without an exit status",
    why="Half an answer looks like a whole one, so nothing of the device is taken.",
    fix="Collect the device again; look at the cause with ssh -v, or with curl -v.",
)
REDIRECTED = declare(
    "FG-COL-018",
    "A device redirects to another place",
    why="The login's password would follow, so no redirection is followed.",
    fix="Name the place itself with --address, if it is the device.",
)
COMMAND_FAILED = declare(
    "FG-COL-020",
    "A command that reads the configuration failed",
    why="What it printed could be half of a configuration, so nothing of the device is taken.",
    fix="Run the command by hand as the same user; it may take more rights.",
)
NO_CONFIGURATION = declare(
    "FG-COL-023",
    "The answer of a device is no complete configuration",
    why="It would be compared as if it were one, so nothing of the device is taken.",
    fix="Run the command by hand; a notice of the login or missing rights may take its place, or more than is taken.",
)
NO_STATE = declare(
    "FG-COL-024",
    "A device does not give a state reading",
    severity=Severity.WARNING,
    why="A check that needs it cannot judge the device; its configuration and its other readings are collected.",
    fix="Run the command by hand; the feature may be off or the command missing in this release.",
)
NOT_REDACTED = declare(
    "FG-COL-031",
    "A configuration cannot be redacted",
    why="It would hold what may be a secret, so nothing of the device is taken.",
    fix="Collect the device without --redact, into a folder that no one else reads.",
)
