"""Kinds of things that an inventory may hold by the thousand; each gives the files of one with so many of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

Files = dict[str, str]
"""Text by name of the file."""

INVENTORIES = Path(__file__).parents[2] / "inventories"
QUICKSTART = (INVENTORIES / "quickstart/fabric.yaml").read_text()
SERVER = (INVENTORIES / "hpn7-pod/catalog/servers/alibaba_hpn_host.yaml").read_text()
PODS, UNITS, RAILS, HOSTS = 6, 15, 8, 8
HALL = f"""fabric: hall
hosts: {{server: dgx_h100_8, nic: connectx7_400g, per_unit: {HOSTS}}}
units: {{count: {UNITS}, max: {UNITS}}}
pods: {{count: {PODS}}}
tiers:
  leaf: {{model: arista_7060x6_64pe, platform: sonic}}
  spine: {{model: arista_7060x6_64pe, platform: sonic, per: pod, count: 8}}
links:
  host-leaf: {{speed: 400G, cable: {{media: mmf, length_m: 30}}}}
  leaf-spine: {{speed: 400G, cable: {{media: smf, length_m: 100}}}}
addressing: {{loopbacks: 10.0.0.0/16, fabric_links: unnumbered, host_links: 172.16.0.0/12, management: 192.168.0.0/16}}
"""
"""A fabric of 720 leafs and as many hosts."""
TIMEZONE = "{operations.timezone: Europe/Berlin}"


def _exceptions(said: Iterable[str], fabric: str = HALL) -> Files:
    rows = [f"- {{{words}, reason: r}}\n" for words in said]
    return {"fabric.yaml": fabric + ("exceptions:\n" + "".join(rows) if rows else "")}


def _parts() -> Iterable[tuple[str, int, int]]:
    """Pod and unit in words, and numbers of the pod and of a rail: a leaf each."""
    for unit in range(1, UNITS + 1):
        for pod in range(1, PODS + 1):
            yield from ((f"p{pod:02}-u{unit:03}", pod, rail) for rail in range(RAILS))


def _of_parts(said: Callable[[str, str, str, str, int], str]) -> Callable[[int], Files]:
    """Exceptions of a leaf, a spine above it, the next spine, or a host below it, and a running number."""

    def files(number: int) -> Files:
        rows = []
        for at, (part, pod, rail) in enumerate(islice(_parts(), number)):
            spine, other = (f"spine-p{pod:02}-{1 + (rail + more) % RAILS:02}" for more in (0, 1))
            rows.append(said(f"leaf-{part}-r{rail}", spine, other, f"gpu-{part}-h{rail + 1:02}", at))
        return _exceptions(rows)

    return files


def _quick(row: Callable[[int], str], head: str = "") -> Callable[[int], Files]:
    """The quickstart with rows at its end."""
    return lambda number: {"fabric.yaml": QUICKSTART + (head if number else "") + "".join(map(row, range(number)))}


def _beside(file: str, row: Callable[[int], str], head: str = "", said: str = "") -> Callable[[int], Files]:
    """The quickstart with rows in a file beside it."""
    return lambda number: {"fabric.yaml": QUICKSTART + said, file: (head + "".join(map(row, range(number)))) or "[]\n"}


def _waiver(path: Callable[[int], str]) -> Callable[[int], Files]:
    entry = "- {{code: FG-CAT-010, path: '{}', owner: o, expires: 2099-12-31, reason: r}}\n"
    return _beside("waivers.yaml", lambda at: entry.format(path(at)))


def _snippet(name: str, text: Callable[[int], str]) -> Callable[[int], Files]:
    said = f"exceptions:\n- {{device: spine-01, raw: {{sonic: snippets/{name}}}, reason: r}}\n"
    return lambda number: {"fabric.yaml": QUICKSTART + said, f"snippets/{name}": text(number)}


def _tables(**rows: Callable[[int], tuple[str, dict[str, str]]]) -> Callable[[int], Files]:
    return _snippet("s.json", lambda n: json.dumps({name: dict(map(row, range(n))) for name, row in rows.items()}))


def _rails(number: int) -> Files:
    row = '  - {{nic: "0000:{:02x}:00.0", numa: {}}}\n'
    server = SERVER.replace("id: alibaba_hpn_host", "id: own")
    text = server + "".join(row.format(at % 256, at) for at in range(number))
    return {"fabric.yaml": QUICKSTART.replace("dgx_h100_8", "own"), "catalog/servers/own.yaml": text}


FAULTS: dict[str, Callable[[int], Files]] = {
    "unknown keys": _quick(lambda at: f"unknown_{at}: {at}\n"),
    "misspelt keys": _quick(lambda at: f"fabri{at}: {at}\n"),
    "wrong types": _quick(lambda at: f"- {{device: d{at}, state: 7, n: x}}\n", "exceptions:\n"),
    "missing keys": _quick(lambda at: f"- {{device: d{at}, state: absent}}\n", "exceptions:\n"),
    "no such device": _quick(lambda at: f"- {{device: leaf-{at}, state: drained, reason: r}}\n", "exceptions:\n"),
    "the same of one device": _quick(lambda at: f"- {{device: leaf-u001-r0, set: {TIMEZONE}, reason: r{at}}}\n",
        "exceptions:\n"),
    "the same of one link": _quick(lambda at: f"- {{link: [leaf-u001-r0, spine-01], state: absent, reason: r{at}}}\n",
        "exceptions:\n"),
    "idle waivers": _waiver(lambda at: f"a.b{at}"),
    "idle patterns of waivers": _waiver(lambda at: f"*a*b{at}"),
    "rails of a server": _rails,
    "messages of a workload": _beside("load.yaml",
        lambda at: f"- {{name: M{at}, colective: all_reduce, over: dta, payload_bytes: -1}}\n",
        "name: w\nstep: {seconds: 1}\nmessages:\n", "workload: load.yaml\n"),
    "cables that are too long": _of_parts(lambda leaf, spine, _, host,
        at: f"link: [{leaf}, {spine}], cable: {{length_m: {5000 + at}}}"),
    "links that do not exist": _of_parts(lambda leaf, _, __, host, at: f"link: [{host}, spine-p01-01], state: absent"),
    "switches drained": _of_parts(lambda leaf, *_: f"device: {leaf}, state: drained"),
    "an unknown leaf set": _of_parts(lambda leaf, *_: f"device: {leaf}, set: {{operations.timezon: UTC}}"),
}  # fmt: skip
"""At least one diagnostic each."""
SOUND: dict[str, Callable[[int], Files]] = {
    "links between switches drained": _of_parts(lambda leaf, spine, *_: f"link: [{leaf}, {spine}], state: drained"),
    "assets of nobody": _beside("assets.csv", lambda at: f"nobody-{at},SN{at},,,\n", "hostname,serial,mac,rail,pci\n",
        "assets: assets.csv\n"),
    "switches absent": _of_parts(lambda leaf, *_: f"device: {leaf}, state: absent"),
    "a leaf set": _of_parts(lambda leaf, *_: f"device: {leaf}, set: {{operations.timezone: UTC}}"),
    "links between switches absent": _of_parts(lambda leaf, spine, *_: f"link: [{leaf}, {spine}], state: absent"),
    "links between switches to another": _of_parts(lambda leaf, spine, other,
        *_: f"link: [{leaf}, {spine}], to: {other}"),
    "links between switches with other cables": _of_parts(lambda leaf, spine, _, host,
        at: f"link: [{leaf}, {spine}], cable: {{length_m: {20 + at % 10}}}"),
    "hosts drained": _of_parts(lambda _, __, ___, host, at: f"host: {host}, state: drained"),
    "hosts absent": _of_parts(lambda _, __, ___, host, at: f"host: {host}, state: absent"),
    "links of hosts absent": _of_parts(lambda leaf, _, __, host, at: f"link: [{host}, {leaf}], state: absent"),
    "links of hosts with another MTU": _of_parts(lambda leaf, _, __, host,
        at: f"link: [{host}, {leaf}], set: {{mtu: 9000}}"),
    "ports of links of hosts": _of_parts(lambda leaf, _, __, host,
        at: f"link: [{host}, {leaf}], ports: {{{leaf}: 64/2}}"),
    "lines that a snippet's target does not have": _snippet("s.conf",
        lambda number: "".join(f"bogus command {at}\n" for at in range(number))),
    "rows that refer to rows": _tables(VLAN=lambda at: (f"Vlan{at + 1}", {"vlanid": str(at + 1)}),
        VLAN_MEMBER=lambda at: (f"Vlan{at + 1}|Ethernet0", {"tagging_mode": "tagged"})),
    "rows that refer to nothing": _tables(
        VLAN_MEMBER=lambda at: (f"Vlan{at + 1}|Ethernet0", {"tagging_mode": "tagged"})),
    "addresses of a snippet": _tables(LOOPBACK_INTERFACE=lambda at: (f"Loopback{at}|11.0.{at >> 8}.{at & 255}/32", {})),
    "the same address of many interfaces": _tables(LOOPBACK_INTERFACE=lambda at: (f"Loopback{at}|11.0.0.1/32", {})),
}  # fmt: skip
"""They need not be reported one by one."""
KINDS = FAULTS | SOUND


def write(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
