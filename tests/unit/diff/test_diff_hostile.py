"""Classes of hostile files: each is told for its device, and no patch, number or name of it is a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from diff_site import FRR, LEAF, SPINE, Site, edit_json, lower_mtu, switch_file

from fabricgen.diff.sides import Unreadable, decode
from fabricgen.diff.values import number
from fabricgen.platforms.cumulus_nvue import reader as nvue
from fabricgen.platforms.eos import reader as eos
from fabricgen.platforms.families.vtysh import patch as frr_patch
from fabricgen.platforms.families.vtysh import reader as vtysh
from fabricgen.platforms.fboss import reader as fboss
from fabricgen.platforms.patching.hierarchy import list_commands
from fabricgen.platforms.patching.steps import PatchFault, Situation
from fabricgen.platforms.reading.file_format import generic_format
from fabricgen.platforms.reading.reader import ReadFault, number_of, read_json
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.platforms.sonic import reader as sonic
from tests.unit.situations import EOS_PATH, between

DEEP = 100
FRR_TEXT = """frr version 8.4.4
ip prefix-list X seq 5 permit any
route-map X permit 5
 match tag 1
exit
router bgp 1
 neighbor a peer-group
 neighbor a remote-as external
 neighbor a timers 3 9
 neighbor 10.0.0.1 peer-group a
 address-family ipv4 unicast
  neighbor a route-map X in
 exit-address-family
exit
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ' + "9" * 5000 + "}", "more digits than any number"),
        ('{"a": -' + "9" * 5000 + "}", "more digits than any number"),
        ('{"a":\n NaN}', "NaN is no number of JSON"),
        ('{"a": -Infinity}', "-Infinity is no number of JSON"),
        ('{"a": 1e999}', "what stands for a number is no number of JSON"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"\\uDFFF": 1}', "half of a surrogate pair"),
        ('{"a": ' * DEEP + "1" + "}" * DEEP, "nested too deeply"),
        ('{"a": ' + "[" * DEEP + "]" * DEEP + "}", "nested too deeply"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
        ("1", "not an object"),
    ],
)
def test_json_that_no_device_has_is_refused(text: str, message: str) -> None:
    with pytest.raises(ReadFault, match=message):
        read_json(text)


def test_json_that_a_device_may_have_is_read() -> None:
    found = read_json('{"a": "\\ud83d\\ude00", "b": 1.5, "c": -7, "d": [[{}]]}')
    assert found == {"a": "😀", "b": 1.5, "c": -7, "d": [[{}]]}


@pytest.mark.parametrize("text", ["٣", "²", "1_0", "-1", "+1", " 1", "1 ", "", "9" * 5000, "0x1", "1e3", None, 7])
def test_only_ascii_digits_are_a_number(text: object) -> None:
    assert number_of(text) is None
    assert number_of("0099") == 99
    assert number(str(text))


@pytest.mark.parametrize(
    "row", ['{"mtu": {"a": "1"}}', '{"mtu": [["1"]]}', '{"mtu": [{}]}', '{"mtu": [null]}', "[]", '"x"', "null"]
)
def test_a_row_of_the_wrong_shape_is_no_config_db(row: str) -> None:
    with pytest.raises(ReadFault):
        sonic.read(f'{{"PORT": {{"Ethernet0": {row}}}}}')


def test_a_table_without_rows_is_none() -> None:
    assert sonic.read('{"PORT": {"Ethernet0": {}}, "PFC_WD": {}}') == {"PORT": {"Ethernet0": {}}}


@pytest.mark.parametrize(
    "sw", ['{"ports": [{"name": {"a": 1}}]}', '{"ports": {}}', '{"ports": [1]}', "[]", '"x"', '{"version": []}']
)
def test_a_field_of_the_wrong_type_is_no_agent_conf(sw: str) -> None:
    with pytest.raises(ReadFault):
        fboss.read(f'{{"sw": {sw}}}')


