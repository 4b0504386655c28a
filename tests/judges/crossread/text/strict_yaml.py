"""YAML 1.1 whose repeated keys are errors instead of silently won by the last."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import yaml

_RESOLVER = yaml.resolver.Resolver()


@lru_cache(maxsize=65536)
def _tag(kind: type[yaml.Node], value: str, implicit: object) -> str:
    """Return what kind of value a text is; the hosts of a fabric say the same few words over and over."""
    return str(_RESOLVER.resolve(kind, value, implicit))


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """A loader that looks at each text once."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: object) -> str:
        """The tag of a node."""
        return _tag(kind, value, implicit)


@lru_cache(maxsize=65536)
def _scalar(tag: str, text: str) -> Any:
    return yaml.constructor.SafeConstructor().construct_object(yaml.ScalarNode(tag, text))


def _value(node: yaml.Node) -> Any:
    """A node's value; a repeated key is an error."""
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node.tag, node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    found = {_value(key): _value(item) for key, item in node.value}
    if len(found) != len(node.value):
        keys = [_value(key) for key, _ in node.value]
        repeated = sorted({str(key) for key in keys if keys.count(key) > 1})
        raise yaml.constructor.ConstructorError(None, None, f"repeated key {', '.join(repeated)}", node.start_mark)
    return found


def load(text: str) -> Any:
    try:
        node = _Loader(text).get_single_node()
        return None if node is None else _value(node)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
