"""Rules on time by PTP: a grandmaster reaches every clock, apart from RoCE, on addresses that are its own."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.beyond import LACKING, NOTES, Asked, Row, Who, is_absent, stated, table
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.addressing import RESERVED, overlap, pools_of
from fabricgen.checks.rules.attachment import attachments
from fabricgen.checks.rules.platforms import each_platform, each_system, each_tier
from fabricgen.checks.rules.qos import CLASSES
from fabricgen.diagnostics import IntentPath, Related, Severity, format_path, register
from fabricgen.diagnostics.words import name_few
from fabricgen.intent.network import UNNUMBERED
from fabricgen.plan.model.cabling import down_links, up_links
from fabricgen.plan.model.contract import PTP_DSCP
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.planner.grandmasters import PATH

PTP = PATH[:-1]


@rule(
    "FG-TOP-078",
    "Clock that no grandmaster reaches",
    why="PTP passes from port to port, over links with IPv4 addresses; a clock without a way to a grandmaster runs "
    "free, on some systems with the time of the system.",
    fix="Name a grandmaster in every part of the fabric, such as every plane; address links by IPv4; or let clocks "
    "follow time servers.",
    source="IEEE 1588-2008 section 6.6 (boundary clocks) and annex D (UDP over IPv4); linuxptp, ptp4l(8)",
)
def check_reach(view: PlanView) -> Iterator[Finding]:
    """Every switch has a way of links to a grandmaster."""
    plan = view.plan
    reached = _reached(plan)
    lost = [plan.device_name(device) for device in plan.switches() if device not in reached] if reached else []
    if lost:
        message = f"no links lead from {name_few(lost)} to a grandmaster"
        yield Finding(message, PATH, hint=f"name one more grandmaster, at {lost[0]} or a switch that it has links to")


def _reached(plan: FabricPlan) -> set[DeviceId]:
    """Switches that links join to one with a grandmaster."""
    found: set[DeviceId] = set()
    waiting = [device for device, _ in plan.grandmasters]
    while waiting:
        device = waiting.pop()
        if device not in found:
            found.add(device)
            waiting += {link.upper_end for link in up_links(plan, device)}
            waiting += {link.lower_end for link in down_links(plan, device)} if device.tier else ()
    return found


@further("FG-TOP-078")
def check_links_carry_ptp(view: IntentView) -> Iterator[Finding]:
    """Links have IPv4 addresses, and a host's first rail is one port."""
    addressing = view.intent.addressing
    if view.intent.operations.ptp is None:
        return
    if "ipv4" not in addressing.families or addressing.fabric_links == UNNUMBERED:
        related = (Related("the addresses", ("addressing", "families")),)
        hint = "give all links IPv4 addresses, or remove operations.ptp"
        yield Finding("PTP is rendered over IPv4, which links lack addresses of", PTP, hint=hint, related=related)
    several: dict[IntentPath, str] = {(*path, "bond"): each.bond for _, each, path in attachments(view)}
    if view.intent.planes and view.intent.planes.host == "nic":
        several["planes", "host"] = "nic"
    for path, value in several.items():
        if value != "none":
            message = f"{format_path(path)} is {value}: a rail is more than one port, none of which PTP follows"
            yield Finding(message, path, hint="remove operations.ptp", related=(Related("PTP", PTP),))


@rule(
    "FG-QOS-167",
    "PTP in a lossless class",
    why="Its messages would wait for pauses of RoCE, which is what they measure the delay of, and be marked.",
    fix="Leave DSCP 46 (expedited forwarding), which all clocks send, out of lossless classes.",
    source="RFC 3246; CumulusNetworks/docs, Precision Time Protocol (DSCP 46); IEEE 1588-2008 section 7.4 (delay)",
)
def check_class(view: IntentView) -> Iterator[Finding]:
    """No lossless class has the code point of PTP."""
    for name, cls in sorted(view.intent.lossless.classes.items()) if view.intent.operations.ptp else ():
        if cls.lossless and PTP_DSCP in cls.dscp:
            message = f"class {name!r} is lossless and has DSCP {PTP_DSCP}, that of PTP"
            hint = f"remove {PTP_DSCP} from dscp of {name!r}"
            yield Finding(message, (*CLASSES, name, "dscp"), hint=hint, related=(Related("PTP", PTP),))


@further("FG-ADR-010")
def check_addresses(view: IntentView) -> Iterator[Finding]:
    """The subnet of a grandmaster is that of nothing else, and one that a port can have."""
    ptp, pools = view.intent.operations.ptp, pools_of(view.intent)
    taken = [(f"{format_path(path)} {pool}", pool, path) for path, pool in pools]
    taken += [(f"{reserved}, which {words}", reserved, ()) for reserved, words in RESERVED]
    for name, grandmaster in sorted(ptp.grandmasters.items()) if ptp else ():
        path, subnet = (*PATH, name, "subnet"), grandmaster.subnet
        for words, other, place in taken:
            if overlap(subnet, other):
                related = (Related("the other one", place),) if place else ()
                yield Finding(f"{subnet} overlaps {words}", path, hint="use a subnet of its own", related=related)
        taken.append((f"the subnet of {name}", subnet, path))


def _models(view: IntentView, who: Who) -> Iterator[Asked]:
    """The ASIC of a tier's model."""
    model = view.catalog.switches.get(view.intent.tiers[who.key].model)
    if model is not None and view.intent.operations.ptp:
        yield Asked(PTP, model.asic.id, {"model": model.id})


def _time_servers(view: IntentView, who: Who) -> Iterator[Asked]:
    """Time servers beside PTP."""
    yield from stated(("operations", "ntp"))(view, who) if view.intent.operations.ptp else ()


TIME_SERVERS = register(
    "FG-PLT-163",
    "Time servers beside PTP",
    severity=Severity.INFO,
    why="The system clock of these switches follows PTP; a second source would pull it back and forth.",
    fix="No action is needed; time servers remain for platforms whose system clock does not follow PTP.",
    source=f"{NOTES}; CumulusNetworks/docs, Precision Time Protocol: NTP and PTP do not both set the system clock",
)
table(
    Row(LACKING, each_system, stated(PTP), "ptp", on_key=True).text(
        "{name} has no clock that follows PTP (capability ptp){because}", "use another system, or no operations.ptp"
    ),
    Row(
        LACKING, each_tier, _models, "ptp_lacking", lambda asic, lacking: not asic.startswith(lacking), on_key=True
    ).text("{name} has no PTP on {model}", "use another model, or no operations.ptp"),
    Row(TIME_SERVERS, each_platform, _time_servers, "ptp_sets_time", is_absent).text(
        "ntp is not rendered for {name}, whose clock PTP sets"
    ),
)
