"""The delivered inventories, rendered by the command line, before every judge; intent is read from their YAML."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import succeed

from .crossread import Expectation, Fabric, Link, graph_links, prove, read_tree
from .files import File, files_to_show
from .outside import JUDGES, Judge, judge_files, must_be_there

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]


def _of(inventory: str, *overlays: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((inventory, tuple(text.split())) for text in overlays)


PLAIN = _of("quickstart", "", "eos", "nvue", "frr", "fboss")
"""A small fabric on every system, which every run judges; of the others, a sample."""
INVENTORIES = (
    *PLAIN,
    *_of("quickstart", "mixed", "mixed-fboss", "sprayed", "spectrum", "dual", "ipv6", "unnumbered", "frr dual",
        "frr unnumbered", "frr dual unnumbered", "eos dual", "eos ipv6", "eos dual unnumbered", "mixed dual unnumbered",
        "nvue dual", "nvue ipv6", "nvue dual unnumbered", "fboss dual", "mixed-fboss dual", "fboss ipv6", "host-bgp",
        "frr host-bgp", "eos host-bgp", "nvue host-bgp", "fboss host-bgp", "copper", "eos copper", "nvue copper",
        "frr ipv6", "unnumbered host-bgp", "frr unnumbered host-bgp", "ptp", "ptp nvue"),
    ("irregular", ()), ("two-halls", ()), ("second-source", ()), ("tor-25", ()), ("brownfield", ()),
    *_of("dual-plane", "", "nccl-topology"),
    *_of("dual-tor", "", "dual", "irregular", "marking", "routed", "routed dual", "routed-frr", "routed-frr dual",
        "routed-nvue", "routed-nvue dual", "lacp", "lacp dual"),
    *_of("hpn7-pod", "sample", "sample lacp"),
    *_of("hpn7-cluster", "sample"),
    *_of("megascale", "sample"),
    *_of("astral", "sample"),
    ("meta-star", ()),
    *_of("meta-ai-zone", "200g sample", "400g sample", "zones two-zones"),
    ("rail-only", ()), ("gb200-nvl72", ()), ("mi300x-1k", ()),
    *_of("spectrumx-superpod", "", "sample"),
    *_of("dgx-basepod-h100", "", "as-published"),
    *_of("ai-rocev2-lab", "", "as-published"),
    *_of("rail-1k", "", "eos", "nvue", "frr", "mixed", "fboss", "mixed-fboss", "spectrum"),
)  # fmt: skip
"""Inventories, each with overlays: every fabric on one system, and leafs of one below spines of another."""

DEFAULT_CLASSES: dict[str, dict[str, Any]] = {
    "roce": {"dscp": 26, "priority": 3, "lossless": True},
    "cnp": {"dscp": 46, "priority": 6},
    "control": {"dscp": [48, 56], "priority": 7},
    "default": {"priority": 0},
}
"""The contract where an intent does not state one, as the intent language documents it."""

SAMPLING_RATE = 100_000
"""One packet of so many, where an intent does not say it."""

WITHOUT_SONIC = (
    "ai-rocev2-lab", "astral", "dgx-basepod-h100", "dual-tor", "hpn7-cluster", "hpn7-pod", "megascale", "meta-ai-zone",
    "meta-llama3-24k", "meta-star", "spectrumx-superpod",
)  # fmt: skip
"""Inventories that run other systems without any overlay."""

GPUS_OF_HOST = {"gb200-nvl72": 4, "ai-rocev2-lab": 1}
"""GPUs of a host where they are not eight."""

OF_OVERLAYS = ("avd", "batfish", "agent", "bgpcpp", "nccl", "nvue")
"""Judges of platforms that the inventories use under an overlay only."""

FAULTS: dict[str, tuple[str, dict[str, str]]] = {
    f"{path.stem}: {row['fault']}": (path.stem, row)
    for path in sorted((HERE / "faults/rendered").glob("*.yaml"))
    for row in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
}
"""Faults by file, which is called like the inventory and the overlays it is rendered with, joined by ``+``."""

BIG = ("gb200-nvl72", "mi300x-1k")
"""Files of faults whose fabric takes seconds to render and read; not in every run."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered inventory; ``waived`` are the codes of diagnostics that it waives."""

    name: str
    overlays: tuple[str, ...]
    out: Path
    intent: dict[str, Any]
    waived: frozenset[str]
    secrets: dict[str, str]


def overlay_words(overlays: tuple[str, ...]) -> list[str]:
    return [word for overlay in overlays for word in ("--overlay", overlay)]