@pytest.mark.parametrize(
    "text",
    [
        "ip prefix-list X\nip prefix-list X seq 5 permit any\n",
        "router bgp 1\n neighbor 1.1.1.1 remote-as 2\nno router bgp 1\nno router bgp\n",
        "router bgp 1 optimization\n",
        "router bgp ٣\n neighbor x remote-as ٣\n",
        "ip prefix-list X seq ٣ permit any\nip prefix-list X permit any\n",
        "ip prefix-list X seq " + "9" * 5000 + " permit any\nip prefix-list X permit any\n",
        "route-map X permit\n match tag 1\nroute-map X permit ten\n match tag 2\nroute-map X\n",
        "router bgp 1\n" + "".join(f"{' ' * depth}address-family {depth}\n" for depth in range(1, 1000)),
    ],
)
def test_malformed_frr_is_read_or_refused(text: str) -> None:
    try:
        assert vtysh.read(text)
    except ReadFault as fault:
        assert "section" in str(fault)  # noqa: PT017 - either is right, a crash is not


def test_eos_sections_end_somewhere() -> None:
    with pytest.raises(ReadFault, match="nested too deeply"):
        eos.read("".join(f"{' ' * depth}a{depth}\n" for depth in range(1000)))


def test_any_text_is_read_by_its_lines() -> None:
    assert generic_format("x").read("\n".join(" " * depth for depth in range(2000))) == {"lines": []}


def test_eos_that_says_things_twice_is_patched() -> None:
    port = "interface Ethernet1\n   mtu 1500\n"
    number = f"qos map dscp {'9' * 5000} to traffic-class 3\n"
    before = "hostname a\n" * 2 + f"{port}!\n{port}   shutdown\n{number}"
    after = "hostname b\ninterface Ethernet1\n   mtu 9000\n   shutdown\n"
    commands = list_commands(between(before, after, EOS_PATH))
    lines = [line.strip() for line in commands if not line.strip().startswith("no ")]
    assert lines == ["hostname b", "interface Ethernet1", "mtu 9000", "exit"]
    assert not any("shutdown" in line for line in commands)


def test_a_secret_under_an_empty_name_is_taken_out() -> None:
    meaning = Meaning((), {"secret": "true"})
    assert Redaction(meaning).walk({" ": "abc", "": "x"}, (), lambda *_: "-") == {" ": "-", "": "-"}


def _without_metadata(data: dict[str, object]) -> None:
    data["PFC_WD"] = {"GLOBAL": {}, "Ethernet0": {}, "Ethernet٣": {"detection_time": "²"}}
    data["X"] = {}


SPOILT: dict[str, Callable[[Path], None]] = {
    "rows without fields": lambda file: edit_json(file, _without_metadata),
    "no tables but one": lambda file: file.write_text('{"PORT": {}}') and None,  # type: ignore[func-returns-value]
    "profiles that nobody has": lambda file: edit_json(file, lambda data: data["BUFFER_PROFILE"].clear()),
    "no ports": lambda file: edit_json(file, lambda data: data.pop("PORT")),
    "lists for texts": lambda file: edit_json(file, lambda data: data["PORT"]["Ethernet0"].update(mtu=["9100"], x=[])),
    "tables that are none": lambda file: edit_json(file, lambda data: data.update(X=1, Y=[])),
    "other types": lambda file: edit_json(file, lambda data: data["PORT"]["Ethernet0"].update(mtu=None, fec=True)),
}  # fmt: skip


@pytest.mark.sampled(2, of="name")
@pytest.mark.parametrize("name", SPOILT)
def test_a_patch_of_odd_tables_is_made_or_refused(site: Site, name: str) -> None:
    """And the spine, which differs too, gets its own."""
    deployed = site.edited(lower_mtu, SPINE)
    SPOILT[name](switch_file(deployed))
    for sides in ((site.out, deployed), (deployed, site.out)):
        summary, codes = site.diff(*sides, patches=site.folder / f"patches-{sides[0].name}")
        assert summary is not None
        assert codes <= {"FG-DIF-021", "FG-DIF-075", "FG-DIF-076"}
        assert (site.folder / f"patches-{sides[0].name}" / SPINE / "apply/steps").is_file()


