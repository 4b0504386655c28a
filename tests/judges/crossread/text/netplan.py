"""netplan YAML → its network, with the cables that comments tell of."""

from __future__ import annotations

import re
from typing import Any

import yaml  # type: ignore[import-untyped]

_CABLE = re.compile(r"^ *# to (\S+ \S+)\n *([\w.-]+):$", re.MULTILINE)
"""A comment above an interface that tells whoever stands before the rack where its cable goes."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_LOADER):  # type: ignore[misc,valid-type]
    """A loader for which a repeated key is an error."""


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[Any, Any]:
    pairs = loader.construct_pairs(node, deep=True)
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = sorted({str(key) for key in keys if keys.count(key) > 1})
        raise yaml.constructor.ConstructorError(None, None, f"repeated key {', '.join(repeated)}", node.start_mark)
    return found


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_network(text: str) -> dict[str, Any]:
    """The mapping ``network``.

    Raises:
        ValueError: The text is no netplan file; a key stands twice.
    """
    try:
        network = yaml.load(text, Loader=_StrictLoader)["network"]
    except (yaml.YAMLError, TypeError, KeyError) as error:
        raise ValueError(" ".join(str(error).split())) from error
    if not isinstance(network, dict):
        raise ValueError("network is no mapping")
    return network


def cables(text: str) -> dict[str, str]:
    """Interface to the device and port that its comment names."""
    return {name: cable for cable, name in _CABLE.findall(text)}
