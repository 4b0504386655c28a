"""Table of what equal-cost paths, the hash and BGP ask of platforms, ASICs and NICs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from fabricgen.checks.beyond import (
    LACKING,
    NOTES,
    TOO_MUCH,
    Asked,
    Row,
    Who,
    begins_with,
    is_absent,
    is_at_most,
    is_one_of,
    is_there,
    stated,
    table,
)
from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.rules.balancing import HASHED, ecmp_of, hash_of, tier_key
from fabricgen.checks.rules.hashing import hash_of_tier
from fabricgen.checks.rules.platforms import ask_release, each_asic, each_planned_tier, each_tier
from fabricgen.diagnostics import Related, Severity, register
from fabricgen.diagnostics.words import and_list
from fabricgen.physics.path_delay import path_spread_us
from fabricgen.plan.planner.plan_codes import NOT_IN_RELEASE
from fabricgen.plan.planner.routing import fabric_links
from fabricgen.platforms.manifest.capabilities import PathWeighting, SwitchCapabilities
from fabricgen.platforms.manifest.spec import find_hash

UDF_WORD = "roce_dest_qp"
UNREACHABILITY = ("routing", "unreachability")
WEIGHTS, DECORRELATE = ("routing", "ecmp", "weights"), ("routing", "ecmp", "decorrelate")


def _asic(view: IntentView, who: Who) -> tuple[str, str]:
    """The model of a tier and its ASIC; empty where the catalog has neither, which is reported as such."""
    model = view.catalog.switches.get(view.intent.tiers[who.key].model)
    return (model.id, model.asic.id) if model else ("", "")


def _balancing(view: IntentView, who: Who) -> Iterator[Asked]:
    """A way to balance beside the hash, with the best other one that the platform has."""
    word = ecmp_of(view, who.key).load_balancing
    if word not in HASHED:
        other = next((each for each in ("adaptive", "flowlet") if who.can.balances_at(each) != ()), "static")
        other += ", or add Arista's cluster load balancing by a raw snippet" if word == "cluster" else ""
        yield Asked(tier_key(view, who.key, "load_balancing"), word, {"other": other})


def _balancing_asic(view: IntentView, who: Who) -> Iterator[Asked]:
    """The ASIC on which a way to balance is asked for that the platform has on some."""
    model, asic = _asic(view, who)
    for asked in _balancing(view, who):
        if asic and who.can.balances_at(asked.value) != ():
            place = Related("the model", ("tiers", who.key, "model"))
            yield Asked(asked.path, asic, {"word": asked.value, "model": model}, (place,))


def _balancing_speeds(view: IntentView, who: Who) -> Iterator[Asked]:
    """Speeds of uplinks at which a way to balance is asked for on an ASIC that has it."""
    for asked in _balancing_asic(view, who):
        word = asked.words["word"]
        fits = begins_with(asked.value, who.can.balancing_asics)
        for link, each in sorted(view.intent.links.items()) if fits and word != "adaptive" else ():
            if link.startswith(f"{who.key}-"):
                place = Related("the speed", ("links", link, "speed"))
                yield Asked(asked.path, (word, each.speed), {"word": word, "link": link, "gbps": each.speed}, (place,))


def _resilient(view: IntentView, who: Who) -> Iterator[Asked]:
    if ecmp_of(view, who.key).resilient:
        model, asic = _asic(view, who)
        asics = and_list(who.can.resilient or ())
        named = f"documents it on {asics}; {model or who.key} has another ASIC" if asics else ""
        words = {"lacks": named or "is not rendered with it yet"}
        yield Asked(tier_key(view, who.key, "resilient"), asic, words)


def _flowlets(view: IntentView, who: Who) -> Iterator[Asked]:
    """The release that a tier states, where it is to balance by flowlets that some release lacks."""
    release = view.intent.tiers[who.key].release
    if who.can.flowlet_since and release is not None and ecmp_of(view, who.key).load_balancing == "flowlet":
        place = Related("the balancing", tier_key(view, who.key, "load_balancing"))
        yield Asked(("tiers", who.key, "release"), release, related=(place,))


def _numbers(release: str) -> list[int]:
    """Numbers of a release, the most significant first."""
    return [int(text) for text in re.findall(r"\d+", release)]


def _gap(view: IntentView, who: Who) -> Iterator[Asked]:
    gap = ecmp_of(view, who.key).flowlet_gap_us
    if gap != "auto":
        yield Asked(tier_key(view, who.key, "flowlet_gap_us"), gap)


def _spread(view: IntentView, who: Who) -> Iterator[Asked]:
    """Flowlets of a tier, with the spread of path delays."""
    if ecmp_of(view, who.key).load_balancing == "flowlet" and who.can.flowlet != ():
        spread_us = path_spread_us(link.cable.length_m for _, link in fabric_links(view.intent))
        yield Asked(tier_key(view, who.key, "load_balancing"), None, {"spread": f"{spread_us:.1f}"})


def _words(view: IntentView, who: Who) -> Iterator[Asked]:
    """Header fields that the hash of a tier is to read."""
    hint = "use five_tuple" if who.can.hash_five_tuple else "use another platform"
    for word in hash_of(view, who.key):
        yield Asked(tier_key(view, who.key, "hash"), word, {"hint": hint})


def _doubt_of_pairs(can: SwitchCapabilities, word: str) -> str:
    return can.hash_qp_unconfirmed if word == UDF_WORD and can.hashes_on(word) else ""


def _words_on_asic(view: IntentView, who: Who) -> Iterator[Asked]:
    """Fields beyond the five-tuple that the platform has, each with the ASIC on which it is asked for."""
    model, asic = _asic(view, who)
    for word in hash_of(view, who.key) if asic else ():
        if word != "five_tuple" and who.can.hashes_on(word):
            yield Asked(tier_key(view, who.key, "hash"), (word, asic), {"word": word, "model": model, "asic": asic})


def _udf(view: IntentView, who: Who) -> Iterator[Asked]:
    """The ASIC of a tier whose platform names none on which it hashes on queue pairs."""
    spec = view.switch(view.intent.tiers[who.key].platform)
    if UDF_WORD in hash_of(view, who.key) and not (spec and spec.switch.hash_roce_dest_qp):
        lacks = (
            f"nothing is published about user-defined hash fields of {who.name} (catalog/asics/{who.name}.yaml)"
            if who.can.udf_hash is None
            else f"{who.name}, the ASIC of {who.words['model']}, has no user-defined hash field"
        )
        place = Related("its ASIC", record=("asics", who.name, "udf_hash"))
        yield Asked(tier_key(view, who.key, "hash"), UDF_WORD, {"lacks": lacks}, (place,))


def _seed(view: PlanView, who: Who) -> Iterator[Asked]:
    """A tier that should hash unlike its neighbours and cannot be told to; parallel links count on the highest, too."""
    for tier in view.plan.tiers[1:]:
        if tier.name == who.key and tier.routing.hash_rank and not hash_of_tier(view, tier).by_rank:
            yield Asked(tier_key(view, who.key, "decorrelate"), None, {"model": tier.model})


def _written_seed(view: IntentView, who: Who) -> Iterator[Asked]:
    _, asic = _asic(view, who)
    if asic and who.spec is not None and find_hash(who.spec, 0, 0, asic).seed:
        yield Asked(DECORRELATE)


def _max_paths(view: PlanView, who: Who) -> Iterator[Asked]:
    paths = next(tier.routing.max_paths for tier in view.plan.tiers if tier.name == who.key)
    yield Asked(tier_key(view, who.key, "max_paths"), paths)


def _lost_prefixes(view: PlanView, who: Who) -> Iterator[Asked]:
    """The release of a tier that announces lost prefixes."""
    for tier in view.plan.tiers:
        if tier.routing.unreachability and who.can.unreachability:
            yield from ask_release(tier, who, who.can.unreachability[0], Related("the key", UNREACHABILITY))


def _changed_announcements(view: PlanView, who: Who) -> Iterator[Asked]:
    """The release of a tier, with that of the tier below, and whether both have a change of the announcements."""
    for below, tier in pairwise(view.plan.tiers) if view.plan.tiers[0].routing.unreachability else ():
        for change in who.can.unreachability[1:] if who.key == tier.name else ():
            words = {"release": tier.release.name, "below": below.name, "other": below.release.name, "change": change}
            place = Related("the release below", ("tiers", below.name, "release"))
            same = tier.release.knows(change) == below.release.knows(change)
            yield Asked(("tiers", who.key, "release"), same, words, (place, Related("the key", UNREACHABILITY)))


def _announcing_leaf(view: PlanView, who: Who) -> list[Asked]:
    leaf = view.plan.tiers[0]
    return [Asked(UNREACHABILITY)] if leaf.routing.unreachability and who.key == leaf.name else []


UNREAD = register(
    "FG-RTE-096",
    "Lost prefixes that no NIC is known to read",
    severity=Severity.WARNING,
    why="Leafs send lost prefixes to NICs in a TLV of LLDP. No public text names a NIC or a program that leaves a "
    "plane by it: where none does, what hosts send into that plane for that destination is lost as before.",
    fix="Take down one host port of one plane under load, look at the other hosts' counters, then waive this.",
    source="Cumulus Linux user guide 5.18, Optional BGP Configuration, BGP-LLDP Unreachability in Disjoined Planes; "
    "Link Layer Discovery Protocol, BGP Unreachable Prefix TLV",
)
MIXED = register(
    "FG-RTE-095",
    "Lost prefixes announced under two numbers",
    why="A release announces lost prefixes by another BGP SAFI than the one before. Two switches with both agree on "
    "none: their session is up, and no leaf learns of a prefix that is lost beyond it.",
    fix="Use releases on one side of the change in all tiers, or unreachability: 'off' until all have the new one.",
    source="Cumulus Linux user guide 5.18, Optional BGP Configuration, BGP Unreachability SAFI: 81, in 5.16 and 5.17 "
    "254; RFC 4760 section 8",
)


def _timers(view: IntentView, who: Who) -> Iterator[Asked]:
    """Timers of the sessions that are set; keepalives where three of them are not the hold time."""
    timers = view.intent.routing.timers
    asked = {
        "keepalive": (3 * timers.keepalive != timers.hold_s, "but a third of hold_s", "three times that as hold_s"),
        "connect_retry": (timers.connect_retry_s != "auto", "of its own", "auto"),
        "advertisement": (timers.advertisement_s, "of its own", "0"),
    }
    for word, (own, lacks, other) in asked.items():
        yield from [Asked(("routing", "timers", f"{word}_s"), word, {"lacks": lacks, "other": other})] if own else []


_noted = partial(register, source=NOTES)
UNKNOWN_GAP = _noted(
    "FG-RTE-985",
    "Flowlets whose gap is not published",
    severity=Severity.WARNING,
    why="After which pause a flow may move is the platform's own and not public: nothing proves that it is "
    "above the spread of path delays. Where it is not, NICs that require order ask for packets again.",
    fix="Look at the NICs' counters of packets out of order on one leaf under load, then waive this.",
)
NO_SEED = _noted(
    "FG-RTE-904",
    "The hash seed of this platform is not rendered yet",
    severity=Severity.WARNING,
    why="The command that sets the seed of this ASIC is not documented: tiers hash alike and next hops stay idle.",
    fix="Set the seed by hand where you know the command, or use ingress_port where the platform hashes on it.",
)
UNPROVEN_SEED = _noted(
    "FG-RTE-980",
    "Hash seed and hash fields not documented together",
    severity=Severity.INFO,
    why="The maker documents the command of the seed and that of the fields, and no text shows both in one "
    "configuration. Where a switch rejects one of them, tiers hash alike.",
    fix="Look at the hash of one switch of each tier before the fabric carries traffic.",
)
UNPROVEN_PAIRS = register(
    "FG-RTE-990",
    "Hash on queue pairs not documented for equal-cost paths",
    severity=Severity.WARNING,
    why="Arista's generator writes the lines, and what a public text shows of them are port channels, or a later "
    "release. Where equal-cost paths do not follow, a connection has one path for all of its queue pairs.",
    fix="Count packets on the uplinks of one leaf while several queue pairs run between two NICs, then waive this.",
    source="aristanetworks/avd issues 5386 and 4925, pull requests 5493 and 5515; pyavd 6.4.0",
)
table(
    Row(LACKING, each_tier, _balancing, lambda can, word: can.balances_at(word) != ()).text(
        "load_balancing {value!r} of tier {key!r} is not rendered for {name} yet", "use {other}"
    ),
    Row(LACKING, each_tier, _balancing_asic, "balancing_asics", takes=begins_with).text(
        "load_balancing {word!r} of tier {key!r}: {name} documents it on {limit}, {model} has {value}", "use static"
    ),
    Row(
        LACKING,
        each_tier,
        _balancing_speeds,
        lambda can, value: can.balances_at(value[0]),
        takes=lambda value, speeds: speeds is None or value[1] in speeds,
    ).text(
        "load_balancing {word!r} of tier {key!r}: {name} documents it at {limit}G, {link} runs at {gbps}G", "use static"
    ),
    Row(LACKING, each_tier, stated(WEIGHTS, "on"), lambda can, _: can.path_weights is not PathWeighting.NONE).text(
        "weights is on; tier {key!r} runs {name}, which is not rendered with weighted ECMP yet", "use auto"
    ),
    Row(
        LACKING,
        each_tier,
        _resilient,
        "resilient",
        takes=lambda asic, asics: asics is None or (asic and asic.startswith(asics)),
    ).text("resilient of tier {key!r}: {name} {lacks}", "use false"),
    Row(
        NOT_IN_RELEASE,
        each_tier,
        _flowlets,
        "flowlet_since",
        takes=lambda release, since: _numbers(release) >= _numbers(since),
    ).text("tier {key!r} runs {name} {value}; load_balancing flowlet needs {limit}", "use {limit} or later"),
    Row(LACKING, each_tier, _gap, "flowlet_gap_us", takes=is_there).text(
        "flowlet_gap_us is {value}; tier {key!r} runs {name}, which is not rendered with a gap", "use auto"
    ),
    Row(LACKING, each_tier, _timers, "bgp_timers", takes=is_one_of).text(
        "tier {key!r} runs {name}, which takes no {value}_s {lacks}", "use {other}"
    ),
    Row(UNKNOWN_GAP, each_tier, _spread, "flowlet_gap_us").text(
        "the gap of {name}'s flowlets is not published; delays of paths of tier {key!r} differ by up to {spread} us"
    ),
    Row(LACKING, each_tier, stated(UNREACHABILITY, "on"), "unreachability", once=True).text(
        "{name} is not rendered with announcements of lost prefixes{because}", "use 'off'"
    ),
    Row(NOT_IN_RELEASE, each_planned_tier, _lost_prefixes, "unreachability", takes=lambda knows, _: knows).text(
        "tier {key!r} runs {name} {release}, which does not announce lost prefixes to NICs",
        "use release: {first}, or unreachability: 'off'",
    ),
    Row(MIXED, each_planned_tier, _changed_announcements, "unreachability", takes=lambda same, _: same).text(
        "tier {key!r} runs {name} {release} and tier {below!r} {other}: one of them has {change} for lost prefixes",
        "use one of the two for both",
    ),
    Row(UNREAD, each_planned_tier, _announcing_leaf, lambda can, _: False).text(
        "no NIC is known to leave a plane for the prefixes that {name} announces as lost"
    ),
    Row(LACKING, each_tier, _words, lambda can, word: can.hashes_on(word)).text(
        "tier {key!r} asks for {value}, which {name} cannot hash on", "{hint}"
    ),
    Row(
        LACKING,
        each_tier,
        _words_on_asic,
        lambda can, value: can.hash_roce_dest_qp if value[0] == UDF_WORD else can.hash_asics,
        takes=lambda value, asics: begins_with(value[1], asics),
    ).text("tier {key!r} asks for {word}; {name} sets it on {limit} only, {model} has {asic}", "use five_tuple"),
    Row(UNPROVEN_PAIRS, each_tier, _words, _doubt_of_pairs, takes=is_absent, once=True).text(
        "the hash of {name} on queue pairs is unconfirmed: {limit}"
    ),
    Row(LACKING, each_asic, _udf, "udf_hash", takes=is_there).text(
        "tier {key!r} asks for {value}; {lacks}", "use five_tuple and more queue pairs per connection"
    ),
    Row(NO_SEED, each_planned_tier, _seed, "hash_seed_unrendered", takes=is_absent).text(
        "tier {key!r} should hash unlike its neighbors; no seed is rendered for {name} on {model}, and by default "
        "every switch has the same"
    ),
    Row(UNPROVEN_SEED, each_tier, _written_seed, "hash_seed_unconfirmed", takes=is_absent, once=True).text(
        "the seed of {name}'s hash is unconfirmed: {limit}"
    ),
    Row(TOO_MUCH, each_planned_tier, _max_paths, "ecmp_paths_max", takes=is_at_most).text(
        "tier {key!r} has {value} equal-cost paths; {name} takes {limit}", "use {limit} or fewer"
    ),
)
