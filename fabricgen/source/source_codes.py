"""Codes of everything that can be wrong with the text of an input file before anybody looks at what it means."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import register

_NOT_READ = "None of the file is read, so nothing it declares can be checked or rendered."
declare = partial(register, why=_NOT_READ, fatal=True)

MISSING = declare(
    "FG-SRC-001",
    "The file does not exist",
    fix="Correct the path, or create the file.",
    source="POSIX.1-2017, open(): ENOENT and ENOTDIR",
)
UNREADABLE = register(
    "FG-SRC-002",
    "No file or folder that can be read",
    why=_NOT_READ + " A FIFO or a device may never answer or end.",
    fix="Name a regular file, or the folder that is expected there, that the user who runs fabricgen may read.",
    source="POSIX.1-2017, open() and read(): EACCES, EISDIR, ENOTDIR and others; CWE-66, virtual resources",
    fatal=True,
)
TOO_LARGE = register(
    "FG-SRC-004",
    "The file is larger than 8 MiB, or one of its lines longer than 65536 characters",
    why="Intent is written by people and small; a file of this size is the wrong file, or exhausts its reader.",
    fix="Check that this is the right file; move bulk data such as assets into a CSV file of its own.",
    source="CWE-400, uncontrolled resource consumption",
    fatal=True,
)
OUTSIDE = register(
    "FG-SRC-027",
    "A file outside the inventory's folder",
    why="A person who may change the inventory could have fabricgen read, and print parts of, any file that its "
    "user may read.",
    fix="Copy the file into the inventory's folder; use relative links that stay inside.",
    source="CWE-59, link following; openat2(2), RESOLVE_BENEATH",
    fatal=True,
)
WIDE_ENCODING = declare(
    "FG-SRC-005",
    "The file is not UTF-8 but UTF-16 or UTF-32",
    fix="Save the file as UTF-8 without byte order mark.",
    source="RFC 8259 section 8.1; fabricgen reads and writes UTF-8 only, so that bytes stay comparable",
)
NOT_PLAIN_UTF8 = register(
    "FG-SRC-006",
    "Bytes that are not plain UTF-8",
    why="Bytes of another encoding change texts; a byte order mark is invisible, and other tools take it for part "
    "of the first key.",
    fix="Save the file as UTF-8 without byte order mark.",
    source="RFC 8259 section 8.1; Unicode 15 section 2.6: a byte order mark is not recommended for UTF-8",
)
CONTROL_CHARACTER = register(
    "FG-SRC-008",
    "A control or invisible character",
    why="Such characters break lines or hide text in the configuration of a device, and no editor shows them.",
    fix="Remove the character.",
    source="YAML 1.2.2 section 5.1, printable characters; Unicode TR 36 section 2.10",
)
TAB = register(
    "FG-SRC-009",
    "A tab where YAML requires spaces",
    why="How deep a tab indents depends on the editor, so the structure that is seen is not the one that is read.",
    fix="Indent with spaces; a tab is allowed inside quotes, block text and comments.",
    source="YAML 1.2.2 section 6.1, indentation spaces",
)
EMPTY = declare(
    "FG-SRC-010",
    "The file holds no data",
    fix="Write the document, or drop the reference to the file.",
    source="YAML 1.2.2 section 9.1",
)
SYNTAX = declare(
    "FG-SRC-011",
    "The text is not YAML",
    fix="Correct the line the message points at; quotes around a text make it plain data.",
    source="YAML 1.2.2",
)
JSON_SYNTAX = declare(
    "FG-SRC-012",
    "The text is not JSON",
    fix="Correct the place the message points at, or rename the file to .yaml if it is YAML.",
    source="RFC 8259",
)
UNREAD_FEATURE = register(
    "FG-SRC-014",
    "A feature of YAML that is not read",
    why="Tags and directives make a reader build other values than the ones that are written, up to running code; "
    "merge keys left the language with YAML 1.2; everything behind a second document would be ignored.",
    fix="Write the values out, in one document; put what differs into an overlay, and quotes around a text.",
    source="YAML 1.2.2 sections 6.8, 6.8.2, 9.2 and 10; CWE-502, deserialization of untrusted data",
)
DUPLICATE_KEY = register(
    "FG-SRC-016",
    "A key, item or column given twice",
    why="Only one of the two values can take effect, and which one depends on the reader.",
    fix="Keep one of the two.",
    source="YAML 1.2.2 section 3.2.1.1; RFC 8259 section 4; docs/intent.md, the text itself",
)
KEY_NOT_TEXT = register(
    "FG-SRC-017",
    "A key that is not a text",
    why="Every key of the language is a word; a number or a list in its place is a slip that would match nothing.",
    fix="Put quotes around the key if it is intended.",
    source="RFC 8259 section 4: names are strings",
)
ALIAS_EXPLOSION = register(
    "FG-SRC-018",
    "Aliases that expand to too many values",
    why="A few lines of aliases of aliases expand to billions of values and exhaust memory.",
    fix="Write the values out; an intent has no need of nested aliases.",
    source="CWE-776, recursive entity expansion",
    fatal=True,
)
TOO_DEEP = register(
    "FG-SRC-019",
    "Values nested too deep",
    why="No intent is that deep; such input is broken, or made to exhaust the stack of its reader.",
    fix="Look for brackets that are never closed.",
    source="CWE-674, uncontrolled recursion",
    fatal=True,
)
ALIAS_UNKNOWN = register(
    "FG-SRC-021",
    "An alias that names no value above it",
    why="The value it stands for is nowhere defined, or would contain itself without end.",
    fix="Define the anchor above its first use, or write the value out; put quotes around a text that starts with an "
    "asterisk.",
    source="YAML 1.2.2 sections 3.1.1 and 7.1, alias nodes",
)
NOT_A_MAPPING = declare(
    "FG-SRC-022",
    "The document is not a mapping",
    fix="Start the document with 'key: value' lines.",
    source="fabricgen's intent language: a document is a mapping of its sections",
)
NUMBER_RANGE = register(
    "FG-SRC-024",
    "A number that is too large to be read",
    why="No quantity of a fabric is that large; the value would be read as infinite or exhaust the reader.",
    fix="Correct the number; put quotes around digits that are a text.",
    source="IEEE 754 binary64; CPython integer string conversion limit",
)
CSV_MISSING_COLUMN = register(
    "FG-SRC-030",
    "A required column is missing",
    why="Every row would lack the value, so no row can be used.",
    fix="Add the column to the header line.",
    source="RFC 4180 section 2: the header names the fields",
    fatal=True,
)
CSV_UNKNOWN_COLUMN = register(
    "FG-SRC-031",
    "An unknown column",
    why="Its content would be ignored.",
    fix="Correct the name of the column, or delete the column.",
    source="RFC 4180 section 2: the header names the fields",
)
CSV_RAGGED_ROW = register(
    "FG-SRC-033",
    "A row that does not fit to the header",
    why="From a missing field, or a quote that is out of place, on every value is in the wrong column.",
    fix="Add the missing fields; put quotes around a value that contains a comma, and write a quote in it twice.",
    source="RFC 4180 section 2 rules 4 to 7",
)
