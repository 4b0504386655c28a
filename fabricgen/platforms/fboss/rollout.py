"""Procedure on an FBOSS switch.

Files are framed with copies, and with notes where no public command exists.

Source:
    facebook/fboss 14ec47ec, fboss/cli/fboss2: the agent reads agent.conf and BGP++ bgpcpp.conf; the public tree reports
    ``drain_state`` and carries nothing out for it on this kind of switch. agent/AgentDirectoryUtil.cpp: the state of a
    warm boot lies in /dev/shm, so a reboot of the switch is a cold boot.
"""

from __future__ import annotations

from fabricgen.platforms.patching.rollout import Core, Procedure, frame_files, look, note
from fabricgen.platforms.patching.steps import StepPhase, run

_DRAIN = (
    "the public tree has no command that drains this switch: set it to drained by an exception of the intent and "
    "deploy that first, which marks every route with 65535:0"
)
_RELOAD = run("fboss2 config reload", "the agent reads agent.conf")
_READ = "have BGP++ read bgpcpp.conf as your installation does: no public command does it"


def frame_patch(core: Core) -> Procedure:
    """Frame agent.conf and bgpcpp.conf."""
    found = frame_files(
        core,
        [note(_DRAIN, StepPhase.drain)],
        [look("fboss2 show bgp summary", "every neighbour of before is established")],
    )
    at = next((number for number, step in enumerate(found.steps) if step.phase is StepPhase.verify), len(found.steps))
    changed = {situation.path.rpartition("/")[2] for situation in core.situations}
    restarts = core.disruption == "reboot"
    read = (
        *([_RELOAD] if "agent.conf" in changed and not restarts else ()),
        *([note(_READ, StepPhase.apply)] if "bgpcpp.conf" in changed else ()),
    )
    again = (run("reboot", "the agent starts cold", "reboot", phase=StepPhase.restart),) if restarts else ()
    return Procedure((*found.steps[:at], *read, *found.steps[at:]), (*found.rollback, *read, *again))
