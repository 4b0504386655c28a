"""From a draft to the keys that give what was read: room for growth, names, settings, exceptions.

Each key is tried: the intent is compiled with it, and rendered where that is needed, and what a switch would then have
is held against what was read. What makes no difference is left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from fabricgen.device.transition import lower_plan
from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.inference import inference_codes as codes
from fabricgen.inference.cabling import End, Locate
from fabricgen.inference.draft import REASON, widen_pools
from fabricgen.inference.identity import list_rows
from fabricgen.inference.lengths import set_lengths
from fabricgen.inference.match import Match, find_pattern, lower_all, match_switches, score
from fabricgen.inference.shape import ROLES, FoundShape, most
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import device_leafs
from fabricgen.intent.types import HOST_NAME_FIELDS, SWITCH_NAME_FIELDS
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.found import FoundSwitch

Tree = dict[str, Any]
_GROWTH_MAX = 1 << 16
_ROOM, _EXACT = 6, 24
"""Doublings of a count that are tried as the room that it has, and numbers above it."""
_ROUNDS = 3
_SAMPLE = 2
_BLANK = "secret"


@dataclass(frozen=True, slots=True)
class Bench:
    """Stages that an intent is tried with.

    Attributes:
        plan: Plans an intent; None if it has none.
        read_back: Renders some switches of an intent, by name, and reads them as devices are read.
        list_small_pools: Returns the keys of pools that are smaller than what the counts of an intent reserve.
    """

    plan: Callable[[Tree], FabricPlan | None]
    read_back: Callable[[Tree, Sequence[str]], dict[str, FoundSwitch]]
    list_small_pools: Callable[[Tree], Sequence[IntentPath]]
    locate: Locate


def refine(draft: Tree, shape: FoundShape, bench: Bench, bag: Bag) -> tuple[Tree, Match] | None:
    """Return the intent and the switches at their places in it; None if the draft has no plan."""
    plan = bench.plan(draft)
    if plan is None:
        return None
    intent, match = deepcopy(draft), match_switches(plan, shape)
    if not match.tier(0):
        words = "no leaf has its links at the ports at which the model has them in a fabric of this shape"
        bag.add(codes.NOT_TAKEN, words, hint="check --switch, or write the intent by hand")
        return None
    set_lengths(intent, match, shape, bench.plan)
    _set_names(intent, match, shape)
    if "exceptions" in intent and (plan := bench.plan(intent)):
        match = match_switches(plan, shape)
    _set_asn(intent, match, shape)
    _set_room(intent, match, shape, bench)
    _set_growth(intent, match, shape, bench)
    _set_settings(intent, match, shape, bench, bag)
    hosts = {
        name: own for name, own in _host_names(match, shape, match.planned.values()) if "name" not in intent["hosts"]
    }
    match = _moved(match, lower_all(bench.plan(intent) or plan))
    if rows := list(list_rows(match, shape.cabling.switches, hosts)):
        intent["assets"] = rows
    exceptions = [*_absent_hosts(match, shape), *_cables(match, shape)]
    if exceptions:
        intent["exceptions"] = [*intent.get("exceptions", ()), *exceptions]
    widen_pools(intent, bench.list_small_pools)
    final = bench.plan(intent) or plan
    last = {key: intent.pop(key) for key in ("assets", "exceptions") if key in intent}
    return intent | last, _moved(match, lower_all(final))


def _moved(match: Match, other: Match) -> Match:
    """Return another plan's switches, matched as those of this plan at the same places."""
    names = {device: name for name, device in other.ids.items()}
    other.found = {names[match.ids[name]]: found for name, found in match.found.items() if match.ids[name] in names}
    return other


def _put(intent: Tree, path: Sequence[str], value: Any) -> None:
    """Set a key, or remove it where the value is None."""
    for step in path[:-1]:
        found = intent.setdefault(step, {})
        intent = found if isinstance(found, dict) else intent.setdefault(step, {})
    if value is None:
        intent.pop(path[-1], None)
    else:
        intent[path[-1]] = value


def _count(intent: Tree, path: Sequence[str]) -> int:
    value: Any = intent
    for step in path:
        value = value[step]
    return int(value["count"] if isinstance(value, dict) else value)


