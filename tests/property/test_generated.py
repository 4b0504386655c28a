"""Random legal fabrics over the whole language: planned, checked, rendered, read back, and equal to brute force."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, note

from fabricgen.analysis.capacity import summarize
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.tables import list_addresses, list_devices, list_links
from tests.acceptance.run import diagnose
from tests.judges.crossread import PROOFS, Expectation, graph_links, prove, read_tree
from tests.judges.crossread.proofs import OF_SCRIPTS
from tests.property.generated.dice import by_lot
from tests.property.generated.files import OVERLAY, write_inventory
from tests.property.generated.hardware import SERVERS
from tests.property.generated.irregular import all_exceptions, carry_out
from tests.property.generated.kinds import kind_ratios
from tests.property.generated.model import Model
from tests.property.generated.numbers import wrong_addresses, wrong_numbers
from tests.property.generated.records import Cable, Data
from tests.property.generated.vocabulary import Drawn, intents
from tests.sampling import EVERYTHING

EXAMPLES = int(os.environ.get("FABRICGEN_EXAMPLES", "300" if EVERYTHING else "18"))
"""Number of fabrics of SONiC and FRR, all shares together; more for a long run."""
FIRST_SEED = int(os.environ.get("FABRICGEN_SEED", "1"))
PLATFORMS = (("sonic",), ("frr",), ("sonic", "frr")) * 4
"""Platforms of tiers, share by share; each share has a seed of its own, so there is work for as many workers."""
OTHERS = (("eos",), ("eos",), ("cumulus_nvue",), ("fboss",), ("eos", "fboss"), ("eos", "sonic", "frr", "cumulus_nvue"))
"""Further shares, of half as many fabrics."""
EVERY_SYSTEM = tuple(len(PLATFORMS) + OTHERS.index(named) for named in (("cumulus_nvue",), ("fboss",), ("eos",)))
"""Shares that every run takes, beside that with scripts and some by lot."""
WITH_SCRIPTS = (2,)
SCRIPTED = 99 if EVERYTHING else 2
"""Shares in which the scripts of hosts are run; what they do follows from contract and hosts, not from the graph;
and how many fabrics of those at most."""


def errors(bag: Bag) -> list[str]:
    return [f"{d.code} {d.message} {d.path}" for d in bag if d.severity is Severity.ERROR and not d.waived]


@pytest.mark.sampled(1, of="share", always=(*EVERY_SYSTEM, *WITH_SCRIPTS))
@pytest.mark.parametrize("share", range(len(PLATFORMS + OTHERS)))
def test_random_fabrics_are_those_of_brute_force(share: int) -> None:
    platforms = (PLATFORMS + OTHERS)[share]
    examples = max(1, EXAMPLES // len(PLATFORMS) // (1 if share < len(PLATFORMS) else 2))
    number = FIRST_SEED + share

    @by_lot(number, min(examples, SCRIPTED) if share in WITH_SCRIPTS else examples)
    @given(intents(platforms))
    def judge(drawn: Drawn) -> None:
        note(json.dumps(drawn.data))
        with TemporaryDirectory() as folder:
            judge_fabric(drawn, Path(folder), runs_scripts=share in WITH_SCRIPTS)

    judge()


def judge_fabric(drawn: Drawn, folder: Path, *, runs_scripts: bool) -> None:
    """Plan, check, render and read back one fabric."""
    data = drawn.data
    model = Model(data)
    write_inventory(folder, data, drawn.overlay)
    made, bag = diagnose(folder, *((OVERLAY,) if drawn.overlay else ()))
    agree(errors(bag), [])
    cables = carry_out(model, all_exceptions(model))
    expected = {model.ends(cable) for cable in cables}
    agree(len(expected), len(cables))
    agree(shown_links(made.plan), expected)
    judge_counts(model, made.plan, cables)
    agree(list(wrong_addresses(model, list_addresses(made.plan))), [])
    numbers = {str(row["name"]): int(row["asn"]) for row in list_devices(made.plan) if row["kind"] == "switch"}
    agree(list(wrong_numbers(model, numbers)), [])
    out = folder / "out"
    assert render_inventory(made, out, RenderOptions(), bag) is not None, errors(bag)
    fabric = read_tree(out, runs_scripts=runs_scripts)
    proofs = [proof for proof in PROOFS if runs_scripts or proof not in OF_SCRIPTS]
    agree(prove(fabric, expectation(model), proofs), [])
    agree(graph_links(fabric), expected)
    domains = {host.name: host.host.domain for host in fabric.hosts() if host.host.domain}
    agree(domains, model.domains(absent(model)))


def absent(model: Model) -> frozenset[str]:
    said = [item for item in all_exceptions(model) if item.get("state") == "absent"]
    return frozenset(item.get("device") or item.get("host") for item in said if "link" not in item)


def set_apart(data: Data, start: str) -> frozenset[str]:
    """Devices for which an exception sets a key that starts so."""
    said = data.get("exceptions", [])
    return frozenset(item["device"] for item in said if any(key.startswith(start) for key in item.get("set", ())))


def expectation(model: Model) -> Expectation:
    """Return what no rendered text can prove by itself."""
    data = model.data
    sflow = data.get("operations", {}).get("sflow")
    ends = {end for item in data.get("exceptions", []) for end in item.get("link", ())}
    return Expectation(
        mode=data.get("lossless", {}).get("mode", "dcqcn"),
        absent=absent(model),
        recabled=frozenset(name for name, host in model.hosts.items() if model.lands_apart(host.group) or name in ends),
        without_gpus=frozenset(name for name, host in model.hosts.items() if not model.has_gpus(host.group)),
        host_links=sum(model.slots(group) * model.host_room(group) for group in data["hosts"]),
        same_hash=any(
            said.get("ecmp", {}).get("decorrelate") == "off"
            for said in (data.get("routing", {}), *data["tiers"].values())
        ),
        samples=(sflow["collector"], sflow["sampling_rate"]) if sflow else (),
        own_watchdog=set_apart(data, "lossless.watchdog"),
        own_hash=set_apart(data, "routing.ecmp.hash"),
        own_box=set_apart(data, "model"),
        priority_by_dscp={
            point: said["priority"]
            for said in data.get("lossless", {}).get("classes", {}).values()
            for point in ([said["dscp"]] if isinstance(said.get("dscp"), int) else said.get("dscp", ()))
        },
    )


def agree(found: Any, expected: Any) -> None:
    """Two values are equal; of sets, what only one of them has is shown."""
    if found == expected:
        return
    if isinstance(expected, set):
        only = [sorted(map(sorted, one - other))[:6] for one, other in ((found, expected), (expected, found))]
        raise AssertionError(f"only found {only[0]}, only expected {only[1]}")
    raise AssertionError(f"found {found}, expected {expected}")


def shown_links(plan: FabricPlan) -> set[frozenset[tuple[str, str]]]:
    rows = list(list_links(plan))
    found = {frozenset({(str(r["a"]), str(r["a_port"])), (str(r["b"]), str(r["b_port"]))}) for r in rows}
    assert len(found) == len(rows)
    return found


def judge_counts(model: Model, plan: FabricPlan, cables: list[Cable]) -> None:
    """Numbers of ``show summary``."""
    said = summarize(plan, 0)
    gone = absent(model)
    by_tier = Counter(switch.tier for name, switch in model.switches.items() if name not in gone)
    agree(said.by_tier, dict.fromkeys(said.by_tier, 0) | by_tier)
    hosts = [host for name, host in model.hosts.items() if name not in gone]
    agree((said.switches, said.hosts), (len(model.switches.keys() - gone), len(hosts)))
    agree(said.gpus, sum(SERVERS[model.data["hosts"][host.group]["server"]].gpus for host in hosts if not host.spare))
    links = Counter(bool(cable.group) for cable in cables)
    agree((said.host_links, said.fabric_links), (links[True], links[False]))
    ratios = {tier: model.ratio(tier) for tier in model.tiers}
    shown = {name: None if r is None else f"{r.numerator}:{r.denominator}" for name, r in ratios.items()}
    agree(said.ratios, shown | kind_ratios(model, cables))
