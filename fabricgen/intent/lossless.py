"""The lossless contract of the intent: classes, congestion control, headroom, watchdog."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fabricgen.intent.types import CatalogName, Identifier, Intent, Text


def _dscp(value: Any) -> Any:
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


CodePoint = Annotated[int, Field(ge=0, le=63)]
"""A DSCP."""


class TrafficClass(Intent):
    """One traffic class: its code points, its priority and how it is scheduled."""

    dscp: Annotated[
        list[CodePoint],
        BeforeValidator(_dscp, json_schema_input_type=CodePoint | list[CodePoint]),
        Field(description="One code point or several; the default class takes all that nobody names"),
    ] = []
    priority: Annotated[int, Field(ge=0, le=7, description="Traffic class, queue and PFC priority")]
    lossless: Annotated[bool, Field(description="Under PFC")] = False
    strict: Annotated[bool, Field(description="Strict priority")] = False
    weight_pct: Annotated[int | None, Field(ge=1, le=100, description="Share of the bandwidth, percent")] = None


def default_classes() -> dict[str, TrafficClass]:
    """RoCE lossless on priority 3, CNP strict on 6, control strict on 7, the rest best effort."""
    return {
        "roce": TrafficClass(dscp=[26], priority=3, lossless=True, weight_pct=95),
        "cnp": TrafficClass(dscp=[46], priority=6, strict=True),
        "control": TrafficClass(dscp=[48, 56], priority=7, strict=True),
        "default": TrafficClass(priority=0, weight_pct=5),
    }


class EcnValues(Intent):
    """Explicit marking thresholds."""

    kmin_bytes: Annotated[int, Field(ge=1, le=1_000_000_000, description="No marking below")]
    kmax_bytes: Annotated[int, Field(ge=1, le=1_000_000_000, description="Everything marked above")]
    pmax_pct: Annotated[int, Field(ge=1, le=100, description="Marking probability at kmax, percent")]


class Headroom(Intent):
    """What the operator accepts of the headroom pool."""

    pool_oversubscription_max: Annotated[
        float, Field(ge=1, le=100, strict=False, description="Sum of headrooms over the headroom pool")
    ] = 4.0


class Watchdog(Intent):
    """PFC watchdog: when a paused queue counts as stuck, what happens, when it is tried again."""

    detection_ms: Annotated[int, Field(ge=100, le=5000, description="Paused this long is a storm")] = 200
    restoration_ms: Annotated[int, Field(ge=100, le=60000, description="Without pause this long is over")] = 400
    action: Annotated[Literal["drop", "forward", "alert"], Field(description="What happens to the queue")] = "drop"


class Lossless(Intent):
    """The lossless contract, stated once for switch, NIC and collective library."""

    mode: Annotated[Literal["dcqcn", "pfc_only", "ecn_only"], Field(description="How congestion is controlled")] = (
        "dcqcn"
    )
    reason: Annotated[Text | None, Field(description="Why the mode is not dcqcn")] = None
    classes: Annotated[dict[Identifier, TrafficClass], Field(min_length=1)] = Field(default_factory=default_classes)
    ecn: Annotated[
        Literal["computed"] | CatalogName | EcnValues,
        Field(description="computed, the name of a catalog profile, or explicit thresholds"),
    ] = "computed"
    dcqcn: Annotated[
        dict[Identifier, int],
        Field(description="DCQCN parameters that differ from what the NIC ships with, by firmware key in lower case"),
    ] = {}
    headroom: Headroom = Field(default_factory=Headroom)
    watchdog: Watchdog = Field(default_factory=Watchdog)
