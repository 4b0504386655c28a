"""Notation of values in manifests: paths, patterns of port names, permission bits."""

from __future__ import annotations

import re
from string import Formatter
from typing import Annotated, Any

from fabricgen.diagnostics.words import and_list
from fabricgen.validation.forms import Form, Range, Written, refuse

_SEGMENT = r"(?!\.{1,2}(/|$))[^/\\\x00-\x1f]+"
_PORT_FIELDS = ("cage", "lane", "subport")
_PORTS_FROM_CATALOG = "catalog"


def _line(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise refuse("is not a text of one line; put quotes around it", suggestion=f'"{value}"')
    if not isinstance(value, str) or not value or not value.isprintable():
        raise refuse("is not a text of one line")
    return value


def _mode(value: Any) -> int:
    """Read permission bits, quoted, since YAML 1.2 reads 0644 as a decimal number."""
    if not re.fullmatch(r"0?[0-7]{3}", _line(value)):
        raise refuse('is not three octal digits such as "0644"')
    return int(value, 8)


def _port_pattern(value: Any) -> str:
    """Read a pattern of port names; empty where the catalog names the ports."""
    pattern = _line(value)
    if pattern == _PORTS_FROM_CATALOG:
        return ""
    try:
        used = {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}
    except ValueError:
        used = set()
    if "cage" not in used or not used <= set(_PORT_FIELDS):
        allowed = and_list(f"{{{name}}}" for name in _PORT_FIELDS)
        raise refuse(f"is not {_PORTS_FROM_CATALOG}, or a pattern of {allowed} with {{cage}} in it")
    return pattern


def _scalar(value: Any) -> str | int:
    return value if isinstance(value, int) else _line(value)


Line = Annotated[str, Written(_line)]
Scalar = Annotated[str | int, Written(_scalar, ("boolean", "integer", "string"))]
Natural = Annotated[int, Range(0)]
Mode = Annotated[int, Written(_mode)]
PortPattern = Annotated[str, Written(_port_pattern)]
RelativePath = Annotated[str, Form(f"{_SEGMENT}(/{_SEGMENT})*", "a relative path without '.' and '..'")]
