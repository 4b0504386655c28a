"""Procedure on an FBOSS switch, and terms of BGP++ policies that demote the routes of a drained neighbour (RFC 8326).

Files are framed with copies, and with notes where no public command exists.

Source:
    facebook/fboss 14ec47ec, fboss/cli/fboss2: the agent reads agent.conf and BGP++ bgpcpp.conf; the public tree reports
    ``drain_state`` and carries nothing out for it on this kind of switch.
    nexthop-ai/BGP ae5896c7, policy/PolicyTerm.cpp: the terms of a statement in their order, the first that matches
    decides; bgp_policy.thrift (facebook/fboss 14ec47ec) for the fields.
"""

from __future__ import annotations

from typing import Any

from fabricgen.platforms.patching.rollout import Core, Procedure, frame_files, look, note
from fabricgen.platforms.patching.steps import StepPhase, run
from fabricgen.platforms.reading.reader import Tree, look_up

_DRAIN = (
    "the public tree has no command that drains this switch: set it to drained by an exception of the intent and "
    "deploy that first, which marks every route with 65535:0"
)
_RELOAD = run("fboss2 config reload", "the agent reads agent.conf")
_READ = "have BGP++ read bgpcpp.conf as your installation does: no public command does it"
_STATEMENTS = ("policies", "bgp_policy_statements")
_SHUTDOWN = "65535:0"


def frame_patch(core: Core) -> Procedure:
    """Frame agent.conf and bgpcpp.conf."""
    found = frame_files(
        core,
        [note(_DRAIN, StepPhase.drain)],
        [look("fboss2 show bgp summary", "every neighbour of before is established")],
    )
    at = next((number for number, step in enumerate(found.steps) if step.phase is StepPhase.verify), len(found.steps))
    changed = {situation.path.rpartition("/")[2] for situation in core.situations}
    read = (
        *([_RELOAD] if "agent.conf" in changed else ()),
        *([note(_READ, StepPhase.apply)] if "bgpcpp.conf" in changed else ()),
    )
    return Procedure((*found.steps[:at], *read, *found.steps[at:]), (*found.rollback, *read))


def honours_shutdown(tree: Tree) -> bool:
    """Return whether a configuration has an import policy for the community 65535:0."""
    named = look_up(tree, *_STATEMENTS).items()
    return any(name.endswith("_IN") and any(map(_demotes, _terms(statement))) for name, statement in named)


def _terms(statement: Any) -> list[Tree]:
    return statement.get("policy_entries", []) if isinstance(statement, dict) else []


def _demotes(term: Tree) -> bool:
    """Return whether a term gives routes with the community of graceful shutdown the local preference 0."""
    actions = term.get("policy_action_entries", [])
    return f"'{_SHUTDOWN}'" in repr(term.get("policy_match_entries")) and any(
        look_up(action, "set_local_pref").get("local_pref") == 0 for action in actions if isinstance(action, dict)
    )
