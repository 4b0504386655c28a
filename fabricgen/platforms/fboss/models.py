"""Models of FBOSS' command line in JSON: an object that has a model for each host that answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.observations.content import MisreadError, as_list, as_map, read_document


def only_model(data: bytes) -> Mapping[str, Any]:
    """Return the model of the one host that was asked, the switch itself.

    Raises:
        MisreadError: There is none, because a daemon did not answer, or there are several.
    """
    hosts = as_map(read_document(data), "the answer")
    if len(hosts) != 1:
        raise MisreadError(f"it has the models of {len(hosts)} hosts; expected that of the switch")
    ((name, model),) = hosts.items()
    return as_map(model, f"the model of {name}")


def list_rows(data: bytes, key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a list of the model."""
    return (as_map(row, key) for row in as_list(only_model(data).get(key), key))
