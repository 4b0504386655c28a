"""Changes to vtysh commands, each replacing what it changes in place, and a look at the sessions after them.

FRR takes a setting again under the same name as its new value, so nothing is ever switched off to be switched on again.
What a thing refers to is made before it and removed after it: lists, route maps, the neighbours that use them.
What FRR has in no mode is in no running configuration: no command is written for it, it goes with the file.

A running configuration that is as it should be does not prove that sessions are: timers and graceful restart are
negotiated when a session starts, and a route that is configured may still not be announced.

Source:
    FRR user guide, vtysh, bgp, routemap, filter; every form is tried against FRR 8.4.4 by the tests.
    Measured on two live routers of 8.4.4 and 10.7.1: changed timers are used from the next session on, and BFD that is
    removed at one end resets the session at both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from fabricgen.platforms.families.vtysh.grammar import DIRECTED, INNER, OPTIMIZATION, name_length, opens_section
from fabricgen.platforms.families.vtysh.reader import ACTION, APART, ASN, GROUP, INTERFACE, NO, REFUSED, YES
from fabricgen.platforms.patching.steps import ABSENT, Change, PatchStep, Situation, StepPhase, run, worst
from fabricgen.platforms.reading.reader import Tree, look_up
from fabricgen.platforms.reading.semantics import PLAIN, Meaning

Steps = tuple[str, ...]
_LEAF_ORDER = {INTERFACE: 0, "interface v6only": 0, GROUP: 0, "remote-as": 1, "peer-group": 2}
_SET, _REMOVE = 0, 9
_LISTS, _MAPS, _OTHERS, _ROUTER, _FAMILY = 0, 1, 2, 3, 4
_LIST_SIGNS = ("prefix-list ", "community-list ", "as-path access-list ", "access-list ")
_BGP, _NEIGHBOR = "router bgp", "neighbor "
_ABOUT_ROUTES = (_BGP, "route-map ", "ip prefix-list", "ipv6 prefix-list", "bgp ", "ip protocol", "ipv6 protocol")
_NEGOTIATED = ("timers bgp", "bgp graceful-restart")
_TIMERS = "timers"


class PatchCommand(NamedTuple):
    """A line in the sections it belongs to; commands sort into the order in which they may be given."""

    phase: int
    rank: int
    sections: tuple[str, ...]
    order: int
    line: str


def plan_patch(situation: Situation) -> tuple[PatchStep, ...]:
    """The commands for the running daemons, and the file that they read when they start."""
    if not situation.changes:
        return ()
    name = situation.path.rsplit("/", 1)[-1]
    disruption = worst([change.disruption for change in situation.changes])
    commands = list_commands(situation)
    return (
        PatchStep("vtysh -f {file}", f"{name}.commands", "".join(f"{line}\n" for line in commands), disruption),
        *plan_sessions(situation),
        PatchStep(
            f"install -m 640 {{file}} /{situation.path}", name, situation.outcome_text, "hitless", phase=StepPhase.save
        ),
    )


def write(tree: Tree) -> str:
    """Write a configuration: the commands that make it on a daemon that has none."""
    root = Meaning((), {})
    changes = tuple(Change((key,), ABSENT, value, root) for key, value in tree.items())
    planned = _Planner(Situation("", changes, {}, tree, "", "", PLAIN)).commands()
    ordered = sorted(planned, key=attrgetter("phase", "rank", "sections", "order"))
    return "".join(f"{line}\n" for line in _layout(ordered)) + "end\n"


def list_commands(situation: Situation) -> list[str]:
    """The commands with the sections they stand in, in an order in which all of them take effect."""
    commands = filter(_is_taken, _Planner(situation).commands())
    return list(_layout(sorted(commands, key=attrgetter("phase", "rank", "sections", "order"))))


def find_untaken(situation: Situation) -> list[Steps]:
    """Return the paths of a file that no command removes, because FRR has what stands there in no mode."""
    planner = _Planner(situation)
    found: list[Steps] = []
    for change in situation.changes:
        if change.after is not ABSENT:
            continue
        if change.steps == (REFUSED,):
            found += ((REFUSED, line) for line in change.before)
        elif change.steps[0] == REFUSED or not all(map(_is_taken, planner.removals(change))):
            found.append(change.steps)
    return found


def _is_taken(command: PatchCommand) -> bool:
    """Return whether FRR has the command that a removal takes back; commands that are set are the intent's."""
    if command.phase != _REMOVE or not command.line.startswith("no "):
        return True
    words = command.line.removeprefix("no ").split()
    is_neighbor = words[0] == "neighbor"
    named = words[2:] if is_neighbor else words
    if name_length(named, of_neighbor=is_neighbor) < len(named):
        return True
    # What FRR itself writes needs none of its grammar.
    from fabricgen.platforms.families.vtysh.commands import has_removal

    return has_removal(command.sections, command.line)


