"""Meaning of a difference in one kind of file: its owner, its name among operators, the disruption of a change.

Input: the YAML file that an output of a manifest names. Output: ``Semantics``, a frozen set of rules over the paths of
the trees a reader makes. Entry point: ``load_semantics``. templates/README.md describes the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.files import Refused, read_file
from fabricgen.platforms.platform_codes import BROKEN_CLASS
from fabricgen.platforms.reading.file_format import LINES, FileFormat
from fabricgen.platforms.reading.reader import SIGN, ReadFault, Tree, matches
from fabricgen.platforms.reading.traffic import CarrierEntry, LosslessEntry
from fabricgen.platforms.values import Line
from fabricgen.source import load_data
from fabricgen.validation.file_faults import FileFaults
from fabricgen.validation.forms import Key, Written, record, refuse

if TYPE_CHECKING:
    from pydantic import TypeAdapter

DISRUPTIONS = ("hitless", "login", "session reset", "port flap", "drain", "reboot")
"""Disruption of carrying out a change, from nothing to everything; a login that is cut disturbs no traffic."""
LOGIN = DISRUPTIONS[1]
OWNERS = ("fabricgen", "device", "operator")
"""Owners of a value: fabricgen, the device itself (never compared), or the operator (reported apart)."""
ORDERS = ("ordered", "set", "words", "ranges")
"""Meaning of a list: its order matters; it does not; a comma-separated text is one; so is a text with ranges (0-2)."""
SECRETS = ("true", "key")
"""Marks of a secret: a value is one; ``key`` says it of the keys right below."""
SHUTDOWNS = ("honors", "tells")
"""Parts of graceful shutdown (RFC 8326): routes of a drained neighbor are demoted; neighbors learn of the own drain."""
ENDS = ("none", "dscp", "pfc", "mark", "dcqcn", "ecn", "queues", "mtu", "session", "hash")
"""Kinds of changes whose other end is another device, see ``rollout.two_ends``; none ends an inherited one."""
_DEFAULTS_MAX_BYTES = 1 << 20
"""Most that is read of a file of defaults; that of EOS has 12 KB."""
_INHERITED = (*("title", "owner", "secret", "counts", "patch", "disruption", "both_ends", "local", "ends"), "shutdown")


class SemanticsRule(NamedTuple):
    """Values that a rule gives to a path, by key of the semantics file; steps are patterns: ``*``, ``?``, ``[…]``."""

    steps: tuple[str, ...]
    values: Mapping[str, str]


class Meaning:
    """Everything the rules say of one path of a tree.

    Meanings are asked for step by step from the root; each step is worked out once for all devices, and steps that
    match the same rules, such as the rows of a table, have one and the same meaning below. A rule holds for
    what it matches and for everything below, unless a longer one says otherwise; ``default``, ``image``, ``order``,
    ``unit``, ``disruption_add``, ``disruption_remove`` and ``merged`` hold for the path
    itself.

    Attributes:
        values: What the rules say, by the key of the semantics file.
    """

    __slots__ = ("_active", "_alike", "_below", "_literal", "_wild", "values")

    def __init__(self, active: tuple[tuple[SemanticsRule, int], ...], inherited: Mapping[str, str]) -> None:
        """Take over the rules that may still match, with the number of steps they have matched."""
        self._active = active
        self._below: dict[str, Meaning] = {}
        self._alike: dict[tuple[str, ...], Meaning] = {}
        patterns = dict.fromkeys(rule.steps[depth] for rule, depth in active if depth < len(rule.steps))
        self._wild = tuple((SIGN.split(pattern, 1)[0], pattern) for pattern in patterns if SIGN.search(pattern))
        self._literal = frozenset(patterns)
        values = dict(inherited)
        for rule, depth in active:
            if depth == len(rule.steps):
                values.update(rule.values)
        self.values: Mapping[str, str] = values

    def child(self, step: str) -> Meaning:
        """The meaning of a path one step longer."""
        found = self._below.get(step)
        if found is None:
            # Most steps begin as none of the patterns does, which is seen much sooner than that they do not match.
            likely = [pattern for head, pattern in self._wild if step.startswith(head)]
            wild = (pattern for pattern in likely if pattern != step and matches(pattern, step))
            matching = (*((step,) if step in self._literal else ()), *wild)
            found = self._below[step] = self._alike.get(matching) or self._child_of(matching)
        return found

    def _child_of(self, patterns: tuple[str, ...]) -> Meaning:
        active = tuple((row, at + 1) for row, at in self._active if at < len(row.steps) and row.steps[at] in patterns)
        inherited = {key: value for key, value in self.values.items() if key in _INHERITED}
        if self.hides_keys:
            del inherited["secret"]
        found = self._alike[patterns] = Meaning(active, inherited)
        return found

    def get(self, key: str) -> str:
        """Return what the rules say under a key; empty if nothing."""
        return self.values.get(key, "")

    @property
    def default(self) -> str | None:
        """Return what the device assumes where nothing is written; None if that is not known."""
        return self.values.get("default")

    @property
    def is_secret(self) -> bool:
        """Return whether values here are never shown nor compared."""
        return self.values.get("secret") == "true"

    @property
    def hides_keys(self) -> bool:
        """Return whether the keys right below are secrets themselves."""
        return self.values.get("secret") == "key"

    @property
    def takes_both_ends(self) -> bool:
        """Return whether a session is down while only one of its ends has the value."""
        return self.values.get("both_ends") == "true"

    @property
    def is_local(self) -> bool:
        """Return whether a value concerns one device: no contract, address, route or neighbour needs it."""
        return self.values.get("local") == "true"

    @property
    def owner(self) -> str:
        """Comparison and change of files of one kind."""
        return self.values.get("owner", OWNERS[0])

    def patterns(self) -> Iterator[str]:
        """Every pattern of a step that a rule has."""
        return (step for rule, _ in self._active for step in rule.steps)

    def defaults(self) -> Iterator[tuple[str, str]]:
        """Keys right below that have a default, with it."""
        for rule, depth in self._active:
            if depth == len(rule.steps) - 1 and "default" in rule.values and rule.steps[-1].isidentifier():
                yield rule.steps[-1], rule.values["default"]


def _plain(*legal: str) -> Written:
    """A text, a number or a boolean as it is written, out of the legal ones if there are some."""

    def read(value: Any) -> str:
        text = str(value).lower() if isinstance(value, bool) else getattr(value, "raw", value)
        if not isinstance(text, str | int):
            raise refuse("is not a text or a number")
        if legal and text not in legal:
            raise refuse(f"is not one of {', '.join(legal)}", legal=legal)
        return str(text)

    return Written(read, ("boolean", "number", "string"))


Plain = Annotated[str, _plain()]
Truth = Annotated[str, _plain("true", "false")]
Disruption = Annotated[str, _plain(*DISRUPTIONS)]


@record
class RuleEntry(NamedTuple):
    """A rule as a file has it: a path, and what it says of it."""

    path: Line
    title: Plain | None = None
    unit: Plain | None = None
    owner: Annotated[str, _plain(*OWNERS)] | None = None
    secret: Annotated[str, _plain(*SECRETS)] | None = None
    default: Plain | None = None
    image: Plain | None = None
    order: Annotated[str, _plain(*ORDERS)] | None = None
    counts: Plain | None = None
    patch: Plain | None = None
    local: Truth | None = None
    disruption: Disruption | None = None
    disruption_add: Disruption | None = None
    disruption_remove: Disruption | None = None
    both_ends: Truth | None = None
    ends: Annotated[str, _plain(*ENDS)] | None = None
    shutdown: Annotated[str, _plain(*SHUTDOWNS)] | None = None
    merged: Annotated[str, _plain("whole")] | None = None
    source: Plain | None = None


@record
class MergedEntry(NamedTuple):
    """Files of others that the system merges with ours: all win (``last``), or those behind ours by ``name``."""

    files: Line
    order: Literal["name", "last"]
    source: Line


@record
class Semantics(NamedTuple):
    """The rules by which files of one kind are compared and changed.

    Attributes:
        name: The file the semantics come from; empty for files compared by their ending alone.
        signs: Signs by which a text is recognised as this file, see ``signs``; none where only its name tells.
        compare: Values of another type are equal if they are written alike where this is ``text``.
        split: Depth to which a subtree that one side lacks is split into its parts.
        managed: Patterns of the first steps that fabricgen writes; all else belongs to others.
        absence: Value of a line that says that something is not set; empty where files have no such lines.
        defaults: File beside this one, in the syntax of the file that is compared: what the device does by itself.
        rules: Rules as the file has them; ``root``, the meaning of the empty path, is built of them.
        lossless: Places that tell which priorities are lossless.
        carriers: How the file names ports and sessions, and tells which of them carry nothing.
        merged: Files of others that the system merges with this one.
    """

    name: Annotated[str, Key("")] = ""
    format: Annotated[FileFormat, Key("")] = LINES
    signs: tuple[Line, ...] = ()
    compare: Literal["typed", "text"] = "typed"
    split: int = 1
    managed: tuple[Line, ...] = ()
    absence: Line = ""
    defaults: Line = ""
    rules: tuple[RuleEntry, ...] = ()
    lossless: tuple[LosslessEntry, ...] = ()
    carriers: tuple[CarrierEntry, ...] = ()
    merged: tuple[MergedEntry, ...] = ()
    data: dict[str, Any] = {}  # noqa: RUF012 - never written to
    root: Annotated[Meaning, Key("")] = Meaning((), {})

    @property
    def as_text(self) -> bool:
        """Return whether values of another type are equal if they are written alike."""
        return self.compare == "text"

    def manages(self, step: str) -> bool:
        """Return whether fabricgen writes below a first step."""
        return not self.managed or any(matches(pattern, step) for pattern in self.managed)


PLAIN = Semantics()
"""Semantics of a file that names none."""


def load_semantics(root: Path, name: str, bag: Bag, file_format: FileFormat = LINES) -> Semantics | None:
    """Read the semantics of an output from a file below a template root; None if it has a fault, which is reported.

    Those without a file have the format alone.
    """
    if not name:
        return PLAIN._replace(format=file_format)
    document = load_data(root / name, bag)
    if document is None:
        return None
    from fabricgen.validation.reading import read_strictly

    faults = FileFaults(Bag(), document)
    file: Semantics | None
    file, found = read_strictly(document, _adapter())
    for fault in found:
        faults.report(fault)
    known: Sequence[SemanticsRule] = ()
    if file is not None:
        file = file._replace(name=name, format=file_format)
        known = _read_defaults((root / name).parent, file, faults) if file.defaults else ()
    bag.extend(list(faults.bag))
    if file is None or faults.bag.has_errors:
        return None
    rules = (*known, *map(_rule, file.rules))
    return file._replace(root=Meaning(tuple((rule, 0) for rule in rules), {}))


def _read_defaults(folder: Path, file: Semantics, faults: FileFaults) -> Sequence[SemanticsRule]:
    """Return a rule for each line of a file of defaults, whose steps may be patterns."""
    data = read_file(folder / file.defaults, _DEFAULTS_MAX_BYTES)
    try:
        tree = file.format.read("" if isinstance(data, Refused) else data.decode("utf-8"))
        fault = data.reason if isinstance(data, Refused) else ""
    except (ValueError, ReadFault) as error:
        tree, fault = {}, str(error)
    if fault:
        faults.add(BROKEN_CLASS, f"the defaults {file.defaults} cannot be read: {fault}", "defaults")
    return [SemanticsRule(steps, {"default": str(value)}) for steps, value in _leaves(tree, ())]


def _leaves(tree: Tree, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for step, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, step))
        else:
            yield (*above, step), value


@cache
def _adapter() -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(Semantics)


def _rule(entry: RuleEntry) -> SemanticsRule:
    values = {key: value for key, value in entry._asdict().items() if value is not None and key != "path"}
    return SemanticsRule(tuple(entry.path.split(" > ")), values)
