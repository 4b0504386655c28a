"""Provenance: the traced text is the rendered text, and each line knows its template line and its fields."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import toy_view
from render_toys import SERVICES, make_class, make_host, make_platform, make_shape, make_switch

from fabricgen.device.model import Host, Switch
from fabricgen.device.origins import FieldRead
from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.plan.model.contract import Gnmi
from fabricgen.platforms.platform import ViewModule
from fabricgen.render.engine import Renderer
from fabricgen.render.provenance import LineOrigin, Translator, record_reads, trace_file, view_origins

JSON_PATH = "switches/leaf-u001-r0/a.json"
TEXT_PATH = "switches/leaf-u001-r0/a.conf"
Parts = list[tuple[str, str]]


def trace(root: Path, path: str, parts: Parts, view: ViewModule | None = None, **changes: object) -> list[LineOrigin]:
    """Trace the only file of a toy switch, after proving that the trace spells it."""
    bag = Bag()
    renderer = Renderer({"toy": make_platform(root, {path.rsplit("/", 1)[1]: parts}, view=view)}, bag)
    device = make_switch(**changes)
    (file,) = renderer.render_switch(device)
    assert not list(bag)
    lines = trace_file(renderer, device, path)
    assert "".join(line.text for line in lines).encode() == file.data
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    return lines


def names(reads: tuple[FieldRead, ...]) -> list[str]:
    return [f"{read.owner}.{read.field}" for read in reads]


def by_text(lines: list[LineOrigin], text: str) -> LineOrigin:
    (found,) = [line for line in lines if text in line.text]
    return found


def intent_paths(line: LineOrigin, device: Host | Switch) -> tuple[IntentPath, ...]:
    """The intent paths of a line: those of its text, then those of its being there."""
    return tuple(dict.fromkeys((*line.text_paths(device), *line.presence_paths(device))))


def where(line: LineOrigin) -> tuple[str, int]:
    return Path(line.template).name, line.template_line


def test_lines_of_a_json_file(tmp_path: Path) -> None:
    ports = (
        '{# a comment\n   of two lines #}\n"PORT": {\n{% for p in cls.ports %}\n'
        '  "{{ p.name }}": {"lanes": "{{ p.lanes | join(",") }}",\n    "mtu": "{{ p.mtu_bytes }}"}'
        '{{ "" if loop.last else "," }}\n{% endfor %}\n}\n'
    )
    lines = trace(tmp_path, JSON_PATH, [("class", ports), ("device", '"NAME": {{ device.hostname | json }}')])
    assert where(lines[0]) == ("platform.yaml", 1)
    assert (where(lines[1]), lines[1].direct, lines[1].context) == (("0-0-class.j2", 3), (), ())
    first, second = by_text(lines, "Ethernet8"), lines[5]
    assert (where(first), where(second)) == (("0-0-class.j2", 5), ("0-0-class.j2", 6))
    assert [name for name in names(first.direct) if "lanes" not in name] == ["PortShape.name"]
    assert first.direct[0].holder == make_class().ports[1]
    assert names(second.direct) == ["PortShape.mtu_bytes"]
    assert second.direct[0].value == 9100
    assert names(second.context) == ["SwitchClass.ports"]
    assert names(by_text(lines, "NAME").direct) == ["Switch.hostname"]
    assert where(lines[-1]) == ("platform.yaml", 1)


def test_conditions_and_loops_are_context_of_what_they_enclose(tmp_path: Path) -> None:
    text = (
        "{% if cls.routing.bfd_upper %}\nbfd\n{%   if device.state == 'drained' %}\ndrained\n{%   endif %}\n"
        "{% else %}\nno bfd\n{% endif %}\nplain\n{% for p in device.ports %}\n peer {{ p.peer }}\n{% endfor %}\nend\n"
    )
    lines = trace(tmp_path, TEXT_PATH, [("device", text)], state="drained")
    assert names(by_text(lines, "bfd").context) == ["RoutingPolicy.bfd_upper"]
    assert names(by_text(lines, "drained").context) == ["RoutingPolicy.bfd_upper", "Switch.state"]
    assert names(by_text(lines, "plain").context) == []
    peer = by_text(lines, "spine-02")
    assert (names(peer.direct), names(peer.context)) == (["Port.peer"], ["Switch.ports"])
    assert names(by_text(lines, "end").context) == []
    assert all(line.direct == () for line in lines if "peer" not in line.text)


def test_other_branches_belong_to_the_same_condition(tmp_path: Path) -> None:
    text = (
        "{% if device.state %}\nA\n{% elif cls.has_upper and not cls.routing.bfd_upper %}\nB\n"
        "{% elif cls.role == 'leaf' %}\nC\n{% else %}\nD\n{% endif %}\n"
    )
    (line,) = trace(tmp_path, TEXT_PATH, [("device", text)])
    assert (line.text, where(line)) == ("C\n", ("0-0-device.j2", 6))
    fields = ["Switch.state", "SwitchClass.has_upper", "RoutingPolicy.bfd_upper", "SwitchClass.role"]
    assert names(line.context) == fields


def test_a_loops_filter_counts_for_its_own_item_only(tmp_path: Path) -> None:
    text = "{% for p in cls.ports if p.used and p.side == 'up' %}\n{{ p.name }}\n{% endfor %}\n"
    lines = trace(tmp_path, TEXT_PATH, [("class", text)])
    ports = make_class().ports
    for line, port in zip(lines, [ports[2], ports[3]], strict=True):
        assert [read.holder for read in line.direct] == [port]
        assert names(line.context) == ["SwitchClass.ports", "PortShape.used", "PortShape.side"]
        assert [read.holder for read in line.context[1:]] == [port, port]


def test_a_look_ahead_keeps_items_apart_too(tmp_path: Path) -> None:
    text = "{% for p in cls.ports if p.used %}\n{{ p.alias }}{{ '' if loop.last else ',' }}\n{% endfor %}\n"
    lines = trace(tmp_path, TEXT_PATH, [("class", text)])
    for line, port in zip(lines, make_class().ports, strict=False):
        assert line.direct[0].holder == port
        assert names(line.context) == ["SwitchClass.ports", "PortShape.used"]
        assert line.context[1].holder == port


def test_a_condition_inside_a_line_decides_its_text_even_if_it_does_not_hold(tmp_path: Path) -> None:
    head = "{% if device.reason %}\nnever\n{% endif %}\n"
    text = head + "host {{ device.hostname }}{% if device.state %} drained{% endif %} \n"
    (line,) = trace(tmp_path, TEXT_PATH, [("device", text)])
    assert (names(line.direct), names(line.context)) == (["Switch.hostname", "Switch.state"], [])
    (line,) = trace(tmp_path / "true", TEXT_PATH, [("device", text)], state="drained")
    assert (names(line.direct), names(line.context)) == (["Switch.hostname", "Switch.state"], ["Switch.state"])


def test_assignments_count_for_what_follows_in_their_scope(tmp_path: Path) -> None:
    text = "{% for p in device.ports %}\n{% set n = p.peer_asn %}\nas {{ n }}\n{% endfor %}\nend\n"
    lines = trace(tmp_path, TEXT_PATH, [("device", text)])
    assert [names(line.context) for line in lines[:-1]] == [["Switch.ports", "Port.peer_asn"]] * 4
    assert names(lines[-1].context) == []


def test_macros_and_includes_know_their_own_lines(tmp_path: Path) -> None:
    folder = tmp_path / "switch/toy"
    folder.mkdir(parents=True)
    (folder / "inner.j2").write_text("{% macro row(p) %}\n\nport {{ p.name }}\n{% endmacro %}\n")
    (folder / "tail.j2").write_text("!\nmtu {{ cls.ports[0].mtu_bytes }}\n")
    text = '{% from "switch/toy/inner.j2" import row %}\n{{ row(cls.ports[1]) -}}\n{% include "switch/toy/tail.j2" %}\n'
    lines = trace(tmp_path, TEXT_PATH, [("class", text)])
    port = by_text(lines, "port")
    assert (where(port), names(port.direct)) == (("inner.j2", 3), ["PortShape.name"])
    mtu = by_text(lines, "mtu")
    assert (where(mtu), names(mtu.direct)[-1]) == (("tail.j2", 2), "PortShape.mtu_bytes")


def test_asking_whether_there_is_an_object_is_a_read_of_its_field(tmp_path: Path) -> None:
    text = (
        'state {{ "on" if cls.services.gnmi else "off" }}\n'
        "{% if cls.services.gnmi %}\nserver\n{% endif %}\n"
        "{% if not cls.services.gnmi %}\nno server\n{% endif %}\n"
        "port {{ cls.services.gnmi.port if cls.services.gnmi }}\n"
    )
    server = Gnmi(port=8080, server_crt="own.cer", server_key="own.key", ca_crt="theirs.cer")
    for gnmi, said in ((server, "server"), (None, "no server")):
        cls = replace(make_class(), services=replace(SERVICES, gnmi=gnmi))
        lines = trace(tmp_path / said, TEXT_PATH, [("class", text)], cls=cls)
        (asked,) = by_text(lines, "state").direct
        assert (asked.owner, asked.field, asked.value) == ("Services", "gnmi", gnmi)
        assert by_text(lines, "state").text_paths(make_switch()) == (("operations", "gnmi"),)
        assert names(by_text(lines, said).context) == ["Services.gnmi"]
        first, *_ = by_text(lines, "port").text_paths(make_switch())
        assert first == (("operations", "gnmi", "port") if gnmi else ("operations", "gnmi"))


def test_items_of_a_field_are_told_apart(tmp_path: Path) -> None:
    text = (
        '"MAP": {\n{% for tc in cls.contract.priority_by_dscp %}\n"{{ loop.index0 }}": "{{ tc }}"'
        '{{ "" if loop.last else "," }}\n{% endfor %}\n},\n"NTP": [{{ cls.services.ntp[1] | json }}]\n'
    )
    lines = trace(tmp_path, JSON_PATH, [("class", text)])
    device = make_switch()
    (read,) = by_text(lines, '"26": "3"').direct
    assert (read.field, read.index, read.value) == ("priority_by_dscp", 26, 3)
    assert intent_paths(by_text(lines, '"26": "3"'), device)[0] == ("lossless", "classes", "roce", "dscp")
    assert intent_paths(by_text(lines, '"46": "6"'), device)[0] == ("lossless", "classes", "cnp", "dscp")
    assert intent_paths(by_text(lines, '"1": "0"'), device)[0] == ("lossless", "classes", "default", "priority")
    assert intent_paths(by_text(lines, "NTP"), device)[0] == ("operations", "ntp", "[192.0.2.2]")


def test_what_is_in_an_item_has_the_number_of_the_item() -> None:
    """A field with one row of three values has no second and no third row."""
    reads: list[FieldRead] = []
    rows = record_reads((("NCCL_CROSS_NIC", "0", ""),), reads.append, FieldRead("Collectives", "variables", None))
    assert [str(value) for row in rows for value in row] == ["NCCL_CROSS_NIC", "0", ""]
    assert [read.index for read in reads] == [0, 0, 0]


def test_methods_of_the_model_are_read_through(tmp_path: Path) -> None:
    text = 'dscp {{ cls.contract.by_name("roce").dscp[0] }}\n'
    (line,) = trace(tmp_path, TEXT_PATH, [("class", text)])
    last = line.direct[-1]
    assert (last.owner, last.field, last.index, last.value) == ("TrafficClass", "dscp", 0, 26)


def test_reads_of_a_view_are_told_as_reads_of_the_model(tmp_path: Path) -> None:
    text = (
        "{% for r in cls.rows %}\n{{ r.name }} speed {{ r.speed_mbps }} {{ r.admin }}\n{% endfor %}\n"
        "{% for h in cls.headroom %}\npg {{ h.port }} {{ h.profile }}\n{% endfor %}\n"
        "{% for q in cls.queues %}\nqueue {{ q }}\n{% endfor %}\n"
    )
    own = "{% for p in device.ports %}\n{{ p.description | cli }} on {{ p.row.name }}\n{% endfor %}\n"
    own += "{{ device.secret_sauce }}\n"
    lines = trace(tmp_path, TEXT_PATH, [("class", text), ("device", own)], view=toy_view)
    device = make_switch()
    shape = device.cls.ports[1]
    row = by_text(lines, "Ethernet8 speed")
    assert names(row.direct) == ["PortShape.name", "PortShape.speed_gbps", "PortShape.used"]
    assert all(read.holder == shape for read in row.direct)
    group = by_text(lines, "pg Ethernet8")
    assert names(group.direct) == ["PortShape.name", "PgProfile.name", "PortShape.headroom"]
    assert group.direct[1].holder == device.cls.buffers.headroom[0]
    (queue,) = by_text(lines, "queue q.cnp").direct
    assert queue.holder == device.cls.contract.by_name("cnp")
    link = by_text(lines, "on Ethernet16")
    assert names(link.direct) == ["Port.peer_port", "Port.peer", "PortShape.name"]
    assert link.direct[0].holder == device.ports[2]
    assert names(by_text(lines, "made up").direct) == []


def test_view_objects_may_tell_their_own_origins(tmp_path: Path) -> None:
    text = "{% for k in cls.knobs %}\n{{ k.name }}={{ k.value }}\n{% endfor %}\n"
    cnp, detection = trace(tmp_path, TEXT_PATH, [("class", text)], view=toy_view)
    device = make_switch()
    assert intent_paths(cnp, device)[0] == ("lossless", "classes", "cnp", "dscp")
    assert intent_paths(detection, device)[0] == ("lossless", "watchdog", "detection_ms")


def test_what_a_view_lists_per_priority_is_found_by_number(tmp_path: Path) -> None:
    text = "{% for w in cls.weights %}\n{{ loop.index0 }}: {{ w }}\n{% endfor %}\n"
    lines = trace(tmp_path, TEXT_PATH, [("class", text)], view=toy_view)
    paths = [intent_paths(line, make_switch())[0] for line in lines]
    assert paths[3] == ("lossless", "classes", "roce", "weight_pct")
    assert paths[6] == ("lossless", "classes", "cnp", "weight_pct")
    assert [read.holder for read in lines[1].direct] == [None]


def test_a_lines_own_constants_and_ever_present_loops_name_no_key(tmp_path: Path) -> None:
    text = "{% for p in device.ports %}\ntimers {{ cls.routing.bfd_interval_ms }}\n{% endfor %}\n"
    text += "{% if cls.routing.bfd_upper %}\nbfd\n{% endif %}\n"
    *timers, bfd = trace(tmp_path, TEXT_PATH, [("device", text)])
    assert {intent_paths(line, make_switch()) for line in timers} == {()}
    assert intent_paths(bfd, make_switch())[0] == ("routing", "bfd")


def test_a_port_that_is_not_there_leads_to_what_decides_that(tmp_path: Path) -> None:
    device = make_switch()
    translator = Translator(device, view_origins(toy_view))
    unused = device.cls.ports[4]
    stranger = toy_view.Described(toy_view.Row(unused.name, 400_000, "down"), unused, "")
    reads = translator.translate(FieldRead("Described", "description", stranger))
    assert [(read.owner, read.field, read.holder) for read in reads] == [("PortShape", "used", unused)] * 2


def test_a_hosts_files_are_traced(tmp_path: Path) -> None:
    text = "{% for r in device.rails %}\n{{ r.shape.interface }} {{ r.address }}/{{ r.prefix_len }}\n{% endfor %}\n"
    system = make_platform(tmp_path, {"etc/a.conf": [("device", text)]}, "tux", "host")
    card = make_platform(tmp_path, {"etc/b.conf": [("class", "mtu {{ cls.rails[0].mtu_bytes }}\n")]}, "card", "nic")
    renderer = Renderer({"tux": system, "card": card}, Bag())
    host = make_host()
    lines = trace_file(renderer, host, "hosts/gpu-u001-h01/etc/a.conf")
    assert "".join(line.text for line in lines).encode() == renderer.render_host(host)[0].data
    assert intent_paths(lines[1], host)[0] == ("addressing", "host_links", "ipv4")
    (mtu,) = trace_file(renderer, host, "hosts/gpu-u001-h01/etc/b.conf")
    assert intent_paths(mtu, host)[0] == ("links", "host-leaf", "mtu")


@pytest.mark.parametrize("path", ["switches/leaf-u001-r0/other", "switches/leaf-u002-r0/a.conf", "a/a.conf"])
def test_a_file_the_device_does_not_have_has_no_lines(tmp_path: Path, path: str) -> None:
    renderer = Renderer({"toy": make_platform(tmp_path, {"a.conf": [("class", "x\n")]})}, Bag())
    assert trace_file(renderer, make_switch(), path) == []


@pytest.mark.parametrize(
    ("text", "view", "code", "line"),
    [
        ("a\n{{ device.nothing }}\n", None, "FG-PLT-030", 2),
        ("a\n{% if %}\n", None, "FG-PLT-030", 2),
        ("a\n", toy_view, "FG-PLT-030", 0),
    ],
)
def test_faults_are_diagnostics_too(tmp_path: Path, text: str, view: ViewModule | None, code: str, line: int) -> None:
    bag = Bag()
    renderer = Renderer({"toy": make_platform(tmp_path, {"a.conf": [("device", text)]}, view=view)}, bag)
    hostname = "leaf-broken" if view else "leaf-u001-r0"
    assert trace_file(renderer, make_switch(hostname=hostname), f"switches/{hostname}/a.conf") == []
    (found,) = bag
    assert found.code == code
    assert not line or (Path(found.place.file).name, found.place.line) == ("0-0-device.j2", line)


WHITESPACE = [
    "a\n\n\n{% if cls.has_upper -%}\n  b\n{%- endif %}\nc\n",
    "{%- for p in cls.ports -%}\n  {{ p.name }}\n{% endfor -%}\n\n\nx\n",
    "  {% if not cls.has_upper %}\n  a\n  {% else %}\n  b {{ cls.key }}\n\n  {% endif %}\nlast\n",
    "{% set text %}\nx\ny {{ cls.key }}\n{% endset %}\n{{ text }}\n",
    "{% filter upper %}\nab {{ cls.key }}\ncd\n{% endfilter %}\n",
    "{% raw %}\n{{ not a variable }}\n{% endraw %}\n",
    "{% with a = cls.key %}\n{{ a }}\n{% endwith %}\n",
    "{% macro m(x) %}<{{ caller() }}{{ x }}>\n{% endmacro %}\n{% call m(cls.key) %}in\n{% endcall %}\n",
    "{% for p in [] %}\nnever\n{% else %}\nnone of {{ cls.key }}\n{% endfor %}\n",
    "{% block b %}\nblock {{ cls.key }}\n{% endblock %}\n",
    "{{ cls.ports | map(attribute='name') | join(' ') }}\n{{ 'a' ~ cls.key }}{# c #} \n",
    "{% for a, b in [(1, 2), (3, 4)] %}\n{{ loop.index }}{{ a }}{{ b }}{{ loop.revindex }}\n{% endfor %}\n",
]


@pytest.mark.parametrize("text", WHITESPACE)
@pytest.mark.parametrize("path", [TEXT_PATH, JSON_PATH])
def test_marks_change_no_byte(tmp_path: Path, text: str, path: str) -> None:
    if path == TEXT_PATH:
        assert trace(tmp_path, path, [("class", text), ("device", text)])
        return
    drained = '{% if device.state %}\n"S": 1\n{% endif %}\n'
    assert trace(tmp_path, path, [("class", '"A": {}\n\n'), ("device", drained), ("class", '"B": 1')])


def test_the_line_of_a_template_is_the_line_of_its_text(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 8)) + "{% if cls.key %}\nline 9\n\nline 11\n{% endif %}\n"
    for line in trace(tmp_path, TEXT_PATH, [("class", text)]):
        assert line.text == "\n" or line.text == f"line {line.template_line}\n"


def test_a_lines_paths_go_from_value_to_name_to_condition(tmp_path: Path) -> None:
    text = "{% for p in device.ports %}\n{{ p.shape.name }} {{ p.address }} {{ p.shape.mtu_bytes }}\n{% endfor %}\n"
    lines = trace(tmp_path, TEXT_PATH, [("device", text)], cls=make_class(ports=[make_shape(0)]))
    assert intent_paths(lines[0], make_switch())[:4] == (
        ("links", "host-leaf", "mtu"),
        ("addressing", "host_links", "ipv4"),
        ("addressing", "series"),
        ("tiers", "leaf", "model"),
    )
