"""Routing policy: the neutral one is free of valleys, and what each platform prints is that policy."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Severity
from fabricgen.platforms.views.bgp import DeviceFamily, device_bgp
from fabricgen.platforms.views.policy import (
    DESCENDED,
    DRAINED,
    HOSTS,
    LOWER,
    PrefixList,
    RoutePolicy,
    Statement,
    class_policies,
    last_resort,
)
from fabricgen.render.engine import Renderer
from fabricgen.source import load_document
from tests.acceptance.run import INVENTORIES, REPOSITORY
from tests.judges.crossread.policy import Policy, PrefixRule, prefix
from tests.judges.crossread.tree import read_device

CONFORMANCE = REPOSITORY / "tests" / "fabrics" / "conformance"
COMMUNITIES = {"64512:1": DESCENDED, "65535:0": DRAINED, "GSHUT": DRAINED, "graceful-shutdown": DRAINED}


def passed(policy: RoutePolicy, prefixes: str, carried: frozenset[str]) -> tuple[frozenset[str], bool] | None:
    """Return what a route of a list carries behind a policy, and whether it is demoted; None where it is denied."""
    for row in policy.statements:
        if row.prefixes in ("", prefixes) and (not row.community or row.community in carried):
            return (carried | {row.adds} - {""}, row.demotes) if row.action == "permit" else None
    return None


@pytest.mark.parametrize("demotes", [True, False])
def test_no_route_comes_down_and_goes_up(demotes: bool) -> None:
    plan = compiled(CONFORMANCE, [], []).plan
    lowering, firsts = Lowering(plan), {device.tier: device for device in reversed([*plan.switches()])}
    leaf, spine, core = (lowering.lower_switch(firsts[tier]).cls for tier in range(3))
    tiers = [(leaf, ""), (leaf, HOSTS), (spine, LOWER), (core, LOWER)]
    of_tiers = [{row.name: row for row in class_policies(cls, below, demotes=demotes)} for cls, below in tiers]
    carried = [frozenset(), frozenset({DRAINED}), frozenset({DESCENDED}), frozenset({DESCENDED, DRAINED})]
    upward = 0
    for policies, has_drained_links in product(of_tiers, (False, True)):
        if has_drained_links:
            policies = {name: last_resort(row, "Port.drained") for name, row in policies.items()}
        for marks, prefixes in product(carried, ("FABRIC", "OWN", "BLOCKS")):
            found = {name: passed(row, prefixes, marks) for name, row in policies.items()}
            from_above = found.get("UPPER_IN")
            if from_above:
                assert DESCENDED in from_above[0]
                assert from_above[1] == (has_drained_links or (demotes and DRAINED in marks))
                assert passed(policies["UPPER_OUT"], prefixes, from_above[0]) is None
            if DESCENDED in marks:
                assert found.get("UPPER_OUT") is None
                assert found.get("LOWER_IN") is None
            assert found.get("HOSTS_IN") is None
            for name, row in policies.items():
                announced = None if row.inward else found[name]
                if announced:
                    assert (DRAINED in announced[0]) == (has_drained_links or DRAINED in marks)
                    upward += name == "UPPER_OUT"
    assert upward, "something is announced to the tier above"


def expected(statement: Statement, lists: dict[str, PrefixList], suffix: str) -> tuple[object, ...]:
    """A statement of the neutral policy as the readers of rendered files see it, in one family."""
    rules = prefix_rules(lists[f"{statement.prefixes}{suffix}"]) if statement.prefixes else None
    communities = [frozenset({it} - {""}) for it in (statement.community, statement.adds)]
    return (statement.action == "permit", rules, *communities, statement.demotes)


def prefix_rules(listed: PrefixList) -> set[PrefixRule]:
    return {PrefixRule(True, prefix(rule.block), rule.length, rule.length) for rule in listed.rules}


def printed(policy: Policy, bits: int) -> list[tuple[object, ...]]:
    return [
        (
            rule.permit,
            None if rule.prefixes is None else {it for it in rule.prefixes if it.block.bits == bits},
            frozenset(COMMUNITIES[it] for it in rule.marks or ()),
            frozenset(COMMUNITIES[it] for it in rule.adds),
            rule.last,
        )
        for rule in policy.rules
    ]


def compare(policy: Policy, bits: int, policies: dict[str, RoutePolicy], family: DeviceFamily) -> str:
    """Compare a rendered policy with the neutral one of its name, which is returned."""
    suffix = family.family.suffix
    lists = {row.name.upper().replace("-", "_"): row for row in family.lists}
    name = policy.name.upper().replace("-", "_").removesuffix("6")
    rules = printed(policy, bits)
    if name.startswith("FROM_"):
        ending = "_DRAINED" if name.endswith("_DRAINED") else ""
        (own,) = [lists[key] for key in lists if key.removesuffix("6") == name.removesuffix(ending)]
        if len(rules) == 1:
            assert rules[0][1] == prefix_rules(own)
            return "FROM"
        name, lists = f"LOWER_IN{ending}", {f"FABRIC{suffix}": own}
    assert rules == [expected(row, lists, suffix) for row in policies[name].statements], policy.name
    return name


def compiled(folder: Path, overlays: list[str], exceptions: list[dict[str, object]]) -> Compiled:
    """A fabric of both families, with exceptions of the test's own."""
    bag = Bag()
    document = load_document(folder / "fabric.yaml", bag, overlays=[folder / f"{name}.yaml" for name in overlays])
    document = document.without(("expect",)).replaced(("exceptions",), exceptions)
    made = compile_document(document, folder, bag)
    assert not bag.has_errors, [found for found in bag if found.severity is Severity.ERROR]
    return made


