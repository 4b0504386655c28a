"""Procedure on a Linux device with FRR: the file through frr-reload.py, saved after the checks.

Source:
    FRR user guide, frr-reload.py: ``--test`` prints the difference, ``--reload`` carries it out;
    vtysh: ``write memory``.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.platforms.families.vtysh.drain import find_asn, graceful_shutdown
from fabricgen.platforms.patching.rollout import (
    COMPARE,
    Core,
    Procedure,
    copies_of,
    look,
    note,
    restore_copies,
    with_drain,
)
from fabricgen.platforms.patching.steps import Phase, Step, run

RELOAD = "/usr/lib/frr/frr-reload.py"
_MANAGEMENT = "keep a console at hand: no timer takes this back when it cuts the management network off"


def frame_patch(core: Core) -> Procedure:
    """Frame the files of a Linux device; frr.conf is reloaded, every other file is copied before it is replaced."""
    asn = find_asn(core.situations)
    routed = any(step.command.startswith("vtysh -f") for step in core.steps)
    drain = [
        graceful_shutdown(asn),
        look("ip -s link", "packets of the links no longer grow, in neither direction"),
        note("a host has one leaf per rail: drain it by the scheduler of the jobs, not by routing", Phase.drain),
    ]
    restarts = core.disruption == "reboot"
    undrain = [graceful_shutdown(asn, ends=True)] if core.is_drained and asn else []
    write = [run("vtysh -c 'write memory'", phase=Phase.save)] if routed else []
    restart = [run("reboot", "some files are read at start only", "reboot", phase=Phase.restart)]
    steps = (
        *copies_of(core.steps),
        *with_drain(_apply(core.steps), drain),
        *core.of(Phase.verify),
        *undrain,
        *write,
        *(restart if restarts else ()),
        note(COMPARE, Phase.verify),
    )
    back = [step for step in _apply(core.back) if step.command.startswith(RELOAD) and "--reload" in step.command]
    return Procedure(steps, (*restore_copies(core.steps), *back, *undrain))


def _apply(steps: Sequence[Step]) -> list[Step]:
    """Return the steps that change something, with a reload of the whole file in place of commands."""
    saved = [step for step in steps if step.phase is Phase.save and step.file]
    found: list[Step] = []
    for step in steps:
        whole = next((each for each in saved if step.file == f"{each.file}.commands"), None)
        if whole is not None:
            test = Step(
                f"{RELOAD} --test {{file}}", whole.file, whole.content, "hitless", "dry run: prints the commands"
            )
            found += [
                test,
                test._replace(command=f"{RELOAD} --reload {{file}}", disruption=step.disruption, reason=step.reason),
            ]
        elif step.phase is Phase.apply:
            found.append(step._replace(reason=_MANAGEMENT) if step.command.endswith("netplan apply") else step)
    return found
