"""Load of each link group as rows: with the queue pairs and the balancing that there are, and with others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fabricgen.analysis.flows import Flows, is_bonded
from fabricgen.analysis.link_loads import NIC, HashMode, HashSpread, LinkLoad
from fabricgen.physics.ecmp import EXACT, largest_of
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.entropy.job import EntropyJob, QueuePairs
from fabricgen.tables.sections import Row

STATIC = HashMode("static")
BALANCED = {
    "static": STATIC,
    "flowlet": HashMode("flowlet", balanced=True),
    "per_packet": HashMode("per_packet", sprayed=True),
    "adaptive": HashMode("adaptive", sprayed=True),
}
COMPARED = (
    HashMode("one_port", 1),
    *(HashMode(f"qps_{number}", number) for number in (1, 2, 4, 8, 16)),
    HashMode("udf"),
    BALANCED["flowlet"],
    BALANCED["per_packet"],
)
"""Ways to spread that are compared."""
FORMULA = {
    "exact": "E = sum over k of 1 - P(max <= k), P(max <= k) = n!/m^n [x^n] (sum of x^i/i! for i <= k)^m",
    "approximation": "E = sum over k of 1 - P(max <= k), P(max <= k) by Levin, Annals of Statistics 9 (1981)",
}


def mode_of(plan: FabricPlan, load: LinkLoad) -> HashMode:
    """Return how the switch balances that chooses among the links; a NIC hashes."""
    if load.stage is None:
        return STATIC
    return BALANCED[plan.tiers[load.stage.tier].routing.load_balancing]


def connection_gbps(plan: FabricPlan, flows: Flows) -> Fraction | None:
    """Return the rate of a connection where its NIC sends at line rate; None if they differ."""
    rates = set()
    for (host, _), total in flows.up.nics.items():
        group = plan.hosts[host.group]
        ports = group.nic_ports if is_bonded(plan) else 1
        rates.add(Fraction(ports * group.link.speed_gbps, total))
    return rates.pop() if len(rates) == 1 else None


def load_rows(
    plan: FabricPlan, job: EntropyJob, flows: Flows, loads: Sequence[LinkLoad], detail: bool
) -> Iterator[Row]:
    """Yield what the busiest link of each link group gets."""
    rate = connection_gbps(plan, flows)
    for pairs in job.queue_pairs:
        for load in loads:
            row: Row = {**_link_columns(flows, load), "qps": pairs.number}
            if not load.kinds:
                row |= dict.fromkeys(_COLUMNS)
            else:
                row |= _load_columns(plan, job, load, pairs, rate)
            yield row if detail else {name: value for name, value in row.items() if name not in _DETAIL}


_COLUMNS = (
    *("mode", "places", "flows_each", "over_links", "busiest", "times_mean", "p99", "times_mean_p99", "anywhere"),
    *("line_rate_pct", "overload_pct", "figure", "arithmetic"),
)
_DETAIL = ("figure", "arithmetic", "overload_pct")


def _load_columns(plan: FabricPlan, job: EntropyJob, load: LinkLoad, pairs: QueuePairs, rate: Fraction | None) -> Row:
    mode = mode_of(plan, load)
    spreads = load.spreads(mode, pairs.number)
    worst = spreads[0][0]
    anywhere = largest_of((each.load, places) for each, places in spreads)
    gbps = float(rate * worst.unit) * float(worst.mean) * worst.ratio if rate else None
    return {
        "mode": mode.name,
        "places": sum(kind.places for kind in load.kinds),
        "flows_each": worst.flows,
        "over_links": worst.links,
        "busiest": round(float(worst.mean) * worst.ratio * float(worst.unit), 3),
        "times_mean": round(worst.ratio, 4),
        "p99": round(float(worst.mean) * worst.ratio_p99 * float(worst.unit), 3),
        "times_mean_p99": round(worst.ratio_p99, 4),
        "anywhere": round((anywhere.expected if not mode.sprayed else float(worst.mean)) * float(worst.unit), 3),
        "line_rate_pct": round(min(100.0, 100 * load.speed_gbps / gbps), 1) if gbps else None,
        "overload_pct": overload_pct(load, worst, rate),
        "figure": _figure(mode, worst),
        "arithmetic": _arithmetic(load, worst),
    }


def overload_pct(load: LinkLoad, spread: HashSpread, rate: Fraction | None) -> float | None:
    """Return the probability of a link with more than its rate in a place, in percent; None if no rate is known."""
    if rate is None:
        return None
    if spread.sprayed:
        return 100.0 if spread.mean * spread.unit * rate > load.speed_gbps else 0.0
    capacity = int(load.speed_gbps / (rate * spread.unit))
    return round(100 * (1 - spread.load.probability(capacity)), 2)


def mode_rows(job: EntropyJob, flows: Flows, loads: Sequence[LinkLoad], share: str) -> Iterator[Row]:
    """Yield the load of the busiest link over the mean, with a column for each way to spread.

    Args:
        job: The job; the last number of its queue pairs, which hosts get, is that of the columns without a number.
        flows: One of its collectives.
        loads: Its link groups; those without a choice are left out.
        share: ``ratio`` for the expectation, ``ratio_p99`` for the 99th percentile.
    """
    pairs = job.queue_pairs[-1].number
    for load in loads:
        if load.kinds and load.kinds[0].links > 1:
            ratios: Row = {}
            for mode in COMPARED:
                ratios[mode.name] = round(getattr(load.spreads(mode, pairs)[0][0], share), 3)
            yield {**_link_columns(flows, load), "links": load.kinds[0].links, **ratios}


def _link_columns(flows: Flows, load: LinkLoad) -> Row:
    return {"flows": flows.name, "link": load.link, "way": "up" if load.upwards else "down"}


def _figure(mode: HashMode, spread: HashSpread) -> str:
    if mode.sprayed:
        return EXACT
    return "at best" if mode.balanced else spread.load.figure


def _arithmetic(load: LinkLoad, spread: HashSpread) -> str:
    """The row in words: flows, links and formula."""
    if spread.links == 1:
        return f"{spread.flows} flows on 1 link"
    idle = f", {load.links - spread.links} of {load.links} idle by polarisation" if spread.links < load.links else ""
    where = "ports of a NIC" if load.tier == NIC else "links of a place"
    mean = f"mean {spread.flows}/{spread.links} flows" if spread.load.figure == EXACT else f"{spread.flows} flows"
    return f"n = {spread.flows} flows over m = {spread.links} {where}{idle}; {mean}; {FORMULA[spread.load.figure]}"
