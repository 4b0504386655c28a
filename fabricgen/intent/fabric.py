"""The intent of a whole fabric, and its language as JSON Schema."""

from functools import cache, cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic.json_schema import GenerateJsonSchema

from fabricgen.diagnostics import IntentPath
from fabricgen.intent.exceptions import Exception_, PlacedException, list_exceptions
from fabricgen.intent.lossless import Lossless
from fabricgen.intent.network import AddressingIntent, Routing
from fabricgen.intent.operations import CollectivesIntent, Operations
from fabricgen.intent.rollout import Rollout
from fabricgen.intent.settings import Setting, list_boxes, list_settings
from fabricgen.intent.topology import Attachment, HostGroups, Links, Planes, Pods, TierIntent, Units, Zones
from fabricgen.intent.types import FabricName, FilePath, Identifier, Intent, Number, Oversubscription, short_count
from fabricgen.validation.forms import Form
from fabricgen.validation.schema import keys_at, schema_nodes, schema_of_file

LinkName = Annotated[
    str, Form(r"^[a-z][a-z0-9_]*-[a-z][a-z0-9_]*$", "a link: two tiers with a hyphen between them, such as leaf-spine")
]


TIERS_MAX, KINDS_MAX = 5, 69
TierOrKind = Annotated[
    str,
    Form(r"^[a-z][a-z0-9_]{0,31}(\.[a-z][a-z0-9_]{0,31})?$", "a tier, or the leafs of a kind of units as leaf.kind"),
]


class ExpectedBandwidth(Intent):
    """Bandwidth that failures must leave."""

    after_one: Annotated[
        dict[Identifier, Annotated[float, Field(gt=0, le=1)]],
        Field(
            max_length=TIERS_MAX,
            description="Part of the planned all-to-all bandwidth left after the loss of any one switch of the tier",
        ),
    ] = {}


class Expect(Intent):
    """Expected results; an expectation that does not hold is an error."""

    gpus: Annotated[int | None, Field(ge=0, le=1_000_000_000, description="GPUs in the fabric, spares apart")] = None
    oversubscription: Annotated[
        dict[TierOrKind, Oversubscription],
        Field(max_length=KINDS_MAX, description='Per tier, or leafs of a kind as leaf.kind: "16:15" or a decimal'),
    ] = {}
    paths: Annotated[
        dict[TierOrKind, Number],
        Field(max_length=KINDS_MAX, description="Equal-cost next hops upwards, per tier or leafs of a kind"),
    ] = {}
    failures: Annotated[
        dict[Identifier, Annotated[int, Field(ge=0, le=1_000_000)]],
        Field(
            max_length=TIERS_MAX,
            description="Devices of the tier that may fail with every pair of hosts still connected",
        ),
    ] = {}
    bandwidth: Annotated[ExpectedBandwidth, Field(description="Bandwidth that failures must leave")] = (
        ExpectedBandwidth()
    )


class FabricIntent(Intent):
    """Intent of a fabric: tiers, units, rails, links, addresses, lossless contract, operations, exceptions."""

    fabric: Annotated[FabricName, Field(description="Name of the fabric")]
    hosts: Annotated[HostGroups, Field(description="One group of hosts, or a map of named groups")]
    units: Annotated[
        Units,
        BeforeValidator(short_count, json_schema_input_type=Number | Units),
        Field(description="Units (racks, scalable units, segments) per pod"),
    ]
    pods: Annotated[
        Pods | None,
        BeforeValidator(short_count, json_schema_input_type=Number | Pods | None),
        Field(description="Pods (AI zones) per zone"),
    ] = None
    zones: Annotated[
        Zones | None,
        BeforeValidator(short_count, json_schema_input_type=Number | Zones | None),
        Field(description="Zones in the fabric"),
    ] = None
    planes: Annotated[
        Planes | None,
        BeforeValidator(short_count, json_schema_input_type=Number | Planes | None),
        Field(description="Planes: how many times everything above the host exists, and how a host sees them"),
    ] = None
    attachment: Attachment = Field(default_factory=Attachment)
    tiers: Annotated[
        dict[Identifier, TierIntent], Field(min_length=1, max_length=TIERS_MAX, description="Tiers of switches")
    ]
    links: Annotated[
        dict[LinkName, Links], Field(min_length=1, max_length=256, description="Links by the two tiers they join")
    ]
    addressing: AddressingIntent = Field(default_factory=AddressingIntent)
    routing: Routing = Field(default_factory=Routing)
    lossless: Lossless = Field(default_factory=Lossless)
    collectives: CollectivesIntent = Field(default_factory=CollectivesIntent)
    operations: Operations = Field(default_factory=Operations)
    assets: Annotated[FilePath | None, Field(description="Asset list (CSV) beside the intent")] = None
    workload: Annotated[FilePath | None, Field(description="Training workload, for analyze capacity")] = None
    expect: Expect = Field(default_factory=Expect)
    rollout: Rollout = Field(default_factory=Rollout)
    exceptions: Annotated[
        list[Exception_], Field(max_length=100_000, description="Irregularities, each with a reason")
    ] = []

    @cached_property
    def placed_exceptions(self) -> list[PlacedException]:
        """Every exception and its place, listed once."""
        return list_exceptions(self.exceptions)

    @cached_property
    def settings(self) -> list[Setting]:
        """Every leaf that an exception sets, read once."""
        return list(list_settings(self, self.placed_exceptions))

    @cached_property
    def boxes(self) -> list[Setting]:
        """Every leaf by which an exception makes a switch another box than its tier's."""
        return list(list_boxes(self.placed_exceptions))

    def without_exceptions(self) -> "FabricIntent":
        """Return the intent of what is regular; other copies keep what is listed of the exceptions."""
        return self.model_copy(update={"exceptions": [], "placed_exceptions": [], "settings": [], "boxes": []})


class _Schema(GenerateJsonSchema):
    """Draft 2020-12; pools appear as the text the user writes."""

    def encode_default(self, dft: Any) -> Any:
        """Defaults that are not JSON themselves are written the way the user would."""
        try:
            return super().encode_default(dft)
        except Exception:
            return str(dft)


@cache
def intent_schema() -> dict[str, Any]:
    """JSON Schema of the intent language, for editors."""
    return schema_of_file(FabricIntent.model_json_schema(schema_generator=_Schema), "intent")


def legal_keys(path: IntentPath) -> list[str]:
    """Keys that may stand in the mapping at this path of an intent, sorted; empty where any key may."""
    return keys_at(intent_schema(), path)


def legal_words(path: IntentPath) -> list[str] | None:
    """Every word that the value at this path may be; empty where more is legal, None where no intent has the path."""
    nodes = [node for node in schema_nodes(intent_schema(), path) if node.get("type") != "null"]
    words = [node.get("enum") or node.get("items", {}).get("enum") for node in nodes]
    return [str(word) for some in words for word in some] if nodes and all(words) else [] if nodes else None