def test_a_device_that_no_patch_can_be_made_for_is_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the library refuses EOS text even when nothing in it comes twice; SONiC stands in for the platform."""

    def refuse(situation: Situation) -> list[str]:
        if situation.after["DEVICE_METADATA"]["localhost"]["hostname"] == LEAF:
            raise PatchFault("refused")
        return []

    deployed = site.edited(lower_mtu, LEAF, SPINE)
    monkeypatch.setattr("fabricgen.platforms.sonic.patch.plan_patch", refuse)
    summary = site.compare(site.out, deployed, "FG-DIF-076", patches=site.folder / "patches")
    assert (summary.totals.compared, summary.totals.different) == (14, 2)
    assert [folder.name for folder in (site.folder / "patches").iterdir()] == [SPINE]


def test_the_name_in_a_single_file_is_no_pattern(site: Site) -> None:
    file = site.folder / "dump.json"
    file.write_text(switch_file(site.out).read_text().replace(LEAF, "*"))
    assert site.diff(site.out, file)[1] == {"FG-DIF-026"}


def test_routing_inside_a_dump_that_is_no_text_is_told(site: Site) -> None:
    file = site.folder / "dump.json"
    data = json.loads(switch_file(site.out).read_text())
    file.write_text(json.dumps({**data, "bgpraw": "hostname x\ud800\n"}))
    assert site.diff(site.out, file)[1] <= {"FG-DIF-021", "FG-DIF-023", "FG-DIF-025"}
    assert switch_file(site.out, path=FRR).is_file()


@pytest.mark.parametrize("data", [b"a\r\rb\r\n", b"\r", b"a\r", b"a\rb\r\r\n", b"\r\n\r", b"a\nb\r\n", b"\r\r\n\n"])
def test_line_ends_of_any_mixture_are_told(data: bytes) -> None:
    found = decode(data)
    assert isinstance(found, Unreadable)
    assert found.line >= 1


ODD_FRR = (
    "no router bgp 1\nno router bgp\nno route-map X permit 5\nno interface eth0\n",
    "router bgp 1 optimization\nroute-map X permit\nroute-map\nroute-map X permit ten\n match tag 1\n",
    "router bgp\n neighbor\n neighbor a\n neighbor a peer-group\n neighbor a timers\n address-family\n",
    "router bgp 1\nno neighbor a remote-as 1\nbgp router-id\ntimers bgp\nexit\nno bfd\n",
    "bfd\n profile x\ninterface\nvrf\nkey chain\nip prefix-list\nip prefix-list X\nno ip prefix-list X seq 5\n",
)  # fmt: skip


@pytest.mark.parametrize("before", [*ODD_FRR, FRR_TEXT], ids=range(6))
@pytest.mark.parametrize("after", [*ODD_FRR, FRR_TEXT], ids=range(6))
def test_a_patch_between_any_two_frr_texts_is_made(before: str, after: str) -> None:
    situation = between(before, after)
    for side in (situation, situation.reversed()):
        assert bool(situation.changes) == bool(frr_patch.plan_patch(side))


def test_entries_without_numbers_are_numbered_as_frr_does_it() -> None:
    text = "ip prefix-list X seq 7 permit any\n" + "ip prefix-list X permit any\n" * 3 + "ip prefix-list X seq\n"
    assert list(vtysh.read(text)["ip prefix-list X"]) == ["seq 7", "seq 10", "seq 15", "seq 20", "seq 25"]


def test_many_entries_are_numbered_without_looking_at_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(vtysh, "number_of", lambda value: asked.append(value) or number_of(value))
    assert len(vtysh.read("ip prefix-list X permit any\n" * 500)["ip prefix-list X"]) == 500
    assert len(asked) == 500


@pytest.mark.parametrize("read", [eos.read, vtysh.read])
def test_more_lines_than_any_configuration_has_are_refused(read: Callable[[str], object]) -> None:
    with pytest.raises(ReadFault, match="lines; at most 300,000"):
        read("a\n" * 300_001)


@pytest.mark.parametrize("read", [nvue.read, generic_format("x.yaml").read])
def test_more_yaml_than_any_configuration_has_is_refused(read: Callable[[str], object]) -> None:
    with pytest.raises(ReadFault, match="characters; at most 2,097,152"):
        read("# x\n" * 600_000)