def _sample(match: Match) -> list[str]:
    """Return the first and the last switches of each tier."""
    tiers = [match.tier(number) for number in range(len(match.plan.tiers))]
    return list(dict.fromkeys(name for tier in tiers for name in (*tier[:_SAMPLE], *tier[-_SAMPLE:])))


def _set_room(intent: Tree, match: Match, shape: FoundShape, bench: Bench) -> None:
    """Add ``max`` to counts where addresses leave room for more."""
    names = [match.ids[name] for name in _sample(match)]

    def judge(tried: Tree) -> tuple[int, int]:
        plan = bench.plan(tried)
        found = _moved(match, lower_all(plan)) if plan is not None else None
        known = {device: name for name, device in found.ids.items()} if found else {}
        return score(found, shape.cabling, [known[device] for device in names]) if found else (0, 1)

    best, total = judge(intent)
    uppers = [["tiers", role, "count"] for role in ROLES[1:] if role in intent["tiers"]]
    for path in (*uppers, *([["units"]] if "pods" in intent else []), ["hosts", "per_unit"]):
        count = _count(intent, path)
        first = 1 << (count - 1).bit_length()
        exact = [] if path[0] == "hosts" else range(count, min(count + _EXACT, 2 * first))
        for room in (*(first << step for step in range(1, _ROOM + 1)), *exact):
            if best == total:
                return
            tried = deepcopy(intent)
            _put(tried, path, {"count": count, "max": room})
            equal, _ = judge(tried)
            if equal > best:
                best = equal
                _put(intent, path, {"count": count, "max": room})


def _set_growth(intent: Tree, match: Match, shape: FoundShape, bench: Bench) -> None:
    """Add ``max`` to the outermost count where limits on routes leave room for more."""
    name = match.tier(0)[0]
    wanted = shape.cabling.switches[match.found[name]].prefix_limit
    path = ["pods"] if "pods" in intent else ["units"]
    count = _count(intent, path)

    def limit(room: int) -> int:
        tried = deepcopy(intent)
        _put(tried, path, {"count": count, "max": room})
        plan = bench.plan(tried)
        # A name may be another one in a larger fabric.
        return lower_plan(plan).lower_switch(match.ids[name]).cls.routing.prefix_limit if plan else _GROWTH_MAX

    if not wanted or match.planned[name].cls.routing.prefix_limit == wanted:
        return
    low, high = count, count
    while high < _GROWTH_MAX and limit(high) < wanted:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if limit(middle) < wanted else (low, middle)
    if limit(low) == wanted:
        _put(intent, path, {"count": count, "max": low})


def _set_asn(intent: Tree, match: Match, shape: FoundShape) -> None:
    """Add the first AS number where most switches are as far from the planned one."""
    planned = match.planned
    steps = (shape.cabling.switches[found].asn - planned[name].asn for name, found in match.found.items())
    if step := most(steps, 0):
        _put(intent, ("routing", "asn", "base"), min(each.asn for each in planned.values()) + step)


def _set_names(intent: Tree, match: Match, shape: FoundShape) -> None:
    """Add patterns of names where they differ from the default ones and there is one that gives them all."""
    for number, tier in enumerate(match.plan.tiers):
        names = match.tier(number)
        if any(name != match.found[name] for name in names):
            fields = tier._replace(name_pattern=_all_of(SWITCH_NAME_FIELDS))
            pairs = [(_values(fields.device_name(match.ids[name].where)), match.found[name]) for name in names]
            if pattern := find_pattern(pairs):
                intent["tiers"][ROLES[number]]["name"] = pattern
    hosts = match.plan.hosts
    plain = match.plan._replace(hosts=tuple(replace(each, name_pattern=_all_of(HOST_NAME_FIELDS)) for each in hosts))
    found = dict(_host_names(match, shape, match.planned.values()))
    if any(name != own for name, own in found.items()):
        spelt = lower_all(plain).planned
        if pattern := find_pattern([(_values(key), own) for key, own in _host_names(match, shape, spelt.values())]):
            intent["hosts"]["name"] = pattern


def _all_of(fields: Sequence[str]) -> str:
    return " ".join(f"{name}={{{name}}}" for name in fields)


def _values(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(" "))


