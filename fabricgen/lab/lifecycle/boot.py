"""Booting a lab: namespaces, cables, settings, links, daemons; and changing the kernel of a running device."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from fabricgen.files import Refused, read_file
from fabricgen.lab.lifecycle.installation import Installation
from fabricgen.lab.lifecycle.kernel import (
    LOG_MAX_BYTES,
    NAMESPACES,
    CommandError,
    inside,
    run,
    run_daemon,
    run_ip,
    write_settings,
)
from fabricgen.lab.lifecycle.state import device_folder, keep_files
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.routing_suite import CONFIG_NAME, MANAGER, PROGRAMS, SHELL, SUITE

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""

_PID_MAX_BYTES = 64
WORKERS = 2 * (os.cpu_count() or 1)
_SETTINGS = {
    "net/ipv4/ip_forward": 1,
    "net/ipv4/fib_multipath_hash_policy": 1,
    "net/ipv4/conf/all/rp_filter": 0,
    "net/ipv4/conf/default/rp_filter": 0,
    "net/ipv4/conf/all/ignore_routes_with_linkdown": 1,
    "net/ipv4/conf/default/ignore_routes_with_linkdown": 1,
    "net/ipv4/ping_group_range": 0,
    "net/ipv6/conf/all/forwarding": 1,
    "net/ipv6/fib_multipath_hash_policy": 1,
    "net/ipv6/conf/all/keep_addr_on_down": 1,
    "net/ipv6/conf/default/keep_addr_on_down": 1,
    "net/ipv6/conf/default/ignore_routes_with_linkdown": 1,
    "net/ipv6/conf/default/accept_dad": 0,
    "net/ipv6/conf/all/accept_dad": 0,
}
_HOST_SETTINGS = {"net/ipv4/ip_forward": 0, "net/ipv6/conf/all/forwarding": 0, "net/ipv6/auto_flowlabels": 0}
"""A flow label is made of a hash that a packet keeps within one kernel, so all switches on its way would hash alike."""
_NO_IPV6 = {"net/ipv6/conf/default/disable_ipv6": 1, "net/ipv6/conf/all/disable_ipv6": 1}
_SEED = "net/ipv4/fib_multipath_hash_seed"


class BootError(Exception):
    """A device does not come up: its name, what it did, and the end of what it said."""

    def __init__(self, device: str, what: str, tail: str) -> None:
        super().__init__(f"{device}: {what}")
        self.device, self.what, self.tail = device, what, tail


def boot(blueprint: Blueprint, progress: Progress) -> None:
    """Build everything of a blueprint and start it, without waiting for convergence.

    Links come up before the daemons: of two neighbours the one that is configured later then reaches the other at once,
    where both would else wait for their connect timer. Raises BootError if a daemon does not start or refuses its
    configuration, CommandError if the kernel refuses something.
    """
    progress("namespaces", 0, len(blueprint.nodes))
    run_ip(f"netns add {blueprint.namespace(node.name)}" for node in blueprint.nodes)
    progress("cables", 0, len(blueprint.wires))
    run_ip(_cables(blueprint))
    in_parallel("addresses", lambda node: _configure_kernel(blueprint, node), blueprint.nodes, progress)
    in_parallel("links", lambda node: _links_up(blueprint, node), blueprint.nodes, progress)
    in_parallel("daemons", lambda node: start_daemons(blueprint, node), blueprint.nodes, progress)


def in_parallel(what: str, work: Callable[[LabNode], None], nodes: Iterable[LabNode], progress: Progress) -> None:
    """Do the same for some devices, several at a time; the first failure stops what has not begun."""
    todo = list(nodes)
    progress(what, 0, len(todo))
    with ThreadPoolExecutor(WORKERS) as pool:
        futures = [pool.submit(work, node) for node in todo]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(what, done, len(todo))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _cables(blueprint: Blueprint) -> Iterator[str]:
    """Every cable as a pair of virtual interfaces that never see the machine's own namespace."""
    mtu = {(node.name, end.name): end.mtu_bytes for node in blueprint.nodes for end in node.interfaces}
    mac = {node.name: f" address {node.mac}" if node.mac else "" for node in blueprint.nodes}
    for wire in blueprint.wires:
        a, b = blueprint.namespace(wire.a), blueprint.namespace(wire.b)
        yield (
            f"link add {wire.a_interface}{mac[wire.a]} netns {a} mtu {mtu[wire.a, wire.a_interface]} "
            f"type veth peer name {wire.b_interface}{mac[wire.b]} netns {b} mtu {mtu[wire.b, wire.b_interface]}"
        )


