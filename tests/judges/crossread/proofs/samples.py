"""Samples of the traffic: every switch takes them at all ports with a link, alike, from an address of its own."""

from __future__ import annotations

from collections import Counter

from ..facts import Device, Sampling
from .case import Case


def prove_samples(case: Case) -> list[str]:
    """All switches sample for the collector and at the rate of the intent, or none does."""
    sampling = {device.name: device.sampling for device in case.fabric.switches() if device.sampling}
    wanted = case.expected.samples
    if wanted is None and sampling:
        said = Counter((each.collector, rate) for each in sampling.values() for rate in each.rates.values())
        wanted = max(said, key=lambda pair: (said[pair], pair), default=("", 0))
    if not wanted:
        return [f"{name}: takes samples, which the intent does not say" for name in sampling]
    found = []
    for device in case.fabric.switches():
        if device.sampling is None:
            found.append(f"{device.name}: takes no samples")
        else:
            found += _judge(case, device, device.sampling, *wanted)
    return found


def _judge(case: Case, device: Device, sampling: Sampling, collector: str, rate: int) -> list[str]:
    found = []
    if sampling.collector != collector:
        found.append(f"{device.name}: sends samples to {sampling.collector}, not to {collector}")
    own = {address.text for address in (*device.loopbacks, *device.management)}
    if sampling.agent not in own:
        found.append(f"{device.name}: sends samples from {sampling.agent or 'nowhere'}, which is not its address")
    linked = {name for name, port in device.interfaces.items() if port.neighbor}
    linked |= {port for (name, port), _ in case.used_ports if name == device.name}
    for port in sorted(linked - sampling.rates.keys()):
        found.append(f"{device.name} {port}: takes no samples")
    for port, has in sorted(sampling.rates.items()):
        if port not in linked:
            found.append(f"{device.name} {port}: takes samples without a link")
        elif has != rate:
            found.append(f"{device.name} {port}: samples one packet of {has}, not of {rate}")
    return found