def _leave(section: str) -> str:
    return "exit-address-family" if section.startswith("address-family") else "exit"


def _layout(commands: Iterable[PatchCommand]) -> Iterator[str]:
    for sections, group in groupby(commands, key=lambda command: command.sections):
        for depth, section in enumerate(sections):
            yield " " * depth + section
        for command in group:
            if command.line:
                yield " " * len(sections) + command.line
        for depth in range(len(sections) - 1, -1, -1):
            yield " " * depth + _leave(sections[depth])


class _Planner:
    """Turns the changes of one situation into commands."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._renamed = {
            change.steps[0]
            for change in situation.changes
            if change.steps[1:] == (ASN,) and change.before is not ABSENT and change.after is not ABSENT
        }
        self._gone = {each.steps[:2] for each in situation.changes if each.after is ABSENT and _is_neighbor(each.steps)}

    def commands(self) -> Iterator[PatchCommand]:
        """Every command, in no order."""
        for name in self._renamed:
            before, after = self._situation.before[name], self._situation.after[name]
            yield PatchCommand(_SET, -1, (), 0, f"no {_router_line(name, before)}")
            yield from self._set((name,), after)
        for change in self._situation.changes:
            if change.steps[0] in (REFUSED, *self._renamed) or self._falls_with_neighbor(change):
                continue
            moves = self._moves(change)
            if moves:
                yield PatchCommand(_SET, _rank(change.steps), (), -1, f"no {' '.join(change.steps)} {change.before}")
            if change.after is ABSENT:
                yield from () if moves else self.removals(change)
            else:
                yield from self._set(change.steps, change.after)

    def _moves(self, change: Change) -> bool:
        """Return whether an entry of a list gets another number; release 8 ignores it while the old one is there."""
        if len(change.steps) != 2 or not _is_list(change.steps) or change.before is ABSENT:
            return False
        name, number = change.steps
        have, wanted = look_up(self._situation.before, name), look_up(self._situation.after, name)
        return any(key != number and value == change.before and have.get(key) != value for key, value in wanted.items())

    def _falls_with_neighbor(self, change: Change) -> bool:
        """Return whether a change is about the address family of a neighbour that is removed as a whole."""
        steps = change.steps
        return len(steps) > 2 and steps[1].startswith("address-family ") and (steps[0], steps[2]) in self._gone

    def _set(self, steps: tuple[str, ...], value: Any) -> Iterator[PatchCommand]:
        """Set a value, or everything in a subtree."""
        if isinstance(value, dict):
            sections, line = self._place(steps, self._situation.after)
            if not value or line is None:
                yield PatchCommand(_SET, _rank(steps), sections, 0, line or "")
            for key in sorted(value, key=lambda key: (_LEAF_ORDER.get(key, 3), not _is_group(value[key]))):
                yield from self._set((*steps, key), value[key])
            return
        sections, line = self._place(steps, self._situation.after)
        yield PatchCommand(_SET, _rank(steps), sections, self._order(steps), _positive(line or "", steps, value))

    def _order(self, steps: tuple[str, ...]) -> int:
        """Peer groups before their members, and what makes a neighbour before what is set of it."""
        leaf = _LEAF_ORDER.get(steps[-1], 3)
        if len(steps) > 2 and steps[1].startswith("neighbor "):
            neighbor = look_up(self._situation.after, steps[0], steps[1])
            return leaf + (10 if not _is_group(neighbor) else 0)
        return leaf

    def removals(self, change: Change) -> Iterator[PatchCommand]:
        """Remove what the device has and should not; what has a default gets it."""
        steps, value, default = change.steps, change.before, change.meaning.default
        if default not in (None, NO) and not isinstance(value, dict):
            yield from self._set(steps, default)
            return
        sections, line = self._place(steps, self._situation.before)
        if isinstance(value, dict) and not _falls_as_whole(steps):
            for key in value:
                yield from self.removals(Change((*steps, key), value[key], ABSENT, change.meaning.child(key)))
            return
        if isinstance(value, dict):
            around = sections if len(steps) > 1 and not steps[0].startswith("route-map ") else ()
            yield PatchCommand(_REMOVE, -_rank(steps), around, 0, f"no {_heading(steps, value)}")
        else:
            # What turns a secret off does not say it.
            positive = _positive(line or "", steps, YES if change.meaning.is_secret else value)
            if not positive:
                return
            opposite = positive.removeprefix("no ") if value in (NO, APART) else f"no {positive}"
            # FRR turns a setting on again with its details, so the details go first.
            yield PatchCommand(_REMOVE, -_rank(steps), sections, -len(steps[-1]), opposite)

    def _place(self, steps: tuple[str, ...], tree: Tree) -> tuple[tuple[str, ...], str | None]:
        """(sections around, line without its value) of a path; no line for a section itself."""
        top = steps[0]
        if _is_list(steps):
            return (), " ".join(steps)
        if top.startswith("route-map ") and not top.endswith(OPTIMIZATION):
            if len(steps) == 1:
                return (), None
            # What no device has taken may stand in a collected file: an entry that is no section.
            entry = look_up(self._situation.after, top, steps[1]) or look_up(tree, top, steps[1])
            action = entry.get(ACTION, "permit")
            heading = (f"{top} {action} {steps[1]}",)
            return heading, "" if steps[2:] in ((), (ACTION,)) else steps[2]
        return _place_inside(steps, tree) if opens_section(top) else ((), top)


def _place_inside(steps: tuple[str, ...], tree: Tree) -> tuple[tuple[str, ...], str | None]:
    """Place a path in the sections that the reader opens for it; what is in none of them is the words of one line."""
    top, *rest = steps
    sections = [_router_line(top, look_up(tree, top)) if top.startswith("router ") else top]
    while rest[1:] and rest[0].startswith(INNER):
        sections.append(rest.pop(0))
    line = "" if rest == [ASN] else " ".join(rest)
    return tuple(sections), line if rest else None


def _router_line(name: str, section: Tree) -> str:
    words = name.split()
    return " ".join([*words[:2], str(section.get(ASN, "")), *words[2:]]).replace("  ", " ").strip()


def _positive(line: str, steps: tuple[str, ...], value: Any) -> str:
    """A command with its value, in the form that FRR requires."""
    text = str(value)
    if steps[-1] in (ACTION, ASN):
        return ""
    neighbor = next((step for step in steps[1:] if step.startswith("neighbor ")), "")
    leaf = steps[-1]
    if neighbor and leaf == GROUP:
        return f"{neighbor} peer-group"
    word, _, direction = leaf.partition(" ")
    if neighbor and word in DIRECTED and direction and value not in (YES, NO):
        return f"{neighbor} {word} {text} {direction}"
    if text == YES:
        return line
    return f"no {line}" if text in (NO, APART) else f"{line} {text}"


def _heading(steps: tuple[str, ...], value: Tree) -> str:
    """The line that a subtree is removed by."""
    if steps[0].startswith("route-map ") and len(steps) == 2:
        return f"{steps[0]} {value.get(ACTION, 'permit')} {steps[1]}"
    return _router_line(steps[0], value) if steps[0].startswith("router ") and len(steps) == 1 else steps[-1]


def _falls_as_whole(steps: tuple[str, ...]) -> bool:
    """Return whether one ``no`` takes a subtree away; of neighbours, only those of a router have one."""
    top = steps[0]
    if top.startswith("router "):
        return len(steps) == 1 or _is_neighbor(steps)
    return not top.startswith("interface ") and not steps[-1].startswith("neighbor ")


def _is_list(steps: tuple[str, ...]) -> bool:
    return any(sign in f"{steps[0]} " for sign in _LIST_SIGNS)


def _is_neighbor(steps: tuple[str, ...]) -> bool:
    return len(steps) == 2 and steps[0].startswith("router ") and steps[1].startswith("neighbor ")


def _is_group(value: Any) -> bool:
    return isinstance(value, dict) and value.get(GROUP) == YES


def _rank(steps: tuple[str, ...]) -> int:
    top = steps[0]
    if _is_list(steps):
        return _LISTS
    if top.startswith("route-map "):
        return _MAPS
    if not top.startswith("router "):
        return _OTHERS
    return _FAMILY if len(steps) > 1 and steps[1].startswith("address-family ") else _ROUTER


def plan_sessions(situation: Situation) -> Iterator[PatchStep]:
    """Yield the resets that changes need to hold, then what to look at."""
    routers = {name: look_up(situation.after, name) for name in situation.after if name.startswith(_BGP)}
    changed = [change.steps for change in situation.changes]
    for words in tuple(_resets(situation)):
        yield run(f"vtysh -c 'clear bgp {words}'", "negotiated when a session starts", disruption="session reset")
    terms = {word for steps in changed for step in steps for word in step.split()}
    new = {change.idle for change in situation.changes}
    for router in routers.values() if any(steps[0].startswith(_ABOUT_ROUTES) for steps in changed) else ():
        yield _look_at_sessions(router, new)
    if "bfd" in terms:
        yield _look("show bfd peers brief", "every session is up where the other end runs BFD too")


def _resets(situation: Situation) -> Iterator[str]:
    """Neighbours to reset, in the words of FRR; each once, and none that is new."""
    words: dict[str, None] = {}
    for change in situation.changes:
        router, _, setting = (*change.steps, "", "")[:3]
        if not router.startswith(_BGP) or router not in situation.before or len(change.steps) == 1:
            continue
        if change.steps[1].startswith(_NEGOTIATED):
            words["*"] = None
        elif setting == _TIMERS:
            is_group = _is_group(look_up(situation.after, router).get(change.steps[1]))
            words[("peer-group " if is_group else "") + change.steps[1].removeprefix(_NEIGHBOR)] = None
    yield from ("*",) if "*" in words else words


def _look_at_sessions(router: Tree, new: set[str]) -> PatchStep:
    """Return the look at the neighbours of a router, of which groups are none."""
    sessions = {
        key.removeprefix(_NEIGHBOR)
        for key, value in router.items()
        if key.startswith(_NEIGHBOR) and isinstance(value, dict) and not _is_group(value)
    }
    added = len(new & sessions)
    later = f"; {added} of them are new, and come up once their other end has them too" if added else ""
    established = f"{len(sessions)} neighbours, each Established with prefixes received and sent{later}"
    return _look("show bgp summary", established)


def _look(command: str, expected: str) -> PatchStep:
    return run(f"vtysh -c '{command}'", f"look: {expected}", phase=StepPhase.verify)
