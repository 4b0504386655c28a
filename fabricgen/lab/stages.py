"""The life of a lab: up, converged, asked about, down."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fabricgen.diagnostics import Bag, Severity
from fabricgen.diagnostics.file_codes import CANNOT_WRITE
from fabricgen.diagnostics.words import counted
from fabricgen.lab.lab_codes import (
    ALREADY_UP,
    BAD_NAME,
    COMMAND_FAILED,
    DAEMON_DIED,
    NOT_CONVERGED,
    NOT_UP,
    STILL_THERE,
    UNPROVEN,
)
from fabricgen.lab.lifecycle import state
from fabricgen.lab.lifecycle.boot import BootError, Progress, boot, find_dead
from fabricgen.lab.lifecycle.installation import check_machine, check_memory, fits_machine
from fabricgen.lab.lifecycle.kernel import CommandError, find_processes, summed_memory_bytes
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.excerpt import Cut, apply_cut, choose_cut, describe_cut, measure, parse_cut
from fabricgen.lab.model.planned import LAB_NAME_MAX, Drafter
from fabricgen.lab.verify.observe import check_sessions, routes_differ
from fabricgen.lab.verify.predict import Prediction, predict
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec

WHOLE = "none"
"""The cut that leaves nothing out."""
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{LAB_NAME_MAX - 1}}}")
_PATIENCE_S, _PATIENCE_PER_LINK_S = 60.0, 0.2
_ROOM = "make room in /run or remove what is in the way, then boot the lab again"
_ALWAYS_UNPROVEN = (
    "forwarding of the ASIC: speeds, buffers, PFC, ECN, ETS, hash functions; Linux forwards in their place",
    "the switch's own operating system: its containers, its orchestration, its version of FRR",
)


@dataclass(frozen=True, slots=True)
class BootRequest:
    """Request to boot a lab.

    Attributes:
        cut: Text of the cut; ``none`` for the whole fabric, empty to have one chosen if need be.
        root: Root folder of the system whose routing daemons are to run; ``/`` for this machine's.
        overlays: Overlays of the inventory, ``catalogs`` the folders of its own catalogs.
    """

    lab: str
    cut: str = ""
    root: str = "/"
    overlays: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()


def check_name(lab: str, bag: Bag) -> bool:
    """Return whether a lab can be called so; it is the name of a folder and a part of the names of namespaces."""
    if _NAME.fullmatch(lab):
        return True
    message = f"{lab!r} cannot be the name of a lab: up to {LAB_NAME_MAX} letters, digits, _ and -, no dot, no slash"
    bag.add(BAD_NAME, message, hint="add --name with such a name")
    return False


def prepare(plan: FabricPlan, specs: Mapping[str, PlatformSpec], request: BootRequest, bag: Bag) -> Blueprint | None:
    """Work out a lab without making anything; None with diagnostics if it cannot be."""
    if not request.cut:
        cut = choose_cut(plan, bag, fits_machine)
    elif request.cut == WHOLE:
        cut = Cut()
    else:
        cut = parse_cut(request.cut, plan, bag)
    if bag.has_errors or not check_memory(*measure(plan, cut), bag):
        return None
    return draft(plan, specs, request, cut, bag)


def draft(
    plan: FabricPlan, specs: Mapping[str, PlatformSpec], request: BootRequest, cut: Cut, bag: Bag
) -> Blueprint | None:
    """Work out a lab of a part of a fabric, whether it fits this machine or not; None with diagnostics."""
    blueprint = Drafter(apply_cut(plan, cut), specs, bag).draft(request.lab)
    if bag.has_errors:
        return None
    notes = (*describe_cut(plan, cut), *_ALWAYS_UNPROVEN)
    return replace(
        blueprint, cut=str(cut), notes=notes, root=request.root, overlays=request.overlays, catalogs=request.catalogs
    )


def redraft(
    plan: FabricPlan, specs: Mapping[str, PlatformSpec], running: Blueprint, bag: Bag, *, cut: str = ""
) -> Blueprint | None:
    """Return a running lab as the plan of the whole fabric has it now; None with diagnostics if it cannot be booted so.

    The bag takes errors only: what the lab does not prove was reported when it came up.
    """
    unreported, text = Bag(), cut or running.cut
    part = parse_cut(text, plan, bag) if text and text != WHOLE else Cut()
    request = BootRequest(running.lab, text, running.root, running.overlays, running.catalogs)
    found = None if bag.has_errors else draft(plan, specs, request, part, unreported)
    bag.extend([item for item in unreported if item.severity is Severity.ERROR])
    return found


def bring_up(blueprint: Blueprint, bag: Bag, progress: Progress, *, patience_s: float = 0) -> bool:
    """Boot a lab and wait until it forwards as planned over watched sessions; a failure leaves nothing, or is named.

    If it has not converged in time, by the number of links or ``patience_s``, it runs all the same, with a warning.
    """
    if not check_machine(bag, blueprint.root) or not check_memory(len(blueprint.nodes), len(blueprint.wires), bag):
        return False
    claimed = False
    try:
        claimed = state.claim(blueprint)
        if not claimed:
            hint = f"run fabricgen lab down --name {blueprint.lab}"
            bag.add(ALREADY_UP, f"lab {blueprint.lab} already exists", hint=hint)
        elif _boot(blueprint, bag, progress, patience_s):
            return True
    except BootError as error:
        bag.add(DAEMON_DIED, f"{error.device}: {error.what}\n{error.tail}")
    except CommandError as error:
        bag.add(COMMAND_FAILED, str(error))
    except OSError as error:
        bag.add(CANNOT_WRITE, state.describe(error), hint=_ROOM)
    except BaseException:
        if claimed:
            state.erase(blueprint.lab)
        raise
    if claimed:
        # Otherwise whatever there is of a lab of this name is another's, and stays.
        _take_down(blueprint, bag)
    return False


def _boot(blueprint: Blueprint, bag: Bag, progress: Progress, patience_s: float) -> bool:
    boot(blueprint, progress)
    late = wait_converged(blueprint, progress, patience_s)
    if report_dead(blueprint, bag):
        return False
    for note in blueprint.notes:
        bag.add(UNPROVEN, note)
    if late:
        bag.add(NOT_CONVERGED, f"{counted(len(late), 'device')} not as planned: {', '.join(n.name for n in late[:6])}")
    return True


def _take_down(blueprint: Blueprint, bag: Bag) -> None:
    """Erase a lab that did not come up; report what is left of it."""
    left = state.erase(blueprint.lab)
    if left:
        bag.add(STILL_THERE, f"lab {blueprint.lab} is not completely removed: {'; '.join(left)}")


def wait_converged(blueprint: Blueprint, progress: Progress, patience_s: float = 0) -> list[LabNode]:
    """Wait until every kernel forwards as planned over sessions that are up and watched; return who is late.

    A session forwards before BFD watches it. Once all devices are as planned, all are read again: one that was so first
    may have lost a session since.
    """
    prediction = predict(blueprint)
    patience = patience_s or _PATIENCE_S + _PATIENCE_PER_LINK_S * len(blueprint.wires)
    deadline = time.monotonic() + patience
    total = len(blueprint.speakers)
    left = list(blueprint.speakers)
    while True:
        left = routes_differ(blueprint, prediction, left)
        progress("convergence", total - len(left), total)
        left = left or _not_as_planned(blueprint, prediction)
        if not left or time.monotonic() > deadline or find_dead(blueprint, left):
            return left
        time.sleep(0.5)


def _not_as_planned(blueprint: Blueprint, prediction: Prediction) -> list[LabNode]:
    """Devices whose sessions or routes are not as planned now."""
    late = {finding.device for finding in check_sessions(blueprint).findings}
    late.update(node.name for node in routes_differ(blueprint, prediction, blueprint.speakers))
    return [node for node in blueprint.speakers if node.name in late]


def report_dead(blueprint: Blueprint, bag: Bag) -> bool:
    """Name every daemon that should run and does not, with the end of its log; whether there is one."""
    dead = find_dead(blueprint, blueprint.speakers)
    for device, daemon, log in dead:
        bag.add(DAEMON_DIED, f"{device}: {daemon} does not run; the end of its log:\n{log}")
    return bool(dead)


def find_lab(lab: str, bag: Bag) -> Blueprint | None:
    """The lab of that name; None with a diagnostic if there is none."""
    blueprint = state.load(lab)
    if blueprint is None:
        running = ", ".join(state.list_labs()) or "none"
        bag.add(NOT_UP, f"there is no lab {lab}; labs on this machine: {running}")
    return blueprint


def list_status(blueprint: Blueprint) -> list[dict[str, str | int | float]]:
    """One row per device: what it is, how many processes it runs and how much memory they take."""
    names = {blueprint.namespace(node.name): node for node in blueprint.nodes}
    processes = find_processes(names)
    dead: dict[str, list[str]] = {}
    for device, daemon, _ in find_dead(blueprint, blueprint.speakers):
        dead.setdefault(device, []).append(daemon)
    rows: list[dict[str, str | int | float]] = []
    for namespace, node in names.items():
        pids = processes.get(namespace, [])
        rows.append(
            {
                "device": node.name,
                "role": node.role,
                "asn": node.asn or "",
                "interfaces": len(node.interfaces),
                "control_plane": _control_plane(node),
                "processes": len(pids),
                "memory_mib": round(summed_memory_bytes(pids) / 2**20, 1),
                "state": f"dead: {', '.join(dead[node.name])}" if node.name in dead else node.state or "running",
            }
        )
    return rows


def _control_plane(node: LabNode) -> str:
    if not node.config:
        return "static"
    return "equivalent" if node.equivalent else "as rendered"
