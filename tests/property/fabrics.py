"""Random legal fabrics, and planning them without files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.diagnostics import Bag, Severity
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner import PlatformFacts, build_plan

KIT = Path(__file__).parents[1] / "cases" / "kits" / "switch.yaml"
SWITCH, SERVER, NIC = "wide_switch", "dgx_h100_8", "connectx7_400g"
CAGES = 320
RAILS = 8
NAMES = {
    "leaf": "leaf-{pod}-{unit}-{group}",
    "spine": "spine-{pod}-{group}-{index}",
    "core": "core-{pod}-{group}-{index}",
}
HOST_NAME = "host-{pod}-{unit}-{host}"

Data = dict[str, Any]


@cache
def catalog() -> Catalog:
    """A server, a NIC, and a switch with more ports than any fabric here needs."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "switches" / f"{SWITCH}.yaml"
        file.parent.mkdir()
        text = KIT.read_text(encoding="utf-8").replace("@NAME@", SWITCH).replace("1-16", f"1-{CAGES}")
        file.write_text(text, encoding="utf-8")
        bag = Bag()
        catalog = load_catalog(
            switches={SWITCH: ()},
            nics={NIC: ()},
            servers={SERVER: ()},
            own=(OwnFolder(Path(folder), Path(folder)),),
            bag=bag,
        )
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    return catalog


def plan_fabric(data: Data) -> FabricPlan:
    """The plan of a fabric, which must be free of errors."""
    bag = Bag()
    plan = build_plan(FabricIntent.model_validate(data), catalog(), {"any": PlatformFacts(bfd=True)}, {}, bag)
    assert [d.message for d in bag if d.severity is Severity.ERROR and d.code != "FG-TOP-013"] == []
    return plan


@st.composite
def fabrics(draw: st.DrawFn) -> Data:
    """Two or three tiers, mesh or striped, with and without pods and maxima."""
    tiers = draw(st.integers(2, 3))
    pods = draw(st.integers(1, 3)) if tiers == 3 or draw(st.booleans()) else None
    units = draw(st.integers(1, 3))
    rails_per_leaf = draw(st.sampled_from([1, 2, 4, 8]))
    groups = RAILS // rails_per_leaf
    rail_only = draw(st.booleans())
    width = draw(st.integers(1, 3))
    spines = groups * width if rail_only else draw(st.integers(1, 6))
    spine_scope = draw(st.sampled_from(["pod", "fabric"])) if tiers == 3 else "fabric"
    data: Data = {
        "fabric": "random",
        "hosts": {"gpu": {"server": SERVER, "nic": NIC, "per_unit": _count(draw, draw(st.integers(1, 3)), 4)}},
        "units": _count(draw, units, 4),
        "attachment": {"rails_per_leaf": rails_per_leaf},
        "tiers": {
            "leaf": {"model": SWITCH, "platform": "any"},
            "spine": {"model": SWITCH, "platform": "any", "per": spine_scope, "count": spines},
        },
        "links": {
            "host-leaf": {"speed": "400G", "cable": {"media": "dac", "length_m": 3}},
            "leaf-spine": _links(draw, "rail" if rail_only else None),
        },
    }
    if pods is not None:
        data["pods"] = _count(draw, pods, 4)
    if tiers == 3:
        striped = draw(st.booleans()) and not rail_only
        cores = spines * draw(st.integers(1, 2)) if striped else draw(st.integers(1, 4))
        data["tiers"]["core"] = {"model": SWITCH, "platform": "any", "per": "fabric", "count": cores}
        data["links"]["spine-core"] = _links(draw, "index" if striped else None)
    if draw(st.booleans()):
        _number(draw, data)
    data["hosts"]["gpu"]["name"] = HOST_NAME
    for name, tier in data["tiers"].items():
        tier["name"] = NAMES[name]
    return data


def _number(draw: st.DrawFn, data: Data) -> None:
    """Leafs and spines with numbers of their own, in an order in which what has no maximum stays outside."""
    shuffled = ["group", "host", "port", *(["unit"] if "pods" in data else [])]
    first = ["pod"] if "pods" in data else ["pod", "unit"]
    order = [*first, *draw(st.permutations(shuffled))]
    own = [name for name in order if name not in ("host", "port")]
    links = draw(st.permutations(["port", "group", *(["unit"] if "pods" in data else [])]))
    series = {"host_links": {"order": order}, "fabric_links": {"order": [*first, *links]}}
    series["loopbacks"] = {"first": "10.255.128.0", "order": own, "strides": {own[-1]: draw(st.integers(1, 2))}}
    if len(data["tiers"]) == 3:
        del series["fabric_links"]
    scopes = ["pod"] if data["tiers"]["spine"]["per"] == "pod" and "pods" in data else []
    stripes = ["group"] if "pattern" in data["links"]["leaf-spine"] else []
    data["addressing"] = {"series": {"leaf": series}}
    data["routing"] = {"asn": {"series": {"spine": {"first": 4_290_000_000, "order": [*scopes, *stripes, "index"]}}}}


def _count(draw: st.DrawFn, count: int, room: int) -> Any:
    return {"count": count, "max": draw(st.integers(max(count, room - 1), room))} if draw(st.booleans()) else count


def _links(draw: st.DrawFn, stripe: str | None) -> Data:
    links: Data = {"speed": "400G", "per_pair": draw(st.integers(1, 2)), "cable": {"media": "smf", "length_m": 30}}
    return links | ({"pattern": {"stripe": stripe}} if stripe else {})
