"""sysctl.d → kernel parameters."""

from __future__ import annotations

from ..facts import Device


def read_sysctl(path: str, text: str, device: Device) -> dict[str, str]:
    """Kernel parameters of one file; a line that is none is a problem of the device."""
    found = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        key, equals, value = line.partition("=")
        if not equals:
            device.say(f"{path}: not a parameter: {line}")
        found[key.strip().removeprefix("-")] = value.strip()
    return found
