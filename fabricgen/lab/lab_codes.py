"""Diagnostic codes of the lab."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(register, source="docs/lab.md")

NOT_ROOT = declare(
    "FG-LAB-001",
    "The lab needs root",
    why="Network namespaces, links and daemons of other users can be made by root only.",
    fix="Run the command as root.",
)
NO_PROGRAM = declare(
    "FG-LAB-002",
    "A program of the lab is not installed",
    why="Switches run the routing daemons of FRR, every port speaks LLDP through lldpd.",
    fix="Install the packages that are named.",
)
NO_NAMESPACES = register(
    "FG-LAB-003",
    "This machine does not let network namespaces be made, or forwards over one path only",
    why="Every switch and host of the lab is one; equal-cost paths would be one path, and every answer would be wrong.",
    fix="Run the lab on a machine or in a container that may use network, mount and host name namespaces, and whose "
    "kernel has veth and CONFIG_IP_ROUTE_MULTIPATH.",
    source="namespaces(7); Linux, Documentation/networking/ip-sysctl.rst, fib_multipath_hash_policy",
)
NO_MEMORY = declare(
    "FG-LAB-004",
    "Too little memory for the lab",
    why="A lab that is killed half way through proves nothing and may take other programs with it.",
    fix="Cut the fabric, or leave --cut out to have a cut chosen.",
)
ALREADY_UP = declare(
    "FG-LAB-006",
    "There is a lab of this name",
    why="Two labs cannot have the same namespaces.",
    fix="Take it down, or give this one another name with --name.",
)
NOT_UP = declare(
    "FG-LAB-007",
    "There is no lab of this name",
    why="Nothing can be asked of a fabric that does not run.",
    fix="Boot it with fabricgen lab up.",
)
BAD_NAME = register(
    "FG-LAB-008",
    "A name does not fit what Linux allows",
    why="Interfaces have at most 15 characters and no slash; paths of sockets have at most 107.",
    fix="Use a shorter name.",
    source="Linux, include/uapi/linux/if.h, IFNAMSIZ; unix(7)",
)
DAEMON_DIED = declare(
    "FG-LAB-010",
    "A daemon does not run, or refuses its configuration",
    why="The device is dead, whatever the plan says; lines after a refused one may mean something else.",
    fix="Read the end of its log, which follows; it is often one line of the configuration, and its template is wrong.",
)
NOT_CONVERGED = declare(
    "FG-LAB-012",
    "The fabric has not converged in time",
    why="Its forwarding tables, sessions or BFD differ from the plan.",
    fix="Run fabricgen lab test, which reports what is missing and why.",
    severity=Severity.WARNING,
)
COMMAND_FAILED = declare(
    "FG-LAB-013",
    "A command of the lab failed",
    why="The lab is not what was planned.",
    fix="Read the output of the command.",
)
BAD_CUT = declare(
    "FG-LAB-020",
    "The cut cannot be understood, or asks for more than there is",
    why="Another fabric than the intended one would be booted; a cut only leaves out.",
    fix="Write --cut like units=2,hosts_per_unit=1,spines=4, with numbers up to those of the fabric.",
)
CUT_CHOSEN = declare(
    "FG-LAB-022",
    "A part of the fabric was chosen for the memory and cores of this machine",
    why="What is left out is not proven.",
    fix="No action is needed if this is intended; otherwise give --cut.",
    severity=Severity.WARNING,
)
UNPROVEN = declare(
    "FG-LAB-023",
    "The lab does not prove everything",
    why="What is left out may still be wrong.",
    fix="No action is needed if this is intended.",
    severity=Severity.INFO,
)
EQUIVALENT = declare(
    "FG-LAB-024",
    "Switches run a control plane equivalent",
    why="Their own system is not here; the same device model was rendered for FRR in its place.",
    fix="No action is needed; or try the vendor's image with fabricgen lab export containerlab.",
    severity=Severity.INFO,
)
NO_EQUIVALENT = declare(
    "FG-LAB-025",
    "No installed platform renders FRR for a switch",
    why="The routing of this switch cannot be run here.",
    fix="Install the platform that renders plain FRR.",
)
NOT_APPLIED = register(
    "FG-LAB-030",
    "A line of a host's network file has no counterpart in the lab",
    why="The host in the lab would differ from the real one in silence.",
    fix="Test this key on a real host, or remove it from the host's template for the lab.",
    source="https://netplan.readthedocs.io/en/stable/netplan-yaml/",
)
NO_DEVICE = declare(
    "FG-LAB-040",
    "The lab has no device of this name",
    why="There is nothing to look into.",
    fix="Use one of the names that fabricgen lab status lists.",
)
NO_VICTIM = declare(
    "FG-LAB-041",
    "The lab has nothing that this drill could fail",
    why="Without a second path a failure proves nothing but itself.",
    fix="Keep more spines in the cut, or choose another drill.",
)
CHANGED = declare(
    "FG-LAB-044",
    "The inventory is not what the lab was booted from",
    why="The prediction would be of another fabric than the one that is measured.",
    fix="Take the lab down and boot it again, or give the inventory and the overlays it was booted with.",
)
NOT_PLANNED_FROM = declare(
    "FG-LAB-046",
    "A side is not what the rollout was planned from",
    why="The waves of one change would be rehearsed on another fabric.",
    fix="Name both sides as they were when the rollout was planned, with --intended and --deployed, or plan it again.",
)
NO_ROUTING = declare(
    "FG-LAB-047",
    "The deployed side has no routing configuration that the lab can boot",
    why="What a device runs before its change is not known, so the change cannot be rehearsed.",
    fix="Name the inventory that is deployed with --deployed, for example a git revision of it.",
)
NOTHING_HERE = declare(
    "FG-LAB-048",
    "The lab has none of the devices that the rollout changes",
    why="A rehearsal without a wave proves nothing.",
    fix="Choose a --cut that keeps them; fabricgen rollout resume lists the devices of each wave.",
)
STILL_THERE = declare(
    "FG-LAB-096",
    "A lab that did not start cannot be removed",
    why="Its namespaces, daemons or files stay until they are removed, and keep its name.",
    fix="Remove the cause that is named, then run fabricgen lab down with the lab's name.",
)
