"""Every board and port profile of the catalog at every release it claims, before the checker of that release.

For each HwSKU a fabric of two tiers is rendered whose breakouts are the HwSKU's at its first and its last cage. The
checker's own module judges the result by the models of the release. ``make test`` takes a sample with a printed seed;
with FABRICGEN_JUDGE_ALL set, as ``make judge-all`` does, it takes all.
"""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import yaml

from fabricgen.catalog import known_models, load_catalog
from fabricgen.catalog.records import Sku, SwitchModel, has_board, model_at
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag, Severity
from fabricgen.render.engine import Renderer
from tests import tally
from tests.acceptance.run import diagnose
from tests.reference_files import find_reference, load_program
from tests.sampling import EVERYTHING, FRESH
from tests.unit.catalog.shipped_records import mode_of_cage

RELEASES = ("202405", "202411", "202505", "202511", "202605", "master")
SAMPLE = 14
NIC = "any_nic"
NO_TABLES = {"FG-BUF-007", "FG-BUF-010", "FG-BUF-011", "FG-BUF-013", "FG-QOS-020", "FG-TOP-010"}
"""Reasons of refusal: the maker's pools or rows lack at the release, or a breakout that only the HwSKU knows."""

FILE = "etc/sonic/config_db.json"
SECRET = "@fabricgen-secret:"
"""A token is longer than the text it stands for may be; the checker's word on it is no finding."""
UNCHECKED = "GNMI_CLIENT_CERT: not a table"
"""The checker has no facts about it; tests/unit/sonic/test_sonic_gnmi.py judges that table."""


class Ends(NamedTuple):
    """The breakouts of a HwSKU's first and last cage at a release: speed and lanes of a port."""

    model: str
    release: str
    down: tuple[int, int]
    up: tuple[int, int]


class Outcome(NamedTuple):
    """Outcome of a fabric: the HwSKUs and release it was written for, its files, or the refusal."""

    skus: frozenset[str]
    files: dict[str, dict[str, Any]]
    errors: tuple[str, ...]


@cache
def switches() -> dict[str, SwitchModel]:
    names = {name: ("tiers", name, "model") for name in known_models("switches")}
    catalog = load_catalog(switches=names, nics={}, servers={}, bag=Bag())
    return {name: model for name, model in catalog.switches.items() if "sonic" in model.platforms and model.boards}


def ends(model: SwitchModel, sku: Sku, release: str) -> Ends | None:
    """The ends of a HwSKU; None where a cage of it mixes speeds."""
    cages = [cage for cage in model.cages if not cage.service and cage.index in sku.mode_by_cage]
    found = []
    for cage in (cages[0], cages[-1]):
        mode = mode_of_cage(cage, sku)
        kinds = {(port.speed_gbps, port.lanes) for port in mode.ports}
        if len(kinds) > 1:
            return None
        found.append(kinds.pop())
    return Ends(model.id, release, *found)


@cache
def claims() -> dict[Ends, set[str]]:
    """Every fabric to render, with the HwSKUs whose ends these are."""
    found: dict[Ends, set[str]] = {}
    for model in switches().values():
        for release in RELEASES:
            at = model_at(model, release)
            for sku in at.skus if has_board(model, release) else ():
                each = ends(at, sku, release)
                if each is not None:
                    found.setdefault(each, set()).add(sku.name)
    return found


def inventory(folder: Path, wanted: Ends, *, lossless: bool) -> Path:
    """A fabric of two leafs and two spines of the model, with the breakouts of the HwSKU's ends."""
    nic = yaml.safe_load((Path(__file__).parents[2] / "fabricgen/catalog/data/nics/connectx7_400g.yaml").read_text())
    nic |= {"id": NIC, "source": "made up for tests", "lanes": {f"{wanted.down[0]}G": str(wanted.down[1])}}
    nic.pop("sources", None)
    tier = {"model": wanted.model, "platform": "sonic", "release": wanted.release}
    cable = {"media": "smf", "length_m": 3}
    intent = {
        "fabric": "claims",
        "hosts": {"gpu": {"server": "dgx_h100_8", "nic": NIC, "per_unit": {"count": 1, "max": 1}}},
        "units": {"count": 2, "max": 2},
        "attachment": {"rails_per_leaf": 8},
        "tiers": {"leaf": tier, "spine": {**tier, "count": {"count": 2, "max": 2}}},
        "links": {
            "host-leaf": {"speed": f"{wanted.down[0]}G", "cable": cable},
            "leaf-spine": {"speed": f"{wanted.up[0]}G", "cable": cable},
        },
        "operations": {
            "ntp": ["192.168.0.10"], "syslog": ["192.168.0.11"], "dns": ["192.168.0.12"],
            "sflow": {"collector": "192.168.0.13"},
            "tacacs": {"servers": ["192.168.0.14"], "key": {"secret": "env:TACACS_KEY"}},
        },
    }  # fmt: skip
    if not lossless:
        intent["lossless"] = {"mode": "ecn_only", "reason": "the maker cut this HwSKU without lossless queues"}
    (folder / "catalog/nics").mkdir(parents=True)
    (folder / f"catalog/nics/{NIC}.yaml").write_text(yaml.safe_dump(nic))
    (folder / "fabric.yaml").write_text(yaml.safe_dump(intent))
    return folder