def merged(intent: dict[str, Any], overlay: dict[str, Any]) -> dict[str, Any]:
    """An intent with an overlay on it; lists are replaced, which is enough for what is read of it here."""
    both = {key: merged(intent[key], overlay[key]) for key in intent.keys() & overlay.keys()
            if isinstance(intent[key], dict) and isinstance(overlay[key], dict)}  # fmt: skip
    return {**intent, **overlay, **both}


def spare_hosts(intent: dict[str, Any]) -> int:
    """Hosts that are there beside those whose GPUs are counted."""
    pods = intent.get("pods", {}).get("count", 1)
    counts = (intent["hosts"].get("backup_per_unit", 0), intent["units"]["count"], pods)
    return prod(int(count["count"] if isinstance(count, dict) else count) for count in counts)


def render(name: str, overlays: tuple[str, ...], folder: Path) -> Rendered:
    """An inventory with its secrets resolved into a folder that only its owner may read."""
    source = REPOSITORY / "inventories" / name
    text = (source / "fabric.yaml").read_text(encoding="utf-8")
    intent = yaml.safe_load(text)
    for overlay in overlays:
        intent = merged(intent, yaml.safe_load((source / f"overlays/{overlay}.yaml").read_text(encoding="utf-8")))
    secrets = {variable: f"judged-{number}" for number, variable in enumerate(re.findall(r"env:(\w+)", text))}
    out = folder / "out"
    out.mkdir(mode=0o700)
    words = ("render", f"inventories/{name}", *overlay_words(overlays), "-o", str(out), "--with-secrets")
    succeed(*words, env=secrets)
    waivers = source / "waivers.yaml"
    waived = {row["code"] for row in yaml.safe_load(waivers.read_text(encoding="utf-8"))} if waivers.exists() else ()
    return Rendered(name, overlays, out, intent, frozenset(waived), secrets)


Rendering = Callable[[str, tuple[str, ...]], Rendered]


@pytest.fixture(scope="module")
def rendering(tmp_path_factory: pytest.TempPathFactory) -> Rendering:
    """Inventories under overlays, each rendered once."""
    return cache(lambda name, overlays: render(name, overlays, tmp_path_factory.mktemp("-".join((name, *overlays)))))


@pytest.fixture(scope="module", params=INVENTORIES, ids=lambda param: "-".join((param[0], *param[1])))
def rendered(request: pytest.FixtureRequest, rendering: Rendering) -> Rendered:
    name, overlays = request.param
    return rendering(name, overlays)


@pytest.fixture(scope="module")
def sound(rendering: Rendering) -> Callable[[str], tuple[Rendered, Fabric]]:
    """Inventories to plant faults in, each read once."""

    @cache
    def of(stem: str) -> tuple[Rendered, Fabric]:
        name, *overlays = stem.split("+")
        rendered = rendering(name, tuple(overlays))
        return rendered, read_tree(rendered.out)

    return of


@pytest.fixture(scope="module")
def fabric(rendered: Rendered) -> Fabric:
    return read_tree(rendered.out)


def expectation(rendered: Rendered) -> Expectation:
    """Return what an inventory says about the tree that is rendered of it."""
    intent = rendered.intent
    lossless, sflow = intent.get("lossless", {}), intent.get("operations", {}).get("sflow")
    classes = lossless.get("classes", DEFAULT_CLASSES).values()
    priority_by_dscp = {}
    for row in classes:
        named = row.get("dscp", [])
        priority_by_dscp.update(dict.fromkeys(named if isinstance(named, list) else [named], row["priority"]))
    exceptions = intent.get("exceptions", [])
    recabled = [row["link"][0] for row in exceptions if "link" in row and ("to" in row or row.get("state") == "absent")]
    absent = [row.get("host") or row.get("device") for row in exceptions if row.get("state") == "absent"]
    return Expectation(
        mode=lossless.get("mode", "dcqcn"),
        lossless=frozenset(row["priority"] for row in classes if row.get("lossless")),
        priority_by_dscp=priority_by_dscp,
        absent=frozenset(filter(None, absent)),
        own_ids=frozenset(row["set"]["router_id"] for row in exceptions if "router_id" in row.get("set", {})),
        recabled=frozenset(recabled),
        unsaid_hashes="FG-RTE-904" in rendered.waived,
        samples=(sflow["collector"], sflow.get("sampling_rate", SAMPLING_RATE)) if sflow else (),
        same_hash=intent.get("routing", {}).get("ecmp", {}).get("decorrelate") == "off",
    )