def _configure_kernel(blueprint: Blueprint, node: LabNode) -> None:
    """Settings and addresses; links stay down."""
    with inside(blueprint.namespace(node.name)):
        settings = dict(_SETTINGS if node.is_switch else {**_SETTINGS, **_HOST_SETTINGS})
        if not blueprint.uses_ipv6:
            settings.update(_NO_IPV6)
        write_settings({**settings, **seed_of(node), **dict(node.settings)})
    lines = ["link set lo up", *(add_address(address, "lo") for address in node.loopbacks)]
    for end in node.interfaces:
        lines += (add_address(address, end.name) for address in end.addresses)
    run_ip(lines, blueprint.namespace(node.name))
    if node.packet_filter:
        run(["ip", "netns", "exec", blueprint.namespace(node.name), "nft", "-f", "-"], text=node.packet_filter)


def seed_of(node: LabNode) -> dict[str, int]:
    """Return the kernel setting by which switches of different ranks hash differently."""
    return {_SEED: 1 + node.hash_rank}


def add_address(address: str, interface: str) -> str:
    """A line of the ip command; until its link is up, an IPv6 address that is looked for twice serves no route."""
    return f"address add {address} dev {interface}{' nodad' if ':' in address else ''}"


def _links_up(blueprint: Blueprint, node: LabNode) -> None:
    lines = [f"link set {end.name} up" for end in node.interfaces]
    run_ip([*lines, *node.commands], blueprint.namespace(node.name))


def start_daemons(blueprint: Blueprint, node: LabNode) -> None:
    """Start a device's daemons and load its configuration; raises BootError if one fails, or refuses a line."""
    folder = device_folder(blueprint.lab, node.name)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    keep_files(blueprint.lab, node)
    _start_lldp(blueprint, node, folder)
    if not node.config:
        return
    (folder / CONFIG_NAME).write_text(node.config)
    (folder / "vtysh.conf").write_text("")
    installation = Installation(blueprint.root)
    for path in (folder, folder / CONFIG_NAME):
        os.chown(path, *installation.owner())
    for daemon in started_daemons(blueprint, node):
        command = [
            str(PROGRAMS / daemon), "-d", "-u", SUITE, "-g", SUITE, "-z", str(folder / "zserv.api"),
            "--vty_socket", str(folder), "-i", str(folder / f"{daemon}.pid"),
            "--log", f"file:{folder / daemon}.log", "--log-level", "informational",
        ]  # fmt: skip
        try:
            command = enter(blueprint, node, installation.enter(folder, command, apart=True))
            run_daemon(command, folder / f"{daemon}.out")
        except CommandError as error:
            raise BootError(node.name, f"{daemon} does not start", str(error)) from error
    _load_configuration(blueprint, node, folder)


def daemons_of(node: LabNode) -> tuple[str, ...]:
    """The daemons that a configuration needs."""
    lines = [line.split() for line in node.config.splitlines()]
    words = {line[0] for line in lines if line}
    static = any(line[:2] in (["ip", "route"], ["ipv6", "route"]) for line in lines)
    return ("zebra", *(["staticd"] if static else []), *(["bfdd"] if "bfd" in words else []), "bgpd")


def started_daemons(blueprint: Blueprint, node: LabNode) -> tuple[str, ...]:
    """The daemons that run on a device, in the order in which they start."""
    if not node.config:
        return ()
    return (*([MANAGER] if Installation(blueprint.root).has_manager else []), *daemons_of(node))


def enter(blueprint: Blueprint, node: LabNode, command: list[str]) -> list[str]:
    """A command that runs on a device, under the device's name."""
    network = NAMESPACES / blueprint.namespace(node.name)
    shell = ["sh", "-c", 'hostname "$0" && exec "$@"', node.name, *command]
    return ["nsenter", f"--net={network}", "unshare", "--uts", *shell]


def vtysh(blueprint: Blueprint, device: str, *commands: str) -> list[str]:
    """The command line of a device's routing shell."""
    folder = device_folder(blueprint.lab, device)
    words = [SHELL, "--vty_socket", str(folder), "--config_dir", str(folder)]
    for command in commands:
        words += ["-c", command]
    return Installation(blueprint.root).enter(folder, words)


def _load_configuration(blueprint: Blueprint, node: LabNode, folder: Path) -> None:
    command = [*vtysh(blueprint, node.name), "-b"]
    done = subprocess.run(  # noqa: S603 - a command of the lab
        enter(blueprint, node, command), capture_output=True, text=True, check=False, timeout=300
    )
    output = (done.stdout + done.stderr).strip()
    if done.returncode or "% " in output or "line " in output:
        raise BootError(node.name, f"{folder / CONFIG_NAME} is refused", output)


