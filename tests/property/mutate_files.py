"""Mutations of a device's files: of their bytes, their lines and words, and of the values in them."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.property.mutate import GARBAGE

NUMBERS = (
    "0", "-1", "1", "4095", "4096", "99999", "65536", "4294967295", "4294967296", "99999999999999999999", "9" * 5000,
    "٣", "²", "१२", "1_0", "0x1F", "010", "1e3", "1e999", "1" + "0" * 400 + ".0", "NaN",
    "-Infinity", "1.5", "65001.10", "+5", "3-1",
    "0-99999999999", "1,,2", "1-2-3",
)  # fmt: skip
WORDS = (
    *NUMBERS, "", " ", "no", "default", "abc", "Ethernet99999", "Ethernet", "Ethernet٣",
    "eth0|1|2|3", "|", "||", "a,b,",
    "300.1.1.1/33", "10.0.0.1/99", "10.0.0.1/٣", "0.0.0.0/0", "fe80::1%eth0", "::/200", "1.2.3",
    "x" * 20000, "a\tb", "a\x1b[31mb",
    "../../etc/passwd", "/", "~1", "*", "[a-z", "(?:", "\\", "{file}", "%s", "{0}", "'; reboot; '",
    "@fabricgen-secret:env:X@",
    "deployed", "lines", "(secret)", "Zürich", "日本", "\u2028", "\x85", "\u202e", "peer-group", "yes", "True", "null",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**20, "", [], {}, [[]], [{}], [None], {"": ""},
    {"a": {"b": {"c": 1}}}, {"NULL": "NULL"},
    [1, "1", None], [["a"], {"b": 1}], "\x00", "\ud800", "a\nb", "a\r\nb",
)  # fmt: skip
RAW_JSON = (
    *("9" * 5000, "-" + "9" * 5000, "NaN", "Infinity", "-Infinity", "1e999", "1" * 300 + ".5",
    '"\\ud800"', '"\\u0000"'),
    *("[" * 100 + "]" * 100, "[" * 900 + "]" * 900, "[" * 100000, '{"a":' * 90 + "1" + "}" * 90,
    '{"a":' * 900 + "1" + "}" * 900),
    *('{"a":[' * 400 + "]}" * 400, '{"a": 1, "a": 2}', '[{"a": 1, "a": 2}]', "1_0", "01", "'a'",
    "nul", "/* c */ 1", "1,", ""),
)  # fmt: skip
"""JSON, or nearly, that json.dumps does not write."""
FOREIGN = (
    b'{"DEVICE_METADATA": {"localhost": {"hostname": "spine-01"}}, "PORT": {"Ethernet0": {"mtu": "9100"}}}',
    b"frr version 8.4.4\nhostname spine-01\nrouter bgp 1\n neighbor 10.0.0.1 remote-as 2\nexit\n",
    b"hostname spine-01\n!\nservice routing protocols model multi-agent\n!\ninterface Ethernet1/1\n   mtu 9100\nend\n",
    b"- set:\n    system:\n      hostname: spine-01\n",
    b'{"sw": {"ports": [{"name": "eth1/1/1"}], "hostname": "spine-01"}}',
)
"""Files of other kinds."""
_MARK = "@@mark@@"


class Mutated(NamedTuple):
    """A mutated file, and what was done to it."""

    name: str
    data: bytes


def mutate_file(data: bytes, rng: random.Random) -> Mutated:
    names = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        ways: list[Callable[[bytes, random.Random], bytes]] = [_bytes, _lines, _lines, _words, _words]
        if data.lstrip()[:1] == b"{":
            ways += [_value, _value, _value, _value, _raw, _raw, _key, _key, _tables]
        way = rng.choice(ways)
        data = way(data, rng) if rng.random() < 0.95 else _splice(data, rng.choice(FOREIGN), rng)
        names.append(way.__name__.strip("_"))
    return Mutated(", ".join(names), data)


def _bytes(data: bytes, rng: random.Random) -> bytes:
    at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    to = min(to, at + rng.choice((1, 10, 1000)))
    ways: list[Callable[[], bytes]] = [
        lambda: data[:at],
        lambda: data[at:],
        lambda: data[:at] + data[to:],
        lambda: data[:to] + data[at:],
        lambda: data[:at] + rng.randbytes(rng.choice((1, 8, 500))) + data[at:],
        lambda: data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
        lambda: data[:at] + rng.choice((b"\0", b"\xff", b"\x1b", b"\r", b"\xc2\x85",
        b"\xe2\x80\xa8", b"\x0b", b"\x0c")) + data[at:],
        lambda: b"\xef\xbb\xbf" + data,
        lambda: data.decode(errors="replace").encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-7"))),
        lambda: data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" ", b"")), rng.choice((1, -1))),
        lambda: rng.choice((b"", b" ", b"\n", b"{}", b"[]", b"null", b"0", b"{", b"- set:\n",
        b"end\n", b"!\n", b"#")),
        lambda: gzip.compress(data[:100], mtime=0),
        lambda: data + data,
        lambda: data * 40,
        lambda: b"\n" * rng.choice((1000, 300_000)) + data,
        lambda: data + rng.choice((b"x", b"[", b" x: ", b"a b\n")) * rng.choice((1000, 200_000)),
    ]  # fmt: skip
    return rng.choice(ways)()


def _splice(data: bytes, other: bytes, rng: random.Random) -> bytes:
    at, start = rng.randrange(len(data) + 1), rng.randrange(len(other) + 1)
    return rng.choice((other, data + other, data[:at] + other[start : start + 500] + data[at:]))


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    at, to = sorted(rng.randrange(len(lines)) for _ in range(2))
    to = min(to, at + rng.choice((1, 3, 30)))
    line, block = lines[at], lines[at:to]
    steps = [b" " * depth + b"%d" % depth for depth in range(rng.choice((20, 100, 3000)))]
    new: list[list[bytes]] = [
        [*lines[:at], *lines[to:]],
        [*lines[:to], *block, *lines[to:]],
        [*lines, *block],
        [*lines[:at], *block[::-1], *lines[to:]],
        [*lines[:at], b" " * rng.choice((1, 3, 9, 500)) + line, *lines[at + 1 :]],
        [*lines[:at], line.strip(), *lines[at + 1 :]],
        [*lines[:at], b"\t" + line, *lines[at + 1 :]],
        [*lines[:at], b"no " * rng.choice((1, 2, 100)) + line.lstrip(), *lines[at:]],
        [*lines[:at], line, line + b" again", *lines[at + 1 :]],
        [*lines[:at], *steps, *lines[at:]],
        [*lines[:at], *(line + b" %d" % number for number in range(2000)), *lines[at:]],
        [*lines[:at], rng.choice(GARBAGE).encode(), *lines[at:]],
        [*lines[:at], line[: rng.randrange(len(line) + 1)]],
    ]  # fmt: skip
    return b"\n".join(rng.choice(new))


def _words(data: bytes, rng: random.Random) -> bytes:
    """Another word in place of some word, of every one like it, or behind it."""
    text = data.decode(errors="replace")
    found = list(re.finditer(r"[\w./:-]+", text))
    if not found:
        return data
    match = rng.choice(found if rng.random() < 0.5 else [it for it in found if it[0][0].isdigit()] or found)
    word = rng.choice(NUMBERS if match[0][0].isdigit() and rng.random() < 0.7 else WORDS)
    head, tail = text[: match.start()], text[match.end() :]
    new = rng.choice((
        f"{head}{word}{tail}", f"{head}{word}{tail}", f"{head}{match[0]} {word}{tail}", f"{head}{tail}",
        text.replace(match[0], word),
    ))  # fmt: skip
    return new.encode("utf-8", "surrogatepass")


def _load(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _dump(root: Any, rng: random.Random) -> bytes:
    form = rng.choice(({"indent": 4, "sort_keys": True}, {"indent": 1}, {}, {"separators": (",", ":")}))
    try:
        return json.dumps(root, **form).encode()
    except (TypeError, ValueError, RecursionError):
        return json.dumps(root).encode()


def _spots(root: Any) -> list[tuple[Any, Any]]:
    """(container, key) of every value."""
    level, found = [root], []
    while level:
        below = []
        for node in level:
            items = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
            found += [(node, key) for key, _ in items]
            below += [item for _, item in items if isinstance(item, dict | list) and item]
        level = below
    return found


def _spot(root: Any, rng: random.Random) -> tuple[Any, Any] | None:
    """A value, those near the root as often as all others together."""
    found = _spots(root) if isinstance(root, dict | list) else []
    if not found:
        return None
    depth = rng.choice((20, 200, len(found)))
    return found[rng.randrange(min(depth, len(found)))]


def _value(data: bytes, rng: random.Random) -> bytes:
    root = _load(data)
    spot = _spot(root, rng)
    if spot is None:
        return data
    node, key = spot
    odd = rng.choice((rng.choice(VALUES), rng.choice(WORDS), rng.choice(NUMBERS)))
    node[key] = rng.choice(
        (odd, [node[key]], {"x": node[key]}, [odd], {odd if isinstance(odd, str) else "k": node[key]}, odd)
    )
    return _dump(root, rng)


def _raw(data: bytes, rng: random.Random) -> bytes:
    """A value that is JSON by its grammar only, or not even that."""
    root = _load(data)
    spot = _spot(root, rng)
    if spot is None:
        return data
    spot[0][spot[1]] = _MARK
    return _dump(root, rng).replace(f'"{_MARK}"'.encode(), rng.choice(RAW_JSON).encode())


def _key(data: bytes, rng: random.Random) -> bytes:
    """A key that is renamed, missing, there twice, or that of a neighbour."""
    root = _load(data)
    spot = _spot(root, rng)
    if spot is None or not isinstance(spot[0], dict):
        return data
    node, key = spot
    value = node.pop(key)
    way = rng.randrange(5)
    if way == 0:
        node[rng.choice(WORDS)] = value
    elif way == 1:
        node[key + rng.choice(("x", "|", "|x", "|10.0.0.0/99", " ", "\ud800", "\n"))] = value
    elif way == 2 and node:
        node[rng.choice(list(node))] = value
    elif way == 3:
        node[key], node[_MARK] = value, value
        return _dump(root, rng).replace(_MARK.encode(), json.dumps(key)[1:-1].encode())
    return _dump(root, rng)


def _tables(data: bytes, rng: random.Random) -> bytes:
    """Thousands of rows and tables that nobody knows."""
    root = _load(data)
    if not isinstance(root, dict):
        return data
    count = rng.choice((10, 5000))
    new = {f"X{number}": rng.choice(({}, {"a": {}}, {"a": {"b": "c"}}, 1, [])) for number in range(count)}
    spot = _spot(root, rng)
    target = spot[0][spot[1]] if spot and rng.random() < 0.7 else root
    (target if isinstance(target, dict) else root).update(new)
    return _dump(root, rng)