def _host_names(match: Match, shape: FoundShape, planned: Any) -> Iterator[tuple[str, str]]:
    """Yield the planned name of each host and the one that a port of its leaf says."""
    for switch in planned:
        name = match.found.get(switch.hostname)
        ports = {port.name: port for port in shape.cabling.hosts.get(name or "", ())}
        for port in switch.ports:
            if (own := ports.get(port.shape.name)) and own.neighbor[0]:
                yield port.peer, own.neighbor[0]


def _set_settings(intent: Tree, match: Match, shape: FoundShape, bench: Bench, bag: Bag) -> None:
    """Add settings that switches have otherwise than the intent gives them, and releases."""
    kinds, secrets = _group_kinds(match, shape), set[str]()
    usual = {kind[0]: kind for kind in sorted(kinds, key=lambda kind: len(kinds[kind]))}
    for _ in range(_ROUNDS):
        expected = _read_back(intent, match, kinds, bench)
        before = json.dumps(intent, sort_keys=True)
        for number, kind in usual.items():
            if kind[-1] and kind in expected and kind[-1] != expected[kind].release:
                intent["tiers"][ROLES[number]]["release"] = kind[-1]
        values = _differing(match, shape, kinds, expected)
        for key, by_kind in values.items():
            by_tier = {number: by_kind[kind] for number, kind in usual.items() if kind in by_kind}
            _set_key(intent, key, by_tier or dict(enumerate(by_kind.values())), is_shared=_agree(key, shape))
            _report_secret(key, by_kind.values(), secrets, shape, bench, bag)
        if json.dumps(intent, sort_keys=True) == before:
            break
    for kind, own in _read_back(intent, match, kinds, bench).items():
        _set_exceptions(intent, match, shape, kinds[kind], own)


Kind = tuple[int, str, str, str]
"""Tier, platform, board and release of switches."""


def _group_kinds(match: Match, shape: FoundShape) -> dict[Kind, list[str]]:
    """Return the matched switches by their kind, by names of the plan."""
    kinds: dict[Kind, list[str]] = {}
    for name, found in match.found.items():
        own = shape.cabling.switches[found]
        kinds.setdefault((match.ids[name].tier, own.platform, own.model, own.release), []).append(name)
    return kinds


def _read_back(
    intent: Tree, match: Match, kinds: Mapping[Kind, Sequence[str]], bench: Bench
) -> dict[Kind, FoundSwitch]:
    """Return a switch of each kind as the intent would render it."""
    plan = bench.plan(intent)
    if plan is None:
        return {}
    moved = {kind: plan.device_name(match.ids[names[0]]) for kind, names in kinds.items()}
    found = bench.read_back(intent, list(moved.values()))
    return {kind: found[name] for kind, name in moved.items() if name in found}


def _differing(
    match: Match, shape: FoundShape, kinds: Mapping[Kind, Sequence[str]], expected: Mapping[Kind, FoundSwitch]
) -> dict[str, dict[Kind, Any]]:
    """Return the settings by key and kind that most switches of a kind have otherwise than is expected."""
    result: dict[str, dict[Kind, Any]] = {}
    for kind, own in expected.items():
        known = {each.key: each.value for each in own.settings}
        found: dict[str, Counter[str]] = {}
        for name in kinds[kind]:
            for each in shape.cabling.switches[match.found[name]].settings:
                found.setdefault(each.key, Counter())[json.dumps(each.value)] += 1
        for key, values in found.items():
            value = json.loads(values.most_common(1)[0][0])
            if blank(value) != blank(known.get(key)):
                result.setdefault(key, {})[kind] = value
    return result


def _agree(key: str, shape: FoundShape) -> bool:
    """Return whether all switches that have a setting have the same one."""
    rows = (row for switch in shape.cabling.switches.values() for row in switch.settings)
    return len({json.dumps(blank(row.value), sort_keys=True) for row in rows if row.key == key}) == 1


def blank(value: Any) -> Any:
    """Return a value without what its secrets refer to; a list in no order."""
    if isinstance(value, dict):
        if value.keys() == {_BLANK}:
            return _BLANK
        return {key: blank(_BLANK if each is None else each) for key, each in value.items()}
    return sorted(map(str, value)) if isinstance(value, list) else value


def _set_key(intent: Tree, key: str, by_tier: Mapping[int, Any], *, is_shared: bool) -> None:
    """Add a setting: for the fabric, or for a tier where the key has a place for that and others have another value."""
    for number, value in by_tier.items():
        role = ROLES[number]
        own = key
        if not is_shared and key.startswith("routing.ecmp."):
            own = f"tiers.{role}.ecmp.{key.rpartition('.')[2]}"
        elif not is_shared and key.startswith("lossless.ecn."):
            own = f"lossless.ecn.{role}"
        _put(intent, own.split("."), _with_references(own, value))


