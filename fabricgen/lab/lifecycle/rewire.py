"""Kernel of a running device, changed to what another configuration gives it: addresses, MTU, settings, routes."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.lab.lifecycle.boot import add_address, seed_of
from fabricgen.lab.lifecycle.kernel import inside, run, run_ip, write_settings
from fabricgen.lab.model.blueprint import Blueprint, LabNode


def change_kernel(blueprint: Blueprint, before: LabNode, after: LabNode) -> None:
    """Change what differs between two states of a device; nothing is touched that does not.

    Args:
        blueprint: The lab.
        before: As the device is.
        after: As it should be, with the same cables.

    Raises:
        CommandError: The kernel refuses something.
    """
    namespace = blueprint.namespace(after.name)
    run_ip(list_lines(before, after), namespace)
    settings, old = ({**seed_of(node), **dict(node.settings)} for node in (after, before))
    if settings != old:
        with inside(namespace):
            write_settings(settings)
    if after.packet_filter != before.packet_filter:
        run(["ip", "netns", "exec", namespace, "nft", "-f", "-"], text=f"flush ruleset\n{after.packet_filter}")


def list_lines(before: LabNode, after: LabNode) -> Iterator[str]:
    """Yield lines of the ip command: what goes first, then what comes.

    Args:
        before: As the device is.
        after: As it should be, with the same cables.
    """
    gone = [command for command in before.commands if command not in after.commands]
    yield from (_undone(command) for command in reversed(gone))
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


def _undone(command: str) -> str:
    """Return a line that adds a route or a rule as one that takes it away."""
    return command.replace(" add ", " del ", 1)