def test_each_platform_prints_the_neutral_policy(tmp_path: Path) -> None:
    """Leaf, spine and core with a drained link where the platform has any, and a leaf below which hosts speak BGP."""
    link = {"link": ["leaf-p1-u01-r0", "spine-p01-01"], "n": 1, "state": "drained", "reason": "a dirty connector"}
    drained = {name: [link] for name in ("sonic", "eos", "fboss")}
    tiers = {"UPPER_IN", "UPPER_OUT", "LOWER_IN", "LOWER_OUT"}
    for platform in ("sonic", "eos", "cumulus_nvue", "fboss", "frr"):
        short = platform.rpartition("_")[2]
        own = [f"overlays/{platform}"] if platform != "sonic" else []
        conformance = compiled(CONFORMANCE, ["shapes/dual", *own], drained.get(platform, []))
        names = ("leaf-p1-u01-r0", "spine-p01-01", "core-01")
        apart = {f"{name}_DRAINED" for name in tiers} if platform in drained else set()
        assert compare_all(conformance, names, tmp_path / platform) - {"FROM"} == tiers | apart, platform
        own = [f"overlays/{short}"] if own else []
        quickstart = compiled(INVENTORIES / "quickstart", ["overlays/host-bgp", *own], [])
        hosts = {"UPPER_IN", "UPPER_OUT", "HOSTS_IN", "HOSTS_OUT"}
        assert compare_all(quickstart, ("leaf-u001-r0",), tmp_path / platform) == hosts, platform


def compare_all(made: Compiled, names: tuple[str, ...], folder: Path) -> set[str]:
    """Compare every policy of every session of some switches with the neutral ones; which there were is returned."""
    assert made.platforms is not None
    lowering, renderer, seen = Lowering(made.plan), Renderer(made.platforms, Bag()), set()
    for switch in (lowering.lower_switch(it) for it in made.plan.switches() if made.plan.device_name(it) in names):
        for file in renderer.render_switch(switch):
            (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / file.path).write_bytes(file.data)
        read = read_device(folder / "switches" / switch.hostname, "switch")
        view = renderer.specs_of(switch)[0].platform.view()
        assert read.problems == []
        bgp = device_bgp(switch, view.class_view(switch.cls).bgp)
        policies = {row.name: row for row in bgp.policies}
        for session in read.bgp.sessions:
            (family,) = [it for it in bgp.families if (it.family.name == "ipv6") == (session.bits == 128)]
            for policy in (*session.import_policies, *session.export_policies):
                seen.add(compare(policy, session.bits, policies, family))
    return seen
