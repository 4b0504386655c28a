"""What is irregular: sparse exceptions, each with its reason."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fabricgen.intent.types import CatalogName, HostName, Intent, Text, refuse
from fabricgen.source import natural_key


class CableException(Intent):
    """A cable that is longer or shorter than its class."""

    length_m: Annotated[float, Field(gt=0, le=100_000, strict=False, description="One-way length in metres")]


class Exception_(Intent):  # noqa: N801 - the word of the language, which Python has taken
    """One irregularity of a device, a host or a link."""

    device: Annotated[HostName | None, Field(description="Name of a switch")] = None
    host: Annotated[HostName | None, Field(description="Name of a host")] = None
    link: Annotated[
        list[HostName] | None, Field(min_length=2, max_length=2, description="Both ends of a link, lower first")
    ] = None
    n: Annotated[int | None, Field(ge=1, le=256, description="Which of the parallel links, from 1")] = None
    state: Annotated[
        Literal["drained", "absent"] | None,
        Field(description="drained: carries no traffic by graceful shutdown; absent: not there"),
    ] = None
    ports: Annotated[
        dict[HostName, Annotated[str, Field(pattern=r"^\d{1,3}(/\d{1,2})?$")]] | None,
        Field(min_length=1, description="Cage and sub-port that an end uses instead"),
    ] = None
    to: Annotated[HostName | None, Field(description="Device the cable really ends at")] = None
    cable: Annotated[CableException | None, Field(description="Cable that differs from its class")] = None
    set: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z_]+(\.[a-z_]+)*$")], str | int | bool] | None,
        Field(min_length=1, description="Per-device intent leafs and their values here"),
    ] = None
    raw: Annotated[
        dict[CatalogName, Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$")]] | None,
        Field(min_length=1, description="Platform to snippet file, merged into the device's configuration"),
    ] = None
    reason: Annotated[Text, Field(description="Why, and until when")]

    @property
    def natural_key(self) -> str:
        """What tells this exception from the others of the list."""
        return natural_key(self.model_dump(exclude_none=True))

    @model_validator(mode="before")
    @classmethod
    def _one_subject(cls, value: Any) -> Any:
        if isinstance(value, dict):
            subjects = [key for key in ("device", "host", "link") if key in value]
            if len(subjects) != 1:
                raise refuse("must name exactly one of device, host or link")
            if not any(key in value for key in ("state", "ports", "to", "cable", "set", "raw")):
                raise refuse("says nothing; add state, ports, to, cable, set or raw")
        return value
