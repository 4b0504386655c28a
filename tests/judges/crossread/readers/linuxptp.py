"""linuxptp on a host: which clock its own follows → neutral facts."""

from __future__ import annotations

import re

from ..facts import Clock, Device
from ..tree import Files, Reader

CONFIG, UNITS = "etc/linuxptp/fabricgen.conf", "etc/systemd/system/fabricgen-{}.service"
_RATES = ("logAnnounceInterval", "logSyncInterval", "logMinDelayReqInterval")


def read(files: Files, device: Device) -> bool:
    text = files.text(CONFIG)
    if text is None:
        return False
    rows = dict(line.split(None, 1) for line in text.splitlines() if line and line[0] not in "#[")
    port, system = files.text(UNITS.format("ptp4l")) or "", files.text(UNITS.format("phc2sys")) or ""
    started = re.search(rf"^ExecStart=/usr/sbin/ptp4l (-s )?-f /{CONFIG} -i (\S+)$", port, re.MULTILINE)
    if started is None or f"ExecStart=/usr/sbin/phc2sys -f /{CONFIG} -s {started[2]} -w\n" not in system:
        device.say("the system clock does not follow the clock that PTP sets")
        return True
    if not {"chrony.service", "systemd-timesyncd.service"} <= set(re.split(r"[=\s]", system)):
        device.say("NTP and PTP both set the clock")
    if rows["dscp_event"] != rows["dscp_general"] or rows["network_transport"] != "UDPv4":
        device.say("PTP has two code points, or is not sent over UDP and IPv4")
    role, rates = "follower" if started[1] else "any", tuple(int(rows[key]) for key in _RATES)
    device.clock = Clock(int(rows["domainNumber"]), int(rows["dscp_event"]), {started[2]: role}, {rates})
    return True


READER = Reader("host", read, stage=1)