def of_groups(fabric: Fabric, groups: set[str]) -> frozenset[str]:
    """Hosts of some groups, by the names they have by default."""
    prefixes = tuple(f"{group.replace('_', '-')}-" for group in groups)
    return frozenset(host.name for host in fabric.hosts() if host.name.startswith(prefixes))


def mixed(intent: dict[str, Any], fabric: Fabric, expected: Expectation) -> Expectation:
    """The same, knowing which hosts have no GPUs and which attach otherwise."""
    groups = {} if "server" in intent["hosts"] else intent["hosts"]
    plain = of_groups(fabric, {name for name, group in groups.items() if group["server"].startswith("storage")})
    apart = of_groups(fabric, {name for name, group in groups.items() if "attachment" in group})
    return replace(expected, without_gpus=plain, recabled=expected.recabled | apart)


in_part = pytest.mark.sampled(1, of="rendered", always=PLAIN)
"""Tests of some inventories by lot; the same ones for each test."""


@in_part
def test_devices_agree(rendered: Rendered, fabric: Fabric) -> None:
    expected = mixed(rendered.intent, fabric, expectation(rendered))
    hosts = len(fabric.hosts()) - len(expected.without_gpus) - spare_hosts(rendered.intent)
    assert hosts * GPUS_OF_HOST.get(rendered.name, 8) == rendered.intent["expect"]["gpus"]
    assert prove(fabric, expected) == []


def shown_links(rendered: Rendered) -> set[Link]:
    """Return what the product says the links are."""
    command = ("show", f"inventories/{rendered.name}", "links", *overlay_words(rendered.overlays), "--format", "json")
    rows = json.loads(succeed(*command, env=rendered.secrets))
    links: set[Link] = {frozenset({(r["a"], r["a_port"]), (r["b"], r["b_port"])}) for r in rows}
    assert len(links) == len(rows) > 0
    return links


def has_none(judge: Judge, rendered: Rendered) -> bool:
    """Return whether an inventory may have no file that is a judge's business."""
    return bool(rendered.overlays) or rendered.name in WITHOUT_SONIC or judge.name in OF_OVERLAYS


@in_part
def test_graph_is_what_show_links_says(rendered: Rendered, fabric: Fabric) -> None:
    assert graph_links(fabric) == shown_links(rendered)


@pytest.fixture(scope="module")
def files(rendered: Rendered) -> list[File]:
    return files_to_show(rendered.out)


def judge_rendered(judge: Judge, rendered: Rendered, files: list[File]) -> None:
    """Let an outside judge look at a rendered inventory; skips where it is missing or has nothing to judge."""
    verdict = judge_files(judge, rendered.out, files)
    assert not must_be_there(verdict), verdict.missing
    if verdict.missing or (not verdict.files and has_none(judge, rendered)):
        pytest.skip(f"{judge.name}: {verdict.missing or 'no file of its kind here'}")
    assert verdict.distinct > 0
    assert verdict.findings == ()


@in_part
@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_outside_judge(judge: Judge, rendered: Rendered, files: list[File]) -> None:
    judge_rendered(judge, rendered, files)


def plant(rendered: Rendered, fabric: Fabric, faults: list[dict[str, str]], folder: Path) -> Fabric:
    """A fabric with faults in some of its devices, which alone are read again."""
    for fault in faults:
        device = Path(*Path(fault["file"]).parts[:2])
        if not (folder / device).exists():
            shutil.copytree(rendered.out / device, folder / device)
        target = folder / fault["file"]
        text, changes = re.subn(fault["old"], fault["new"], target.read_text(encoding="utf-8"))
        assert changes, f"{fault['file']} has no {fault['old']!r}"
        target.write_text(text, encoding="utf-8")
    return Fabric({**fabric.devices, **read_tree(folder).devices})


@pytest.mark.sampled(4, of="name")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly if FAULTS[name][0] in BIG else ()) for name in FAULTS]
)
def test_fault_in_a_rendered_tree_is_found(
    name: str, sound: Callable[[str], tuple[Rendered, Fabric]], tmp_path: Path
) -> None:
    stem, fault = FAULTS[name]
    rendered, fabric = sound(stem)
    found = prove(plant(rendered, fabric, [fault], tmp_path), expectation(rendered))
    assert any(re.match(fault["finds"], line) for line in found), "\n".join(found[:20]) or "nothing found"