def _with_references(key: str, value: Any) -> Any:
    """Return a value with a reference where a device has a secret."""
    if value is None:
        return {"secret": f"env:{key.rpartition('.')[0].rpartition('.')[2].upper()}_{key.rpartition('.')[2].upper()}"}
    if isinstance(value, dict):
        return {name: _with_references(f"{key}.{name}", each) for name, each in value.items()}
    return value


def _report_secret(
    key: str, values: Iterable[Any], reported: set[str], shape: FoundShape, bench: Bench, bag: Bag
) -> None:
    has_secret = any(value is None or (isinstance(value, dict) and None in value.values()) for value in values)
    if not has_secret or key in reported:
        return
    reported.add(key)
    switches = shape.cabling.switches.values()
    switch, row = next((each, row) for each in switches for row in each.settings if row.key == key)
    message = f"{key}: the intent refers to a secret that {switch.name} has in clear"
    bag.add(codes.SECRET, message, place=bench.locate(switch.name, row.spot), device=switch.name)


def _set_exceptions(intent: Tree, match: Match, shape: FoundShape, names: Sequence[str], own: FoundSwitch) -> None:
    """Add an exception for each switch that has a setting of its own, where one switch can have it."""
    legal = device_leafs(FabricIntent)
    known = {each.key: each.value for each in own.settings}
    for name in names:
        device = match.found[name]
        found = {each.key: each.value for each in shape.cabling.switches[device].settings}
        differs = {key: value for key, value in found.items() if blank(value) != blank(known.get(key))}
        settable = {key: value for key, value in differs.items() if key in legal and value is not None}
        rows = intent.setdefault("exceptions", []) if settable else []
        row = next((each for each in rows if each.get("device") == device), None)
        if row is not None:
            row["set"] |= settable
        elif settable:
            rows.append({"device": device, "set": settable, "reason": REASON})


def _absent_hosts(match: Match, shape: FoundShape) -> Iterator[Tree]:
    """Yield exceptions for hosts that no leaf has a port in use for."""
    seen: Counter[str] = Counter()
    names: dict[str, str] = {}
    for name in match.tier(0):
        used = {port.name for port in shape.cabling.hosts[match.found[name]]}
        for port in match.planned[name].ports:
            if port.peer not in match.planned:
                seen[port.peer] += port.shape.name in used
                names[port.peer] = port.peer
    yield from ({"host": host, "state": "absent", "reason": REASON} for host, ports in seen.items() if not ports)


def _cables(match: Match, shape: FoundShape) -> Iterator[Tree]:
    """Yield exceptions for links whose cables are not of the length of their group, all links of a pair as one."""
    for number in range(len(match.plan.tiers)):
        pairs: dict[tuple[str, str], list[float]] = {}
        for name in match.tier(number):
            for upper, length in _lengths_up(match, shape, name):
                pairs.setdefault((match.found[name], upper), []).append(length)
        usual = most((length for lengths in pairs.values() for length in lengths), 0)
        for (lower, upper), lengths in pairs.items():
            link: Tree = {"link": [lower, upper]}
            odd = {place: length for place, length in enumerate(lengths, 1) if length not in (usual, 0)}
            rows = (
                [{}]
                if len(odd) == len(lengths) == 1 or set(lengths) == {*odd.values()}
                else [{"n": each} for each in odd]
            )
            for row, length in zip(rows, odd.values(), strict=False):
                yield {**link, **row, "cable": {"length_m": length}, "reason": REASON}


def _lengths_up(match: Match, shape: FoundShape, name: str) -> Iterator[tuple[str, float]]:
    """Yield the switch above and the length of each uplink of a switch, in the order of its ports."""
    own, tier = match.found[name], match.ids[name].tier
    ports = {port.name: port for port in shape.cabling.switches[own].ports}
    for port in match.planned[name].ports:
        end = shape.cabling.peers.get(End(own, port.shape.name))
        if end and port.peer in match.ids and match.ids[port.peer].tier > tier:
            yield end.switch, ports[port.shape.name].cable_m
