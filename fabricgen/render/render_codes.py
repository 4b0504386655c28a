"""Diagnostic codes of the output tree, of secrets, and of templates and views that are at fault."""

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(
    register, source="docs/architecture.md, law 8: only paths in the old manifest are replaced or deleted"
)
_recover = partial(register, source="docs/architecture.md, law 8: a tree is written completely or not at all")
_of_input = partial(register, source="docs/architecture.md, law 9: input is data")
_POSIX_RENAME = "POSIX.1-2024, rename(): atomic replacement within one file system"

BAD_PATH = _of_input(
    "FG-OUT-001",
    "Output path leaves the tree or cannot be written",
    why="A hostname or template value that contains a path could write outside the output folder.",
    fix="Correct the name in the intent, or the output path in the platform's manifest: relative, with plain segments.",
)
DUPLICATE_PATH = declare(
    "FG-OUT-002",
    "Two outputs claim the same path",
    why="One of the two configurations would silently replace the other.",
    fix="Give the two devices different hostnames, or the two outputs of the platform different paths.",
)
NOT_A_TREE = declare(
    "FG-OUT-004",
    "Output folder or its manifest folder is not a folder",
    why="Nothing can be written there without destroying what it is.",
    fix="Choose another output folder, or move away what is in its place.",
)
MANIFEST_DAMAGED = declare(
    "FG-OUT-005",
    "Manifest of the output tree is damaged or edited",
    why="Without a trustworthy manifest it is unknown which files belong to fabricgen and may be replaced or deleted.",
    fix="Restore the folder `manifest` from version control, or render with --force: it replaces every file it makes.",
)
MANIFEST_IGNORED = declare(
    "FG-OUT-006",
    "Damaged manifest ignored because of --force",
    why="Files that only the damaged part listed are no longer known and stay where they are.",
    fix="Look for files of devices that no longer exist and delete them by hand.",
    severity=Severity.WARNING,
)
FOREIGN_FILE = declare(
    "FG-OUT-007",
    "Foreign file in the way",
    why="The file is not listed in the manifest, so fabricgen did not write it.",
    fix="Move the file away, or render with --force to replace it.",
)
EDITED_FILE = declare(
    "FG-OUT-008",
    "Hand-edited file in the way",
    why="The change would be lost, and it is in no intent.",
    fix="Bring the change into the intent and restore the file, or render with --force to discard it.",
)
SYMLINK = declare(
    "FG-OUT-009",
    "Symlink in the way",
    why="Following it would write outside the output tree.",
    fix="Remove the symlink; --force replaces a symlink in the place of a file, never one in the place of a folder.",
)
NOT_A_FILE = register(
    "FG-OUT-010",
    "Folder, device node or other file system in the way",
    why="Only a regular file can be replaced atomically.",
    fix="Move it away; --force does not remove it either.",
    source=_POSIX_RENAME,
)
CHANGED_MEANWHILE = declare(
    "FG-OUT-011",
    "File changed while the tree was being rendered",
    why="What was compared is no longer what would be replaced.",
    fix="Stop the process that writes into the tree, then run the command again.",
)
NO_SPACE = register(
    "FG-OUT-012",
    "Too little space or too few inodes",
    why="The tree cannot be written completely.",
    fix="Free space on the file system of the output folder, then run the command again.",
    source="docs/architecture.md, law 8: too little space is found before the commit",
)
OS_REFUSED = register(
    "FG-OUT-013",
    "Operating system refused a file operation",
    why="The tree cannot be read or written completely.",
    fix="Correct permissions, mount options or the device, then run the command again.",
    source="POSIX.1-2024, errno values of the call",
)
COMMIT_BLOCKED = _recover(
    "FG-OUT-014",
    "Unfinished commit meets an edited file",
    why="An earlier command died in the middle of its commit, and undoing it would destroy an edit made since.",
    fix="Move the file away and run the command again, or use --force to discard the edit.",
)
JOURNAL_DAMAGED = _recover(
    "FG-OUT-015",
    "Unfinished commit cannot be undone",
    why="Journal or kept files of a command that died are damaged or gone: the tree is partly old, partly new.",
    fix="Restore the tree from version control, or render with --force to write every file again.",
)
JOURNAL_IGNORED = _recover(
    "FG-OUT-016",
    "Unfinished commit dropped because of --force",
    why="What could not be undone is now treated like hand-edited files.",
    fix="No action is needed if this command renders the whole fabric.",
    severity=Severity.WARNING,
)
COMMIT_PENDING = _recover(
    "FG-OUT-018",
    "Tree holds an unfinished commit",
    why="An earlier command died in the middle of its commit, and a command that only reads may not undo it.",
    fix="Run `render` on this tree: it undoes the commit first.",
)
LEFTOVERS = register(
    "FG-OUT-019",
    "Staging leftovers could not be removed",
    why="The tree itself is complete, but temporary files lie beside its manifest.",
    fix="No action is needed; the next command that writes the tree removes them.",
    source="docs/architecture.md, law 8: writes are transactional",
    severity=Severity.WARNING,
)
COMMIT_STOPPED = register(
    "FG-OUT-022",
    "System stopped a commit half-way, and its undoing too",
    why="Some files are the new ones, the others the old ones. Nothing is lost: the journal and the folder beside it"
    " hold every old and every new file.",
    fix="Correct what the system refused, then run `render` on this tree: before anything else it undoes the commit.",
    source="docs/adr/0016-stopped-commit-is-undone.md",
)
COMMIT_UNDONE = register(
    "FG-OUT-023",
    "Unfinished commit undone",
    why="An earlier command died in the middle of its commit; the tree holds what it held before.",
    fix="No action is needed.",
    source="docs/adr/0016-stopped-commit-is-undone.md",
    severity=Severity.INFO,
)
BAD_TOKEN = _of_input(
    "FG-SEC-101",
    "Malformed secret reference, or one of an unknown scheme",
    why="What cannot be read as a reference would be deployed as if it were the secret.",
    fix="Write it as @fabricgen-secret:<scheme>:<key>@ with the scheme env, file, sops or vault.",
)
NO_VARIABLE = register(
    "FG-SEC-102",
    "Environment variable of a secret is not set",
    why="The secret cannot be written.",
    fix="Set the variable in the environment of the command.",
    source="docs/architecture.md, law 9: secrets are references",
)
NO_SECRET_FILE = register(
    "FG-SEC-103",
    "File of a secret cannot be read",
    why="The secret cannot be written.",
    fix="Create the file below the inventory folder and make it readable.",
    source="docs/architecture.md, law 9: secrets are references",
)
SECRET_OUTSIDE = _of_input(
    "FG-SEC-104",
    "File of a secret lies outside the inventory folder",
    why="An intent could read any file of the machine into a configuration.",
    fix="Put the file below the inventory folder, or use the scheme env.",
)
SECRET_VALUE = _of_input(
    "FG-SEC-105",
    "Value of a secret cannot be written",
    why="A line break or quote in the value would become configuration of its own.",
    fix="Choose a value of one line; where it goes into a text configuration, without spaces, quotes or backslashes.",
)
NOT_PRIVATE = register(
    "FG-SEC-106",
    "Folder for resolved secrets is not private",
    why="Others on this machine could read the secrets.",
    fix="Use a new folder, or one that you own with mode 0700.",
    source="docs/architecture.md, law 9: --with-secrets resolves into a 0700 directory",
)
IN_WORK_TREE = register(
    "FG-SEC-107",
    "Folder for resolved secrets lies in a git work tree",
    why="Secrets would be one `git add` away from everybody who can read the repository.",
    fix="Choose a folder outside every git work tree.",
    source="docs/architecture.md, law 9: refused inside a git work tree",
)
NO_COMMAND = register(
    "FG-SEC-109",
    "Program that looks up a secret is missing",
    why="SOPS and Vault references are resolved by your own sops and vault, with your rights.",
    fix="Install the program, or put its folder on the PATH of the command.",
    source="getsops/sops README; Vault CLI, vault kv get",
)
COMMAND_FAILED = register(
    "FG-SEC-110",
    "Program that looks up a secret failed or does not end",
    why="The secret cannot be written. The output of the program is not shown, because it might hold the secret.",
    fix="Log in first, and run it by hand: sops --decrypt --extract '[\"KEY\"]' PATH, or vault kv get -field=KEY PATH.",
    source="getsops/sops README; Vault CLI, vault kv get",
)
BAD_TEMPLATE = register(
    "FG-PLT-030",
    "Internal error: a platform's template or view is at fault",
    why="The file it belongs to cannot be rendered: a template fails or is no Jinja, a view fails, or what they "
    "write is not the file's format.",
    fix="Report it to the author of the platform: the fault is in the platform's templates, not in the intent.",
    source="templates/README.md; Jinja 3.1, template designer documentation",
)
UNSAFE_TEMPLATE = register(
    "FG-PLT-036",
    "Template of another package that the sandbox stops",
    why="It reaches for what no template needs, such as what Python has behind a value.",
    fix="Correct the template, or remove the package that ships it.",
    source="Jinja 3.1, sandbox; CWE-1336, template injection",
)
