"""Overrides of snippets: who answers for them, until when, and whether the other ends of links still agree."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.reading.semantics import load_semantics
from fabricgen.platforms.reading.traffic import Fact, Matter, differences, pairs
from fabricgen.render.engine import Renderer, tree_folder
from fabricgen.render.provenance import trace_file
from fabricgen.tables.tables import list_exceptions

QUICKSTART = Path(__file__).parents[3] / "inventories/quickstart"
LEAF, SPINE = "leaf-u001-r0", "spine-01"
OWNED = {"owner": "netops", "expires": "2027-03-31"}
PLATFORMS = ("sonic", "eos", "fboss", "frr")
"""On plain FRR ports are scripts, and only sessions are read back."""


def told(
    folder: Path, platform: str, *snippets: tuple[str, str, dict[str, Any]], today: date | None = None
) -> list[Diagnostic]:
    """Return what the quickstart says with snippets: device, text, and what the exception says of it."""
    base = (QUICKSTART / "fabric.yaml").read_text(encoding="utf-8")
    exceptions = []
    for number, (device, text, said) in enumerate(snippets):
        file = f"part{number}.json" if text.startswith("{") else "frr.conf"
        (folder / file).write_text(text, encoding="utf-8")
        raw = {platform: [{"file": file, **said}]}
        exceptions.append({"device": device, "raw": raw, "reason": "a trial"})
    written = f"exceptions: {json.dumps(exceptions)}\n"
    (folder / "fabric.yaml").write_text(base + written, encoding="utf-8")
    overlays = []
    if platform != "sonic":
        (folder / "overlays").mkdir(exist_ok=True)
        text = (QUICKSTART / f"overlays/{platform}.yaml").read_text(encoding="utf-8")
        (folder / f"overlays/{platform}.yaml").write_text(text, encoding="utf-8")
        overlays = [platform]
    bag = Bag()
    compile_inventory(folder, overlays, bag, today=today)
    return list(bag)


def of(found: list[Diagnostic], code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in found if diagnostic.code == code]


def override(*paths: str, owned: bool = True) -> dict[str, Any]:
    return {"overrides": list(paths), **(OWNED if owned else {})}


PORT_MTU = ('{"PORT": {"Ethernet0": {"mtu": "1500"}}}', "PORT > Ethernet0 > mtu")
TIME_ZONE = ('{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo"}}}', "DEVICE_METADATA > localhost > timezone")
ROUTER_ID = (
    '{"DEVICE_METADATA": {"localhost": {"bgp_router_id": "10.9.9.9"}}}',
    "DEVICE_METADATA > localhost > bgp_router_id",
)


def test_what_other_devices_rely_on_needs_an_owner(tmp_path: Path) -> None:
    text, path = ROUTER_ID
    (found,) = of(told(tmp_path, "sonic", (LEAF, text, override(path, owned=False))), "FG-EXC-060")
    at: IntentPath = ("exceptions", f"[{LEAF} raw]", "raw", "sonic", "[part0.json]", "overrides", f"[{path}]")
    assert found.path == at
    assert "owner" in found.hint
    assert "expires" in found.hint


def test_a_matter_of_one_device_needs_none_and_is_no_waiver(tmp_path: Path) -> None:
    text, path = TIME_ZONE
    found = told(tmp_path, "sonic", (LEAF, text, override(path, owned=False)))
    assert {diagnostic.code for diagnostic in found if diagnostic.code.startswith("FG-EXC")} == {"FG-EXC-930"}


def test_a_whole_table_is_no_matter_of_one_device_if_part_of_what_changes_is_none(tmp_path: Path) -> None:
    text = '{"DEVICE_METADATA": {"localhost": {"timezone": "Asia/Tokyo", "bgp_router_id": "10.9.9.9"}}}'
    found = told(tmp_path, "sonic", (LEAF, text, override("DEVICE_METADATA > localhost", owned=False)))
    assert len(of(found, "FG-EXC-060")) == 1


def test_an_override_that_stands_is_told_like_a_waiver_and_stops_nothing(tmp_path: Path) -> None:
    text, path = ROUTER_ID
    found = told(tmp_path, "sonic", (LEAF, text, override(path)), today=date(2027, 1, 1))
    (standing,) = of(found, "FG-EXC-021")
    assert standing.waived is not None
    assert str(standing.waived) == "by netops until 2027-03-31: a trial"
    assert not [d for d in found if d.code in ("FG-EXC-060", "FG-WVR-002", "FG-WVR-011")]


@pytest.mark.parametrize(
    ("today", "code", "words"),
    [
        (date(2027, 3, 16), "", ""),
        (date(2027, 3, 17), "FG-WVR-011", "in 14 days"),
        (date(2027, 3, 31), "FG-WVR-011", "today"),
        (date(2027, 4, 1), "FG-WVR-002", "expired on 2027-03-31"),
    ],
)
def test_its_last_day_is_announced_and_then_over(today: date, code: str, words: str, tmp_path: Path) -> None:
    text, path = ROUTER_ID
    found = told(tmp_path, "sonic", (LEAF, text, override(path)), today=today)
    dated = [diagnostic for diagnostic in found if diagnostic.code.startswith("FG-WVR")]
    assert [diagnostic.code for diagnostic in dated] == ([code] if code else [])
    assert all(words in diagnostic.message and diagnostic.path[-1] == "expires" for diagnostic in dated)
    (standing,) = of(found, "FG-EXC-021")
    assert (standing.waived is None) == (code == "FG-WVR-002")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"overrides": ["A > B"], "owner": "netops"}, "has owner without expires"),
        ({"owner": "netops", "expires": "2027-03-31"}, "has owner without overrides"),
        ({"overrides": ["A > B"], "owner": "netops", "expires": "2027-02-30"}, "is not a day of the calendar"),
    ],
)
def test_half_of_an_owner_is_refused(said: dict[str, Any], words: str, tmp_path: Path) -> None:
    found = told(tmp_path, "sonic", (LEAF, TIME_ZONE[0], said))
    assert any(words in diagnostic.message for diagnostic in found)


def test_show_exceptions_names_what_is_overridden_for_whom_and_until_when(tmp_path: Path) -> None:
    text, path = ROUTER_ID
    told(tmp_path, "sonic", (LEAF, text, override(path)))
    made = compile_inventory(tmp_path, (), Bag())
    assert made is not None
    assert made.plan is not None
    (row,) = list_exceptions(made.plan)
    assert row["what"] == f"part0.json overrides {path} (netops, until 2027-03-31)"


BGP = "router bgp 4200000001\n neighbor 10.0.0.28 remote-as 65001\n"
CONTRADICTIONS = (
    ("sonic", LEAF, *PORT_MTU, "FG-EXC-061", "MTU 1500; gpu-u001-h01 rail0 at the other end has 9100"),
    ("sonic", LEAF, '{"PORT": {"Ethernet0": {"fec": "none"}}}', "PORT > Ethernet0 > fec", "FG-EXC-061", "FEC none"),
    (
        "sonic",
        LEAF,
        '{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}',
        "PORT_QOS_MAP > Ethernet0 > pfc_enable",
        "FG-EXC-062",
        "PFC priorities 3,4; gpu-u001-h01 rail0 at the other end has 3",
    ),
    (
        "sonic",
        SPINE,
        '{"DSCP_TO_TC_MAP": {"AZURE": {"26": "0"}}}',
        "DSCP_TO_TC_MAP > AZURE > 26",
        "FG-EXC-062",
        "DSCP map 26 to 0; leaf-u001-r0 Ethernet504 at the other end has 26 to 3; the same on 31 more links",
    ),
    (
        "sonic",
        LEAF,
        '{"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "0"}}}',
        "TC_TO_PRIORITY_GROUP_MAP > AZURE > 3",
        "FG-EXC-062",
        "priority groups of traffic classes 3 to 0",
    ),
    (
        "sonic",
        LEAF,
        '{"DEVICE_METADATA": {"localhost": {"bgp_asn": "65001"}}}',
        "DEVICE_METADATA > localhost > bgp_asn",
        "FG-EXC-063",
        "AS number 65001; spine-02 expects 4200000001; the same on 15 more links",
    ),
    ("sonic", LEAF, BGP, "router bgp > neighbor 10.0.0.28 > remote-as", "FG-EXC-063", "65001; spine-02 has 4200000000"),
    (
        "frr",
        LEAF,
        "router bgp 4200000001\n no neighbor UPPER ttl-security hops 1\n",
        "router bgp > neighbor UPPER > ttl-security hops",
        "FG-EXC-063",
        "GTSM differs; spine-02 follows the intent; the same on 15 more links",
    ),
    ("frr", LEAF, BGP, "router bgp > neighbor 10.0.0.28 > remote-as", "FG-EXC-063", "65001; spine-02 has 4200000000"),
    (
        "eos",
        LEAF,
        "interface Ethernet1/1\n   mtu 1500\n",
        "interface Ethernet1/1 > mtu",
        "FG-EXC-061",
        "MTU 1500; gpu-u001-h01 rail0 at the other end has 9100",
    ),
    (
        "eos",
        LEAF,
        "router bgp 4200000001\n   neighbor 10.0.0.28 remote-as 65001\n",
        "router bgp > neighbor 10.0.0.28 remote-as",
        "FG-EXC-063",
        "spine-02 has 4200000000",
    ),
    (
        "eos",
        LEAF,
        "qos profile ROCE-400G\n   no priority-flow-control priority 3 no-drop\n",
        "qos profile ROCE-400G > priority-flow-control priority 3",
        "FG-EXC-062",
        "PFC priorities none",
    ),
    (
        "eos",
        LEAF,
        "qos map dscp 26 to traffic-class 0\n",
        "qos map dscp 26 to traffic-class",
        "FG-EXC-062",
        "DSCP map 26 to 0",
    ),
)


@pytest.mark.parametrize(("platform", "device", "text", "path", "code", "words"), CONTRADICTIONS)
def test_the_result_must_agree_with_the_other_ends(
    platform: str, device: str, text: str, path: str, code: str, words: str, tmp_path: Path
) -> None:
    found = told(tmp_path, platform, (device, text, override(path)))
    (contradiction,) = [d for d in found if d.code in ("FG-EXC-061", "FG-EXC-062", "FG-EXC-063")]
    assert contradiction.code == code
    assert words in contradiction.message
    assert contradiction.path[-2:] == ("overrides", f"[{path}]")
    assert contradiction.related[0].path[0] in ("links", "lossless", "routing", "addressing")


def test_both_ends_that_say_the_same_agree(tmp_path: Path) -> None:
    near = ('{"PORT": {"Ethernet504": {"mtu": "9216"}}}', "PORT > Ethernet504 > mtu")
    one = told(tmp_path, "sonic", (LEAF, near[0], override(near[1])))
    (alone,) = of(one, "FG-EXC-061")
    port = alone.message.split("; spine-01 ")[1].split()[0]
    far = f'{{"PORT": {{"{port}": {{"mtu": "9216"}}}}}}'
    both = ((LEAF, near[0], override(near[1])), (SPINE, far, override(f"PORT > {port} > mtu")))
    assert not of(told(tmp_path, "sonic", *both), "FG-EXC-061")


def test_a_port_without_a_link_has_no_other_end(tmp_path: Path) -> None:
    text = '{"PORT": {"Ethernet400": {"mtu": "1500"}}}'
    assert not of(told(tmp_path, "sonic", (LEAF, text, override("PORT > Ethernet400 > mtu"))), "FG-EXC-061")


def facts_of(overlays: tuple[str, ...]) -> tuple[Switch, list[Fact]]:
    """The first leaf of the quickstart, and every fact of its files."""
    made = compile_inventory(QUICKSTART, overlays, Bag())
    assert made is not None
    assert made.plan is not None
    assert made.platforms is not None
    switch = Lowering(made.plan).lower_switch(next(made.plan.switches()))
    spec, found = made.platforms[switch.cls.platform], []
    for file in Renderer(made.platforms, Bag()).render_switch(switch):
        output = next(o for o in spec.outputs if tree_folder(switch) + o.path == file.path)
        file_format = spec.platform.format_of(output.path)
        if file_format.list_facts is not None:
            found += file_format.list_facts(file_format.read(file.data.decode()))
    return switch, found


@pytest.mark.parametrize("platform", PLATFORMS)
def test_facts_of_a_rendered_file_are_those_of_the_plan(platform: str) -> None:
    switch, found = facts_of((platform,) if platform != "sonic" else ())
    facts = {(fact.matter, fact.thing): fact.value for fact in found}
    contract = switch.cls.contract
    assert facts[Matter.ASN, ""] == str(switch.asn)
    for port in switch.ports:
        if port.peer_asn:
            assert facts[Matter.PEER_ASN, port.peer_address] == str(port.peer_asn)
        if platform != "frr":
            assert facts[Matter.MTU, port.shape.name] == str(port.shape.mtu_bytes)
            assert facts[Matter.PFC, port.shape.name] == ",".join(map(str, contract.lossless))
            by_dscp = {str(point): priority for point, priority in enumerate(contract.priority_by_dscp)}
            assert facts[Matter.DSCP, port.shape.name] == pairs(by_dscp)


def test_maps_are_shown_by_what_differs() -> None:
    assert pairs({"0": 0, "1": 0, "2": 3, "3": 0}) == "0-1 to 0, 2 to 3, 3 to 0"
    assert differences("0-1 to 0, 2 to 3, 3 to 0", "0-2 to 0") == ("2 to 3, 3 to 0", "2 to 0, 3 to nothing")
    assert differences("rs", "none") == ("rs", "none")


@pytest.mark.sampled(2, of="overlays")
@pytest.mark.parametrize(
    "overlays", [(), ("eos",), ("fboss",), ("frr",)], ids=lambda names: names[0] if names else "sonic"
)
def test_no_local_matter_comes_from_what_devices_share(overlays: tuple[str, ...]) -> None:
    """Provenance judges the tables of the platforms."""
    made = compile_inventory(QUICKSTART, overlays, Bag())
    assert made is not None
    assert made.plan is not None
    assert made.platforms is not None
    switch = Lowering(made.plan).lower_switch(next(made.plan.switches()))
    spec, renderer = made.platforms[switch.cls.platform], Renderer(made.platforms, Bag())
    wrong = []
    for file in renderer.render_switch(switch):
        output = next(o for o in spec.outputs if tree_folder(switch) + o.path == file.path)
        file_format = spec.platform.format_of(output.path)
        semantics = load_semantics(template_root(), output.semantics, Bag(), file_format)
        if semantics is None or file_format.list_facts is None:
            continue
        text, lines = file.data.decode(), trace_file(renderer, switch, file.path)
        for steps in leafs(file_format.read(text)):
            meaning = semantics.root
            for step in steps:
                meaning = meaning.child(step)
            at = file_format.locate(text, steps)
            roots = {path[0] for path in lines[at - 1].text_paths(switch)} if at else set()
            # Words for people name neighbours by address and switches by AS number.
            described = steps[-1].endswith(("description", "motd"))
            if meaning.is_local and not described and roots & {"lossless", "addressing", "routing", "attachment"}:
                wrong.append(steps)
    assert wrong == []


def leafs(tree: dict[str, Any], steps: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, value in tree.items():
        found += leafs(value, (*steps, key)) if isinstance(value, dict) else [(*steps, key)]
    return found
