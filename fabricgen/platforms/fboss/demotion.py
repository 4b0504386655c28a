"""Terms of BGP++ policies that demote the routes of a drained neighbour (RFC 8326).

Source:
    nexthop-ai/BGP ae5896c7, policy/PolicyTerm.cpp: the terms of a statement in their order, the first that matches
    decides; bgp_policy.thrift (facebook/fboss 14ec47ec) for the fields.
"""

from __future__ import annotations

from typing import Any

from fabricgen.platforms.reading.reader import Tree, look_up

_STATEMENTS = ("policies", "bgp_policy_statements")
_SHUTDOWN = "65535:0"


def honours_shutdown(tree: Tree) -> bool:
    """Return whether a configuration has an import policy for the community 65535:0."""
    named = look_up(tree, *_STATEMENTS).items()
    return any(name.endswith("_IN") and any(map(_demotes, _terms(statement))) for name, statement in named)


def demote(before: Tree, after: Tree) -> Tree:
    """Return what a switch runs, with the intended statements that only add terms which demote drained routes.

    Such a statement accepts what the one that runs accepts, so its change has no other end.

    Args:
        before: What the switch runs.
        after: What is intended.
    """
    runs, wanted = look_up(before, *_STATEMENTS), look_up(after, *_STATEMENTS)
    found = {name: wanted[name] for name in runs if name in wanted and _adds_demotion(runs[name], wanted[name])}
    policies = look_up(before, "policies")
    return {**before, "policies": {**policies, _STATEMENTS[-1]: {**runs, **found}}} if found else before


def _adds_demotion(runs: Tree, wanted: Tree) -> bool:
    """Return whether a statement is another one but for terms that demote."""
    return {**runs, "policy_entries": []} == {**wanted, "policy_entries": []} and [
        term for term in _terms(wanted) if not _demotes(term)
    ] == [term for term in _terms(runs) if not _demotes(term)]


def _terms(statement: Any) -> list[Tree]:
    return statement.get("policy_entries", []) if isinstance(statement, dict) else []


def _demotes(term: Tree) -> bool:
    """Return whether a term gives routes with the community of graceful shutdown the local preference 0."""
    actions = term.get("policy_action_entries", [])
    return f"'{_SHUTDOWN}'" in repr(term.get("policy_match_entries")) and any(
        look_up(action, "set_local_pref").get("local_pref") == 0 for action in actions if isinstance(action, dict)
    )