def _start_lldp(blueprint: Blueprint, node: LabNode, folder: Path) -> None:
    """One LLDP speaker per device, which names it and its ports as the plan does."""
    lines = [
        f"configure system hostname {node.name}",
        "configure lldp portidsubtype ifname",
        "configure lldp tx-interval 5",
    ]
    (folder / "lldpd.conf").write_text("\n".join(lines) + "\n")
    command = [
        "lldpd", "-d", "-u", str(folder / "lldpd.socket"), "-O", str(folder / "lldpd.conf"),
        "-I", ",".join(end.name for end in node.interfaces),
    ]  # fmt: skip
    # It forks to the background only together with a process file that all devices would share, so the shell does it.
    script = 'log=$1; shift; setsid "$@" </dev/null >"$log" 2>&1 &'
    run(enter(blueprint, node, ["sh", "-c", script, "lldp", str(folder / "lldpd.log"), *command]))


def find_dead(blueprint: Blueprint, nodes: Iterable[LabNode]) -> list[tuple[str, str, str]]:
    """Daemons that should run and do not: device, daemon, and the end of its log."""
    dead = []
    for node in nodes:
        folder = device_folder(blueprint.lab, node.name)
        for daemon in started_daemons(blueprint, node):
            if not _is_running(folder / f"{daemon}.pid"):
                dead.append((node.name, daemon, tail(folder / f"{daemon}.log")))
    return dead


def tail(log: Path, lines: int = 8) -> str:
    """The last lines of a log."""
    found = read_file(log, LOG_MAX_BYTES)
    if isinstance(found, Refused):
        return f"{log} {found.reason}"
    text = found.decode(errors="replace")
    return "\n".join(text.splitlines()[-lines:]) or f"{log} is empty"


def _is_running(pid_file: Path) -> bool:
    found = read_file(pid_file, _PID_MAX_BYTES)
    if isinstance(found, Refused):
        return False
    try:
        pid = int(found)
        os.kill(pid, 0)
    except (OSError, ValueError):
        return False
    return Path(f"/proc/{pid}/comm").exists()


_SHELL = """
vtysh() {{ command {vtysh} "$@"; }}
lldpcli() {{ command lldpcli -u {socket} "$@"; }}
"""


def shell_functions(blueprint: Blueprint, node: LabNode) -> str:
    """Return shell functions by which ``vtysh`` and ``lldpcli`` talk to the daemons of a device."""
    socket = device_folder(blueprint.lab, node.name) / "lldpd.socket"
    return _SHELL.format(vtysh=shlex.join(vtysh(blueprint, node.name)), socket=shlex.quote(str(socket)))


def shell_command(blueprint: Blueprint, node: LabNode, command: list[str]) -> list[str]:
    """The shell, or command, on a device, where ``vtysh`` and ``lldpcli`` talk to the device's daemons."""
    folder = device_folder(blueprint.lab, node.name)
    prompt = f"PS1='{node.name}# '"
    start = shell_functions(blueprint, node)
    if command:
        words = ["sh", "-c", f'{start}\n"$@"', node.name, *command]
    else:
        (folder / "shell.rc").write_text(f"{start}{prompt}\n")
        words = ["bash", "--rcfile", str(folder / "shell.rc"), "-i"]
    return enter(blueprint, node, words)


def change_kernel(blueprint: Blueprint, before: LabNode, after: LabNode) -> None:
    """Change only what differs between two states of a device; raises CommandError if the kernel refuses it."""
    namespace = blueprint.namespace(after.name)
    run_ip(list_lines(before, after), namespace)
    settings, old = ({**seed_of(node), **dict(node.settings)} for node in (after, before))
    if settings != old:
        with inside(namespace):
            write_settings(settings)
    if after.packet_filter != before.packet_filter:
        run(["ip", "netns", "exec", namespace, "nft", "-f", "-"], text=f"flush ruleset\n{after.packet_filter}")


def list_lines(before: LabNode, after: LabNode) -> Iterator[str]:
    """Yield lines of the ip command: what goes first, then what comes."""
    gone = [command for command in before.commands if command not in after.commands]
    yield from (command.replace(" add ", " del ", 1) for command in reversed(gone))
    yield from _addresses("lo", before.loopbacks, after.loopbacks)
    known = {end.name: end for end in before.interfaces}
    for end in after.interfaces:
        old = known[end.name]
        if end.mtu_bytes != old.mtu_bytes:
            yield f"link set {end.name} mtu {end.mtu_bytes}"
        yield from _addresses(end.name, old.addresses, end.addresses)
    yield from (command for command in after.commands if command not in before.commands)


def _addresses(interface: str, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    for address in before:
        if address not in after:
            yield f"address del {address} dev {interface}"
    for address in after:
        if address not in before:
            yield add_address(address, interface)