def rendered(folder: Path, wanted: Ends) -> Outcome:
    """The config_db.json of one leaf and one spine; without PFC where the HwSKU is not made for it."""
    outcome = _rendered(folder / "lossless", wanted, lossless=True)
    return _rendered(folder / "lossy", wanted, lossless=False) if outcome.errors else outcome


def _rendered(folder: Path, wanted: Ends, *, lossless: bool) -> Outcome:
    made, bag = diagnose(inventory(folder, wanted, lossless=lossless))
    errors = tuple(f"{each.code} {each.message}" for each in bag if each.severity is Severity.ERROR)
    if errors or made.plan is None or made.platforms is None:
        return Outcome(frozenset(), {}, errors)
    renderer, lowering, files = Renderer(made.platforms, bag), Lowering(made.plan), {}
    for tier in range(2):
        device = lowering.lower_switch(next(each for each in made.plan.switches() if each.tier == tier))
        for file in renderer.render_switch(device):
            if file.path.endswith(FILE):
                files[device.hostname] = json.loads(file.data)
    return Outcome(frozenset(tier.sku for tier in made.plan.tiers), files, ())


@cache
def checker() -> tuple[ModuleType, dict[str, Any]]:
    facts = find_reference("data/sonic_config_db.facts.json")
    return load_program("check_config_db"), json.loads(facts.read_text(encoding="utf-8"))


@cache
def of_release(release: str) -> Any:
    module, facts = checker()
    return module.of_release(facts, release)


def findings(config: dict[str, Any], release: str) -> list[str]:
    """Return what the checker says of a configuration at a release, warnings included."""
    report = checker()[0].Report()
    checker()[0].check(config, of_release(release), report)
    found = [f"{where}: {message}" for _, where, message in report.lines]
    found = [each for each in found if SECRET not in each and UNCHECKED not in each]
    tally.count("config_db, claims", json.dumps(config), release=release, refused=bool(found))
    return found


def test_every_claimed_release_takes_what_is_rendered(tmp_path: Path) -> None:
    checker()
    wanted = sorted(claims())
    if not EVERYTHING:
        wanted = sorted(random.Random(FRESH).sample(wanted, SAMPLE))
    found: dict[str, list[str]] = {}
    pairs, profiles, files, refused = set(), set(), 0, {}
    for number, each in enumerate(wanted):
        outcome = rendered(tmp_path / str(number), each)
        if outcome.errors:
            refused[each] = {error.split()[0] for error in outcome.errors}
            assert refused[each] & NO_TABLES, (each, outcome.errors)
            continue
        for hostname, config in outcome.files.items():
            files += 1
            said = findings(config, each.release)
            if said:
                found[f"{each} {hostname}"] = said[:4]
        pairs.add((each.release, each.model))
        profiles |= {(each.release, sku) for sku in outcome.skus}
    figures = [f"{len(pairs)} (release, board) and {len(profiles)} (release, HwSKU) pairs, {files} files"]
    figures += [f"refused: {len(refused)} of {len(wanted)} fabrics"]
    print(*figures, *(f"  {each}: {sorted(refused[each])}" for each in sorted(refused)), sep="\n")  # noqa: T201 - figures
    assert found == {}


def test_port_rows_are_exactly_those_of_the_hwsku(tmp_path: Path) -> None:
    """The B-O128 has no service ports, and the SN6600_LD has two."""
    lacking = rendered(tmp_path / "b", Ends("arista_7060x6_64pe_b", "202605", (400, 4), (400, 4)))
    assert lacking.skus == {"Arista-7060X6-64PE-B-O128"}
    for config in lacking.files.values():
        assert len(config["PORT"]) == 128
        assert not {"Ethernet512", "Ethernet513"} & config["PORT"].keys()
    both = rendered(tmp_path / "s", Ends("nvidia_sn6600_ld", "202605", (400, 2), (800, 4)))
    for config in both.files.values():
        assert {"Ethernet512", "Ethernet513"} <= config["PORT"].keys()


def test_since_names_the_first_release_whose_models_take_it() -> None:
    """A line of ``since`` is refused before and accepted from then on; file-only lines have no model."""
    manifest = Path(__file__).parents[2] / "templates/switch/sonic/platform.yaml"
    since = yaml.safe_load(manifest.read_text(encoding="utf-8"))["since"]
    checked = 0
    for path, first in since.items():
        table, _, field = path.partition(" > ")
        if not table.isupper():
            continue
        checked += 1
        for release in RELEASES:
            assert (field in _fields(table, release)) == (RELEASES.index(release) >= RELEASES.index(first)), release
    assert checked


def _fields(table: str, release: str) -> set[str]:
    """Fields of every kind of row that a table has in a release; the empty name stands for the table itself."""
    spec = of_release(release)["tables"].get(table)
    if spec is None:
        return set()
    kinds = [*spec.get("objects", {}).values(), *(each.get("fields", {}) for each in spec.get("lists", ()))]
    return {"", *(name for kind in kinds for name in kind)}
