"""Codes of everything that can be wrong with the text of an input file before anybody looks at what it means."""

from __future__ import annotations

from fabricgen.diagnostics import register

_NOT_READ = "None of the file is read, so nothing it declares can be checked or rendered."

MISSING = register(
    "FG-SRC-001",
    "The file does not exist",
    why=_NOT_READ,
    fix="Correct the path, or create the file.",
    source="POSIX.1-2017, open(): ENOENT and ENOTDIR",
    fatal=True,
)
UNREADABLE = register(
    "FG-SRC-002",
    "The file cannot be read",
    why=_NOT_READ,
    fix="Give the user who runs fabricgen permission to read the file.",
    source="POSIX.1-2017, open() and read(): EACCES, EIO and others",
    fatal=True,
)
DIRECTORY = register(
    "FG-SRC-003",
    "A directory where a file is expected",
    why=_NOT_READ,
    fix="Name the file inside the directory.",
    source="POSIX.1-2017, read(): EISDIR",
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
NOT_REGULAR = register(
    "FG-SRC-026",
    "Not a regular file",
    why="A FIFO or a socket may never answer and a device may never end; what they give cannot be read twice.",
    fix="Write what it carries to a regular file and name that file.",
    source="POSIX.1-2017, open(): O_NONBLOCK on a FIFO; CWE-66, file names that identify virtual resources",
    fatal=True,
)
NO_FOLDER = register(
    "FG-SRC-028",
    "Not a directory",
    why="What is looked up in it would be passed over in silence, and something else used in its place.",
    fix="Move it away, or make it the directory that is expected there.",
    source="POSIX.1-2017, open(): ENOTDIR",
    fatal=True,
)
OUTSIDE = register(
    "FG-SRC-027",
    "A file outside the inventory's folder",
    why=(
        "A person who may change the inventory could have fabricgen read, and print parts of, any file that its "
        "user may read."
    ),
    fix="Copy the file into the inventory's folder; use relative links that stay inside.",
    source="CWE-59, link following; openat2(2), RESOLVE_BENEATH",
    fatal=True,
)
WIDE_ENCODING = register(
    "FG-SRC-005",
    "The file is not UTF-8 but UTF-16 or UTF-32",
    why=_NOT_READ,
    fix="Save the file as UTF-8 without byte order mark.",
    source="RFC 8259 section 8.1; fabricgen reads and writes UTF-8 only, so that bytes stay comparable",
    fatal=True,
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
EMPTY = register(
    "FG-SRC-010",
    "The file holds no data",
    why=_NOT_READ,
    fix="Write the document, or drop the reference to the file.",
    source="YAML 1.2.2 section 9.1",
    fatal=True,
)
SYNTAX = register(
    "FG-SRC-011",
    "The text is not YAML",
    why=_NOT_READ,
    fix="Correct the line the message points at; quotes around a text make it plain data.",
    source="YAML 1.2.2",
    fatal=True,
)
JSON_SYNTAX = register(
    "FG-SRC-012",
    "The text is not JSON",
    why=_NOT_READ,
    fix="Correct the place the message points at, or rename the file to .yaml if it is YAML.",
    source="RFC 8259",
    fatal=True,
)
SEVERAL_DOCUMENTS = register(
    "FG-SRC-013",
    "More than one document in a file",
    why="Everything behind the separator would be ignored.",
    fix="Put every document into a file of its own; overlays are given with --overlay.",
    source="YAML 1.2.2 section 9.2, streams",
)
TAG = register(
    "FG-SRC-014",
    "An explicit tag",
    why="Tags make a reader build other types than the ones that are written, up to running code.",
    fix="Delete the tag; put quotes around a value that is to be a text.",
    source="YAML 1.2.2 section 6.8.2; CWE-502, deserialization of untrusted data",
)
MERGE_KEY = register(
    "FG-SRC-015",
    "A merge key",
    why="Merge keys left the language with YAML 1.2, and a merged value has no place of its own to point at.",
    fix="Write the values out, or put what differs into an overlay.",
    source="YAML 1.2.2 section 10; the merge type is a YAML 1.1 working draft",
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
ALIAS_CYCLE = register(
    "FG-SRC-020",
    "An alias inside the value it names",
    why="The value would contain itself without end.",
    fix="Write the value out.",
    source="YAML 1.2.2 section 3.1.1: the graph may be cyclic; a configuration may not",
)
ALIAS_UNKNOWN = register(
    "FG-SRC-021",
    "An alias without anchor",
    why="The value it stands for is nowhere defined, so the entry would be missing.",
    fix="Define the anchor above its first use; put quotes around a text that starts with an asterisk.",
    source="YAML 1.2.2 section 7.1, alias nodes",
)
NOT_A_MAPPING = register(
    "FG-SRC-022",
    "The document is not a mapping",
    why=_NOT_READ,
    fix="Start the document with 'key: value' lines.",
    source="fabricgen's intent language: a document is a mapping of its sections",
    fatal=True,
)
NUMBER_RANGE = register(
    "FG-SRC-024",
    "A number that is too large to be read",
    why="No quantity of a fabric is that large; the value would be read as infinite or exhaust the reader.",
    fix="Correct the number; put quotes around digits that are a text.",
    source="IEEE 754 binary64; CPython integer string conversion limit",
)
DIRECTIVE = register(
    "FG-SRC-025",
    "A YAML directive",
    why="A directive changes how the lines below it are read; fabricgen always reads YAML 1.2 without custom tags.",
    fix="Delete the line.",
    source="YAML 1.2.2 section 6.8, directives",
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
    "A row with more or fewer fields than the header",
    why="From the gap on every value is in the wrong column.",
    fix="Add the missing fields, or put quotes around a value that contains a comma.",
    source="RFC 4180 section 2 rule 4",
)
CSV_QUOTE = register(
    "FG-SRC-034",
    "A quote that is out of place",
    why="Where the value ends is unclear, so the rest of the row cannot be trusted.",
    fix='Close the quote on the same line; write a quote inside a quoted value twice: "".',
    source="RFC 4180 section 2 rules 5 to 7",
)
