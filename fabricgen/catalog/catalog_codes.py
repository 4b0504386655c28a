"""Codes of what can be wrong with a catalog name or a catalog file."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(
    register,
    source="docs/architecture.md, law 3: what the catalog does not know is an error that says which file to add",
)

UNKNOWN_MODEL = declare(
    "FG-CAT-001",
    "Record is not in the catalog",
    why="Ports, lanes, buffers, limits and addresses of an unknown model would have to be guessed.",
    fix="Correct the name, or describe it in a file of that name in the inventory's own catalog folder.",
)
UNSAFE_NAME = register(
    "FG-CAT-002",
    "Catalog name is not a plain name",
    why="A catalog name becomes a file name; separators and dots could leave the catalog folder.",
    fix="Use letters, digits, '_' and '-' only, beginning with a letter or digit.",
    source="CWE-22, path traversal",
)
CONTRADICTION = register(
    "FG-CAT-006",
    "Tables of a catalog file contradict themselves",
    why="Lanes or port numbers used twice give a switch that does not come up; of two rows for one key, which one "
    "holds is a guess.",
    fix="Take the table from the vendor's platform files.",
    source="sonic-net/sonic-buildimage, platform.json, pg_profile_lookup.ini",
)
BAD_MODE = register(
    "FG-CAT-007",
    "Breakout mode cannot be read or does not fit its cage",
    why="Ports would get lanes the cage does not have, or names the board does not know.",
    fix="Write modes as the network operating system spells them, for example 2x400G(8), with one alias per port.",
    source="sonic-net/SONiC, doc/dynamic-port-breakout",
)
WRONG_ID = declare(
    "FG-CAT-008",
    "Catalog file is not named like its record",
    why="A record is found by its file's name; a second name for it would never be looked up.",
    fix="Rename the file or correct the id.",
)
BROKEN_REFERENCE = declare(
    "FG-CAT-009",
    "Catalog file refers to something that does not exist",
    why="A port profile, buffer set or default that points nowhere cannot be rendered; a known fault of a key, value, "
    "platform or model that nothing has is never met.",
    fix="Define what is referred to, or correct the reference.",
)
UNCONFIRMED = register(
    "FG-CAT-010",
    "Catalog values without a public source that the hardware shows",
    why="They are general knowledge or left empty: addresses and limits may be wrong or missing.",
    fix="Read the fields off the hardware and put the record into the inventory's own catalog folder.",
    source="docs/architecture.md, law 4: every constant cites a public source",
    severity=Severity.WARNING,
)
UNPUBLISHED = register(
    "FG-CAT-020",
    "Catalog values that only the maker could publish",
    why="A limit of an ASIC that is not published is not checked; a figure from general knowledge may be wrong.",
    fix="No action needed; ask the maker where a limit decides.",
    source="docs/architecture.md, law 4: every constant cites a public source",
    severity=Severity.INFO,
)
