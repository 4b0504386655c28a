"""A platform of three template lines refuses what it cannot do, at the lines of the intent that ask for it.

Its manifest answers every capability with nothing. Each capability is asked for by the conformance fabric or by an
overlay named here: as soon as the platform has it, what was reported at the intent's lines is gone. A peculiarity is
the other way round: a platform that can do everything has something reported as soon as it has the peculiarity. No
field of a record is left out. And whatever is written is told, or still changes what the other devices get.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fabricgen.diagnostics import Diagnostic, IntentPath, Severity, format_path
from fabricgen.platforms.manifest import capabilities as able
from fabricgen.source import Document
from tests.meta.leafs import Pattern, instances, other_values, points_at, schema_leafs, unjudged, value_at, with_value
from tests.meta.three_lines import CONFORMANCE, NAME, Key, Result, ThreeLines
from tests.sampling import FRESH, sampled

PLAIN = ""
MORE, BONDED, DUAL = "asks/more.yaml", "shapes/bonded.yaml", "shapes/dual.yaml"
ROUTED = "asks/routed.yaml"
ASKED: dict[str, dict[str, str]] = {
    "switch": {
        PLAIN: "mtu_max_bytes ipv4 bgp_md5 hostname management ports copper_negotiation copper_calibration bgp "
        "graceful_restart drain ecmp_paths_max hash_five_tuple hash_seed_unrendered classes scheduling ecn headroom "
        "lossless_priorities_max buffer_pools pfc_watchdog access tacacs ntp syslog dns timezone snmp gnmi "
        "sflow sflow_rate_max path_weights guards",
        MORE: "bfd gtsm hosts_bgp drain_links hash_ingress_port hash_roce_dest_qp flowlet flowlet_gap_us per_packet "
        "resilient marks_unmarked users board_data bgp_timers ptp",
        "asks/adaptive.yaml": "adaptive",
        "asks/pfc_only.yaml": "pfc_only",
        "asks/ecn_only.yaml": "ecn_only",
        BONDED: "bond_lacp lacp_system_id lacp_port_ids host_routes local_proxy_arp",
        ROUTED: "bond_routed",
        DUAL: "ipv6",
        "shapes/unnumbered.yaml": "unnumbered unnumbered_lists",
        "asks/parted.yaml": "unreachability",
    },
    "host": {
        PLAIN: "mtu_max_bytes ipv4",
        MORE: "bfd gtsm bgp_md5 hosts_bgp ptp",
        "asks/spread.yaml": "nvlink_domains",
        BONDED: "bond_lacp",
        DUAL: "ipv6",
    },
    "nic": {
        PLAIN: "classes scheduling pfc dcqcn copper libraries telemetry firmware",
        MORE: "topology_files fault_tolerance variables",
        "asks/spread.yaml": "planes_nic",
        "asks/adaptive.yaml": "adaptive",
        BONDED: "bond_lacp",
    },
}
"""Kind of platform and overlay of the fabric to the capabilities that it asks for, the plain fabric first."""

NO, YES = {"value": False}, {"value": True}
ODD = {"overlay": "asks/odd.yaml"}
PECULIAR: dict[str, dict[str, dict[str, Any]]] = {
    "switch": {"numbered_asics": {"value": ("tomahawk3",)}, "marks_by_chance": {"value": ("jericho",)},
        "board_data_lossless": {"overlay": MORE, "value": ("mmu",), "beside": {"board_data": ("asic",)}},
        "bfd_needs_acl": {**ODD, **YES}, "flood_guard": {"overlay": BONDED, **NO},
        "tracks_uplinks": {"overlay": ROUTED, **NO},
        "bond_routed_needs": {"overlay": ROUTED, "value": "BOND",
            "more": 'releases: [{name: "1"}, {name: "2", released: "false"}]\nsince: {BOND: "2"}\n'},
        "flowlet_since": {"overlay": MORE, "value": "209912"},
        "balancing_asics": {"overlay": MORE, "value": ("jericho",)},
        "hash_asics": {"overlay": MORE, "value": ("jericho",)},
        "hash_qp_unconfirmed": {"overlay": MORE, "value": "a doubt"},
        "hash_seed_unconfirmed": {"value": "a doubt", "more": 'hash_seeds: ["1", "2"]\n'},
        "strict_above_weighted": {**ODD, **YES},
        "cable_length": {**NO, "beside": {"headroom": able.HeadroomSource.OWN}}, "thresholds_unpublished": YES,
        "lossless_queue_profile": {"value": "of_nobody"},
        "watchdog_actions": {"value": ("alert",)}, "pfc_watchdog_min_ms": {"value": 4000},
        "watchdog_step_ms": {"value": 300}, "watchdog_detection_max_ms": {"value": 100},
        "watchdog_polls_ports": {**ODD, **YES}, "watchdog_restores_itself": YES, "watchdog_needs_guarantee": YES,
        "access_gnmi6": {"overlay": "asks/management6.yaml", **NO}, "gnmi_clients": NO,
        "gnmi_folder": {"value": "/etc/elsewhere/"},
        "gnmi_endings": {"value": (".x", ".y"), "beside": {"gnmi_folder": "/etc/sonic/telemetry/"}},
        "gnmi_files": {"value": able.GnmiFiles.NAME}, "users_need_password": {"overlay": MORE, **YES},
        "sflow_inband": {"overlay": MORE, **YES}, "timezones_lacking": {"overlay": MORE, "value": ("UTC",)},
        "ptp_lacking": {"overlay": MORE, "value": ("tomahawk",)}, "ptp_sets_time": {"overlay": MORE, **YES}},
    "host": {"hosts_bgp_ipv6": {"overlay": DUAL, "also": MORE, **NO}}, "nic": {},
}  # fmt: skip
"""Capability of a platform that one which can do everything has not: its value, and the overlay that meets it."""
_WORDS = {
    "watchdog_actions": ("drop", "forward", "alert"),
    "libraries": ("nccl", "rccl", "vccl"),
    "topology_files": ("pci", "rails"),
    "guards": ("anti_spoofing", "bfd_policing", "accounting", "snmpv3", "syslog_tls"),
    "board_data": ("asic",),
    "unreachability": ("LLDP",),
    "bgp_timers": ("keepalive", "connect_retry", "advertisement"),
}
_SHAPE = ("FG-SRC", "FG-INT")


def best(name: str, field: able.Field) -> Any:
    """Return what a platform answers that has all of a capability."""
    most = {
        bool: True, int: 8, able.Rendered: able.Rendered.YES, able.Copper: able.Copper.DOCUMENTED,
        able.HeadroomSource: able.HeadroomSource.WRITTEN, able.PathWeighting: able.PathWeighting.HUNDREDTHS,
        able.LacpIdentity: able.LacpIdentity.BOND, able.HostRoutes: able.HostRoutes.BOTH,
        able.GnmiFiles: able.GnmiFiles.PATH,
    }  # fmt: skip
    unlimited = field.type in (able.Limit, able.Choice, able.Speeds)
    return _WORDS.get(name, ()) if name in _WORDS else None if unlimited else most.get(field.type, field.nothing)


def everything(kind: str) -> dict[str, Any]:
    """Return what a platform answers that can do everything and has no peculiarity."""
    odd = {name for name, said in PECULIAR[kind].items() if said["value"] is True}
    odd |= {"hash_seed_unrendered", "board_data", "pfc_watchdog_min_ms", "watchdog_step_ms"}
    return {name: field.nothing if name in odd else best(name, field) for name, field in able.fields_of(kind).items()}


@pytest.fixture(scope="module", params=able.RECORDS)
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreeLines]:
    made = ThreeLines(tmp_path_factory.mktemp(request.param), request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(made.packages))
        yield made
    # The next one has a folder of its own, which a module that is still loaded would not know.
    for name in [name for name in sys.modules if name.startswith(NAME)]:
        del sys.modules[name]


@pytest.fixture
def three(installed: ThreeLines) -> ThreeLines:
    """The platform, which can do nothing, whatever became of the test before."""
    installed.answer({})
    return installed


def test_every_field_is_asked_for_once() -> None:
    for kind in able.RECORDS:
        named = [name for words in ASKED[kind].values() for name in words.split()]
        assert sorted([*named, *PECULIAR[kind]]) == sorted(able.fields_of(kind))


def told_less(three: ThreeLines, document: Document, base: Result, name: str) -> list[Diagnostic]:
    """Return what is not reported any more once the platform has one capability."""
    three.answer({name: best(name, able.fields_of(three.kind)[name])})
    kept = three.compile(document).keys()
    return [d for d in base.diagnostics if (d.code, str(d.place), d.message) not in kept]


def test_the_plain_fabric_reports_each_capability_it_asks_for(three: ThreeLines) -> None:
    asked = set(ASKED[three.kind][PLAIN].split())
    fields = sampled(sorted(able.fields_of(three.kind)), 2, f"{FRESH} {three.kind}")
    document = three.read()
    base = three.compile(document)
    assert any(d.severity is Severity.ERROR for d in base.diagnostics)
    told = {name: told_less(three, document, base, name) for name in fields}
    assert {name for name, gone in told.items() if gone} == asked & set(fields)
    places = [d.place for gone in told.values() for d in gone]
    assert all(place and place.file == str(three.fabric / "fabric.yaml") for place in places)


@pytest.mark.nightly
def test_overlays_report_each_capability_they_ask_for(three: ThreeLines) -> None:
    for overlay, names in ASKED[three.kind].items():
        if overlay == PLAIN:
            continue
        document = three.read(overlay)
        three.answer({})
        base = three.compile(document)
        for name in sampled(names.split(), 1, f"{FRESH} {three.kind} {overlay}"):
            gone = told_less(three, document, base, name)
            assert gone, name
            assert all(d.place and d.place.file.startswith(str(three.fabric)) for d in gone), name


def test_each_peculiarity_is_told(three: ThreeLines) -> None:
    for name, said in sampled([*PECULIAR[three.kind].items()], 2, f"{FRESH} {three.kind}"):
        document = three.read(*filter(None, (said.get("overlay"), said.get("also"))))
        answers = everything(three.kind) | said.get("beside", {})
        more = said.get("more", "")
        three.answer(answers, more=more)
        without = three.compile(document).keys()
        three.answer(answers | {name: said["value"]}, more=more)
        having = three.compile(document).keys()
        assert having - without, name


class Swept:
    """Documents of the fabric on the platform, and what becomes of them when a leaf changes."""

    def __init__(self, three: ThreeLines, cache: Path) -> None:
        """Compile the fabric with everything that some platform renders or refuses, and in each shape."""
        self._three, self._cache = three, cache
        overlays = ["raw.yaml", "unrendered.yaml", MORE, "asks/pfc_only.yaml"]
        overlays += [f"shapes/{path.name}" for path in sorted((CONFORMANCE / "shapes").glob("*.yaml"))]
        self.documents = [three.read(name) for name in overlays]
        self._results = [three.compile(document) for document in self.documents]
        self._bases: dict[tuple[int, bool], tuple[Document, set[Key], Mapping[str, bytes]]] = {}

    def is_told(self, at: int, path: IntentPath) -> bool:
        """Return whether a warning or an error stands at the leaf, or an error at a mapping that holds it."""
        told = [d for d in self._results[at].diagnostics if d.severity is not Severity.INFO]
        place = self.documents[at].place(path)
        if any(place and points_at(d, {(place.file, place.line)}) for d in told):
            return True
        return any(d.severity is Severity.ERROR and d.path and path[: len(d.path)] == d.path for d in told)

    def has_effect(self, at: int, path: IntentPath) -> bool:
        """Return whether another value is told, or changes a file of any device; True if no other value is legal."""
        document, known, files = self._base(at, judged=path[0] in ("expect", "exceptions"))
        tried = 0
        for value in other_values(path, value_at(document.data, path)):
            changed = with_value(document, path, value)
            result = self._three.compile(changed)
            lines = {(p.file, p.line) for p in (document.place(path), changed.place(path)) if p}
            new = [d for d in result.diagnostics if (d.code, str(d.place), d.message) not in known]
            told = [d for d in new if points_at(d, lines)]
            if any(d.severity is Severity.ERROR and d.code.startswith(_SHAPE) for d in told):
                continue
            tried += 1
            if told or result.files(self._cache) != files:
                return True
        return tried == 0

    def _base(self, at: int, *, judged: bool) -> tuple[Document, set[Key], Mapping[str, bytes]]:
        """A document; if not ``judged``, without what names its devices or is held against it."""
        if (at, judged) not in self._bases:
            document = self.documents[at] if judged else unjudged(self.documents[at])
            result = self._three.compile(document)
            self._bases[at, judged] = (document, result.keys(), result.files(self._cache))
        return self._bases[at, judged]


@pytest.fixture(scope="module")
def swept(installed: ThreeLines, tmp_path_factory: pytest.TempPathFactory) -> Swept:
    installed.answer({})
    return Swept(installed, tmp_path_factory.mktemp("templates"))


@pytest.mark.nightly
@pytest.mark.parametrize("leaf", schema_leafs(), ids=format_path)
def test_no_leaf_is_silent(leaf: Pattern, swept: Swept) -> None:
    found = [(at, path) for at, document in enumerate(swept.documents) for path in instances(document.data, leaf)]
    assert found, "stands in no document"
    if not any(swept.is_told(at, path) for at, path in found):
        assert any(swept.has_effect(at, path) for at, path in found), "changes nothing and is named by no diagnostic"
