"""Settings by which the NICs of a host keep the lossless contract, from its plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.device.model import Contract, HostClass
from fabricgen.platforms.observations.records import (
    CM_TOS,
    CNP_DSCP,
    CNP_PRIORITY,
    CODE_POINTS,
    NOTIFIES,
    PAUSED,
    REACTS,
    TRUST,
    ActiveSetting,
    name_numbers,
)

_PRIORITIES = range(8)


def list_contract(cls: HostClass, ports: Iterable[str]) -> Iterator[ActiveSetting]:
    """Yield the settings by which NIC ports keep the lossless contract.

    Args:
        cls: Class of the host.
        ports: Its cabled ports.
    """
    values = {**_of_classes(cls.contract), CM_TOS: str(cls.collectives.data_dscp << 2)}
    yield from (ActiveSetting(port, name, value) for port in ports for name, value in values.items())


def _of_classes(contract: Contract) -> dict[str, str]:
    """Return what the classes ask of a port: DSCP decides, and DCQCN runs on the lossless classes of its modes."""
    runs = contract.mode != "pfc_only"
    cut = name_numbers({each.priority for each in contract.classes if each.lossless} if runs else ())
    cnp = contract.by_name("cnp") if runs else None
    found = {TRUST: "dscp", PAUSED: name_numbers(contract.lossless), NOTIFIES: cut, REACTS: cut}
    if cnp is not None and cnp.dscp:
        found |= {CNP_DSCP: str(cnp.mark), CNP_PRIORITY: str(cnp.priority)}
    for priority in _PRIORITIES:
        points = [point for point, target in enumerate(contract.priority_by_dscp) if target == priority]
        found[f"{CODE_POINTS} {priority}"] = name_numbers(points)
    return found
