"""The lossless contract of the intent: classes, congestion control, headroom, watchdog."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fabricgen.intent.types import PER_DEVICE, Identifier, Intent, Text
from fabricgen.validation.forms import Form, Or


def _dscp(value: Any) -> Any:
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


CodePoint = Annotated[int, Field(ge=0, le=63)]
"""A DSCP."""


class TrafficClassIntent(Intent):
    """One traffic class: its code points, its priority and how it is scheduled."""

    dscp: Annotated[
        list[CodePoint],
        BeforeValidator(_dscp, json_schema_input_type=CodePoint | list[CodePoint]),
        Field(max_length=64, description="One code point or several; the default class takes all the remaining ones"),
    ] = []
    mark: Annotated[
        CodePoint | None,
        Field(
            description="Code point that NICs mark, one of dscp; left out, the lowest. Of several lossless classes, "
            "RDMA travels in the first that states it"
        ),
    ] = None
    priority: Annotated[int, Field(ge=0, le=7, description="Traffic class, queue and PFC priority")]
    lossless: Annotated[bool, Field(description="Under PFC")] = False
    strict: Annotated[bool, Field(description="Strict priority")] = False
    weight_pct: Annotated[int | None, Field(ge=1, le=100, description="Share of the bandwidth, percent")] = None


def default_classes() -> dict[str, TrafficClassIntent]:
    """RoCE lossless on priority 3, CNP strict on 6, control strict on 7, the rest best effort."""
    return {
        "roce": TrafficClassIntent(dscp=[26], priority=3, lossless=True, weight_pct=95),
        "cnp": TrafficClassIntent(dscp=[46], priority=6, strict=True),
        "control": TrafficClassIntent(dscp=[48, 56], priority=7, strict=True),
        "default": TrafficClassIntent(priority=0, weight_pct=5),
    }


class EcnValues(Intent):
    """Explicit marking thresholds."""

    kmin_bytes: Annotated[int, Field(ge=1, le=1_000_000_000, description="No marking below")]
    kmax_bytes: Annotated[int, Field(ge=1, le=1_000_000_000, description="Everything marked above")]
    pmax_pct: Annotated[int, Field(ge=1, le=100, description="Marking probability at kmax, percent")]


_Profile = Annotated[str, Form(r"^[a-z0-9][a-z0-9_]{0,63}$", "the name of a catalog file")]
_EcnName = Annotated[_Profile, Or(("computed",), _Profile, "the name of a catalog file"), Tag("Name")]
_EcnValues = Annotated[EcnValues, Tag("Values")]


def _form(value: Any) -> str:
    """Return whether marking is stated by name or by thresholds."""
    return "Values" if isinstance(value, dict | EcnValues) else "Name"


EcnChoice = Annotated[_EcnName | _EcnValues, Discriminator(_form)]
"""Source of the thresholds of some queues."""

EcnKey = Annotated[
    str, Form(r"^([1-9][0-9]{0,3}G|[a-z][a-z0-9_]{0,31})$", "a speed, such as 400G, or the name of a tier")
]
"""A speed, ``400G``, or the name of a tier."""


def _form_or_map(value: Any) -> str:
    """The same, or per tier and speed: thresholds have keys of their own or bare numbers."""
    if not isinstance(value, dict):
        return _form(value)
    own = EcnValues.model_fields.keys() & value.keys()
    return "Values" if own or any(isinstance(item, int | float) for item in value.values()) else "PerKey"


class Headroom(Intent):
    """Limits that the operator accepts for the headroom pool."""

    pool_oversubscription_max: Annotated[
        float, Field(ge=1, le=100, strict=False, description="Sum of headrooms over the headroom pool")
    ] = 4.0


class WatchdogIntent(Intent):
    """PFC watchdog: when a paused queue counts as stuck, what happens, when it is tried again."""

    detection_ms: Annotated[
        Annotated[int, Field(ge=1, le=5000)] | None,
        Field(description="Paused this long is a storm; left out, 200 ms for every 32 ports of a SONiC switch"),
        PER_DEVICE,
    ] = None
    restoration_ms: Annotated[
        Annotated[int, Field(ge=1, le=60000)] | None,
        Field(description="Without pause this long is over; left out, 400 ms for every 32 ports of a SONiC switch"),
        PER_DEVICE,
    ] = None
    action: Annotated[
        Literal["drop", "forward", "alert"], Field(description="What happens to the queue"), PER_DEVICE
    ] = "drop"


class Lossless(Intent):
    """The lossless contract, stated once for switch, NIC and collective library."""

    mode: Annotated[Literal["dcqcn", "pfc_only", "ecn_only"], Field(description="How congestion is controlled")] = (
        "dcqcn"
    )
    reason: Annotated[Text | None, Field(description="Why the mode is not dcqcn")] = None
    classes: Annotated[dict[Identifier, TrafficClassIntent], Field(min_length=1, max_length=64)] = Field(
        default_factory=default_classes
    )
    ecn: Annotated[
        _EcnName | _EcnValues | Annotated[dict[EcnKey, EcnChoice], Field(max_length=64), Tag("PerKey")],
        Discriminator(_form_or_map),
        Field(description="computed, the name of a catalog profile, explicit thresholds, or these per speed or tier"),
    ] = "computed"
    rtt_us: Annotated[
        float, Field(ge=1, le=1000, strict=False, description="Round trip of the fabric, for computed marking")
    ] = 8.0
    dcqcn: Annotated[
        dict[Identifier, Annotated[int, Field(ge=-1, le=2**63 - 1)]],
        Field(
            max_length=256,
            description="DCQCN parameters that differ from what the NIC ships with, by firmware key in lower case",
        ),
    ] = {}
    mark_unmarked: Annotated[
        bool,
        Field(description="Leafs mark RoCE packets that hosts send with DSCP 0 as those of the first lossless class"),
    ] = False
    headroom: Headroom = Field(default_factory=Headroom)
    watchdog: WatchdogIntent = Field(default_factory=WatchdogIntent)

    def marking_choices(self) -> list[tuple[EcnChoice, tuple[str, ...]]]:
        """Every statement on marking and where it stands."""
        if isinstance(self.ecn, dict):
            return [(choice, ("lossless", "ecn", key)) for key, choice in sorted(self.ecn.items())]
        return [(self.ecn, ("lossless", "ecn"))]

    def marking_for(self, tier: str, speed_gbps: int) -> tuple[EcnChoice, tuple[str, ...]]:
        """Return what the queues of a tier's ports of one speed mark by, and where that stands.

        What is said of a tier goes before what is said of a speed; where neither is named, thresholds are computed.
        """
        if not isinstance(self.ecn, dict):
            return self.ecn, ("lossless", "ecn")
        for key in (tier, f"{speed_gbps}G"):
            if key in self.ecn:
                return self.ecn[key], ("lossless", "ecn", key)
        return "computed", ("lossless", "ecn")
