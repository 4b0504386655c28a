"""Actions of a wave on one device of a lab: drained, taken out, changed, brought back.

A switch of any platform is a routing daemon in a namespace here, so that a step is represented by its disruption: in a
session reset all sessions go down, in a port flap all links, and in a drain or a reboot all processes end as well. Each
stays out until it is brought back, which is the worst that the step can do to traffic.
"""

from __future__ import annotations

from dataclasses import replace

from fabricgen.lab.lifecycle.boot import change_kernel, enter, vtysh
from fabricgen.lab.lifecycle.kernel import run, run_ip
from fabricgen.lab.lifecycle.state import device_folder
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.routing_suite import CONFIG_NAME
from fabricgen.lab.rehearsal.changes import LabChange, mix
from fabricgen.lab.verify.drill import GRACEFUL_SHUTDOWN, InjectedFault, configure_bgp, kill_switch

_SILENT = "bgp shutdown"
_REFUSED = "% "
_THROUGH = " dev "
"""Part of a route that the kernel drops with its link."""


class RefusedLines(Exception):  # noqa: N818 - an answer of the daemon, not a fault of the lab
    """Lines of a change that the daemons refuse; the text is what they said."""


def take_out(blueprint: Blueprint, change: LabChange) -> None:
    """Put a device out of service as the greatest of its steps does; one that keeps its traffic stays in."""
    node = change.before
    if change.disruption == "session reset" and node.config:
        configure_bgp(blueprint, node, _SILENT)
    elif change.disruption == "port flap":
        _set_links(blueprint, node, "down")
    elif change.leaves:
        _dead(blueprint, node).make()


def bring_back(blueprint: Blueprint, change: LabChange, *, drained: bool) -> None:
    """Change a device, and return it to service, drained if no reboot ends that; RefusedLines if lines are."""
    if change.leaves and not change.before.is_switch:
        change = _plug_in(blueprint, change)
    after = change.after
    if change.disruption in ("hitless", "login", "session reset", "port flap"):
        _reload(blueprint, change)
        if change.disruption == "session reset" and after.config:
            # FRR 8.4.4 leaves sessions idle if both ends were shut down.
            configure_bgp(blueprint, after, f"no {_SILENT}")
            run(vtysh(blueprint, change.name, "clear bgp *"))
        elif change.disruption == "port flap":
            _set_links(blueprint, after, "up")
        return
    change_kernel(blueprint, change.before, after)
    if drained and change.disruption != "reboot":
        after = replace(after, config=f"{after.config}router bgp {after.asn}\n {GRACEFUL_SHUTDOWN}\nexit\n")
    _dead(blueprint, after).undo()


def _plug_in(blueprint: Blueprint, change: LabChange) -> LabChange:
    """Return the change of a host whose links are up again; its routes have gone with them, and are set anew."""
    _set_links(blueprint, change.after, "up")
    left = tuple(command for command in change.before.commands if _THROUGH not in command)
    return change._replace(before=replace(change.before, commands=left))


def _reload(blueprint: Blueprint, change: LabChange) -> None:
    """Change a device that goes on: its addresses first, then its routing."""
    change_kernel(blueprint, change.before, change.after)
    if change.commands:
        _load(blueprint, change)
    for command in change.clears:
        run(vtysh(blueprint, change.name, command))


def _load(blueprint: Blueprint, change: LabChange) -> None:
    """Give a device's daemons the commands of its change, after a dry run."""
    path = device_folder(blueprint.lab, change.name) / f"{CONFIG_NAME}.commands"
    path.write_text(change.commands)
    for words in (["-C", "-f", str(path)], ["-f", str(path)]):
        output = run(enter(blueprint, change.before, [*vtysh(blueprint, change.name), *words]))
        if _REFUSED in output:
            raise RefusedLines(f"{change.name}: {output.strip()[:400]}")
    (device_folder(blueprint.lab, change.name) / CONFIG_NAME).write_text(change.after.config)


def _set_links(blueprint: Blueprint, node: LabNode, state: str) -> None:
    run_ip((f"link set {end.name} {state}" for end in node.interfaces), blueprint.namespace(node.name))


def _dead(blueprint: Blueprint, node: LabNode) -> InjectedFault:
    """Return the device as one that has lost all processes and links."""
    return kill_switch(node.name, mix(blueprint, {node.name: node}), node, ())
