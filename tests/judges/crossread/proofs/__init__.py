"""Proofs: each a function from a case to its findings; an empty list proves its claim."""

from __future__ import annotations

from collections.abc import Callable

from . import (
    addresses,
    bonds,
    clocks,
    collectives,
    learning,
    links,
    nics,
    propagation,
    rails,
    routes,
    samples,
    sessions,
    traffic,
    unmarked,
    weights,
)
from .case import Case, Expectation

__all__ = ["OF_SCRIPTS", "PROOFS", "Case", "Expectation", "Proof"]

Proof = Callable[[Case], list[str]]

PROOFS: tuple[Proof, ...] = (
    links.prove_graphs_agree, links.prove_subnets, links.prove_neighbors, links.prove_ends_agree,
    links.prove_unused_ports,
    addresses.prove_addresses_unique, addresses.prove_loopbacks, addresses.prove_management,
    addresses.prove_as_numbers,
    sessions.prove_sessions_reciprocal, sessions.prove_sessions_have_links, sessions.prove_sessions_safe,
    sessions.prove_leafs_are_held_to_their_own,
    routes.prove_originations, routes.prove_aggregates, routes.prove_no_default_route, propagation.prove_routes_arrive,
    weights.prove_bandwidths_agree,
    traffic.prove_lossless_ports, traffic.prove_code_points, traffic.prove_hops_agree, traffic.prove_marking,
    traffic.prove_hashes_differ, unmarked.prove_unmarked, samples.prove_samples,
    nics.prove_nics_agree, nics.prove_order, nics.prove_congestion_control, nics.prove_collectives_configured,
    nics.prove_collectives, collectives.prove_credits, collectives.prove_queue_pairs,
    nics.prove_environment, nics.prove_nic_names, nics.prove_domains,
    bonds.prove_bonds, rails.prove_rail_routes, rails.prove_rails_aligned, rails.prove_kernel, rails.prove_announced,
    learning.prove_hosts_learn, clocks.prove_clocks,
)  # fmt: skip
"""Every claim that a rendered tree must meet, cheapest explanation first."""

OF_SCRIPTS: tuple[Proof, ...] = (
    nics.prove_nics_agree, nics.prove_order, nics.prove_congestion_control, nics.prove_environment,
)  # fmt: skip
"""Those among them that need what the scripts of hosts do."""
