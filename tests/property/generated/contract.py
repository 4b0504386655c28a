"""Random lossless contracts and collective libraries; what reaches the NICs, and is slow to read back, is rarer."""

from __future__ import annotations

from typing import Any

from .dice import Dice
from .hardware import BOXES, NICS, SERVERS, SYSTEMS
from .records import Data

CLASSES: dict[str, Data] = {
    "roce": {"dscp": 26, "priority": 3, "lossless": True, "strict": False, "weight_pct": 95},
    "cnp": {"dscp": 46, "priority": 6, "lossless": False, "strict": True},
    "control": {"dscp": [48, 56], "priority": 7, "strict": True},
    "default": {"priority": 0, "weight_pct": 5},
}
OWN_CLASSES: dict[str, Data] = {
    "training": {"dscp": [24, 30], "priority": 4, "lossless": True, "weight_pct": 70},
    "cnp": {"dscp": 44, "priority": 5, "strict": True},
    "control": {"dscp": [48, 56], "priority": 7, "strict": True},
    "bulk": {"dscp": 10, "priority": 1, "weight_pct": 10},
    "default": {"priority": 0, "weight_pct": 20},
}
CREDIT_CLASSES: dict[str, Data] = {
    **{name: CLASSES[name] for name in ("cnp", "control")},
    "roce": {"dscp": 26, "priority": 3, "lossless": True, "weight_pct": 60},
    "storage": {"dscp": 18, "priority": 4, "lossless": True, "weight_pct": 35},
    "cts": {"dscp": 34, "priority": 5, "strict": True},
    "default": {"priority": 0, "weight_pct": 5},
}


OF_ANY_SPEED = ("nvidia_default", "azure_storage_sparse")
"""Profiles of the catalog that name no speed."""


def draw_lossless(dice: Dice, data: Data) -> None:
    """Mode, classes, marking, DCQCN, watchdog."""
    own = dice.once_in(4)
    mode = dice.one_of("dcqcn", "pfc_only", "ecn_only") if own else "dcqcn"
    found: Data = {"headroom": {"pool_oversubscription_max": 100}}
    if own or dice.once_in(10):
        found["mode"] = mode
    if mode != "dcqcn":
        found["reason"] = "drawn"
    if own:
        found["classes"] = dice.one_of(CLASSES, OWN_CLASSES, *([CREDIT_CLASSES] if _has_room_for_two(data) else []))
        if mode == "dcqcn" and dice.once_in(2):
            found["dcqcn"] = {"rpg_ai_rate": dice.one_of(10, 20)}
    if mode != "pfc_only":
        ecn = _ecn(dice, data)
        found |= {"ecn": ecn} if ecn else {}
    if dice.once_in(2):
        platforms = {tier["platform"] for tier in data["tiers"].values()}
        common = [a for a in ("drop", "forward", "alert") if all(a in SYSTEMS[name].actions for name in platforms)]
        found["watchdog"] = {"action": dice.one_of(*common)}
        found["watchdog"] |= {"detection_ms": dice.one_of(200, 300, 400)} if dice.once_in(2) else {}
        found["watchdog"] |= {"restoration_ms": 500} if dice.once_in(2) else {}
    if dice.once_in(4):
        found["rtt_us"] = dice.one_of(6, 10.5)
    if SYSTEMS[next(iter(data["tiers"].values()))["platform"]].marks and dice.once_in(2):
        found["mark_unmarked"] = dice.one_of(True, True, False)
    data["lossless"] = found


def _has_room_for_two(data: Data) -> bool:
    """No buffer is too small to mark before two lossless priorities pause all of its ports (FG-QOS-031)."""
    models = {tier["model"] for tier in data["tiers"].values()}
    return "nvidia_sn5600" not in models or "200G" not in {link["speed"] for link in data["links"].values()}


def _ecn(dice: Dice, data: Data) -> Any:
    """Marking: computed, a profile, values, or these per speed or tier."""
    values = {"kmin_bytes": 200_000, "kmax_bytes": 800_000, "pmax_pct": dice.between(1, 100)}
    speeds = {link["speed"] for link in data["links"].values()}
    forms: list[Any] = ["computed", values, None, dice.one_of(*OF_ANY_SPEED)]
    forms.append({dice.one_of(*sorted(speeds)): values, dice.one_of(*data["tiers"]): "computed"})
    profiles = {tier: found for tier in data["tiers"] if (found := _profiles(data, tier))}
    if profiles:
        tier = dice.one_of(*profiles)
        forms.append({tier: dice.one_of(*profiles[tier])})
    if len(profiles) == len(data["tiers"]) and len({*profiles.values()}) == 1:
        forms += [dice.one_of(*profiles[tier])] * 2
    return dice.one_of(*forms)


def _profiles(data: Data, tier: str) -> tuple[str, ...]:
    speeds = {link["speed"] for name, link in data["links"].items() if tier in name.split("-")}
    profiles = BOXES[data["tiers"][tier]["model"]].ecn
    return next((names for gbps, names in profiles.items() if {f"{gbps}G"} == speeds), ())


def draw_collectives(dice: Dice, data: Data) -> None:
    if dice.once_in(2):
        return
    found: Data = {
        "qps_per_connection": dice.one_of(1, 8),
        "split_data_on_qps": dice.one_of(False, True),
        "socket_interface": dice.one_of("eno1", "bond0"),
    }
    vendors = {SERVERS[group["server"]].vendor for group in data["hosts"].values() if SERVERS[group["server"]].gpus}
    libraries = [None] + {"nvidia": ["nccl", "vccl"], "amd": ["rccl"]}[min(vendors)] * (len(vendors) == 1)
    library = dice.one_of(*libraries)
    if library and dice.once_in(2):
        found["library"] = library
    if dice.once_in(3):
        found["fault_tolerance"] = _has_backup(data, found.get("library"))
    if found.get("library") == "vccl" and _rails_meet(data) and dice.once_in(4):
        found |= {"sm_free": True, "fault_tolerance": False}
    elif dice.once_in(6):
        found["sm_free"] = False
    if not found.get("sm_free") and dice.once_in(4):
        found["telemetry"] = dice.one_of(True, True, False)
        found |= {"telemetry_path": "/var/log/library"} if dice.once_in(2) else {}
    if dice.once_in(4):
        found["variables"] = {"NCCL_BUFFSIZE": {"value": dice.one_of(4194304, 8388608), "reason": "measured"}}
    if dice.once_in(4):
        found |= {"timeout_exponent": dice.one_of(20, 21), "retry_count": 7}
    if dice.once_in(3):
        found["topology_file"] = dice.one_of("none", *_topologies(data))
    data["collectives"] = found


def _rails_meet(data: Data) -> bool:
    """Return whether some tier joins the rails: one whose links are not striped by them."""
    between = [link for name, link in data["links"].items() if not name.endswith(f"-{next(iter(data['tiers']))}")]
    return any(link.get("pattern") != {"stripe": "rail"} for link in between)


def _topologies(data: Data) -> list[str]:
    """Forms of a topology file that can be had of every server whose library reads one."""
    servers = [SERVERS[group["server"]] for group in data["hosts"].values()]
    readers = [server for server in servers if server.gpus and server.vendor == "nvidia"]
    return [form for form in ("pci", "rails") if all(form in server.topologies for server in readers)]


def _has_backup(data: Data, library: str | None) -> bool:
    """Return whether connections of every host with GPUs have another device to go on over."""
    groups = [group for group in data["hosts"].values() if SERVERS[group["server"]].gpus]
    if library == "vccl":
        return _rails_meet(data)
    bonds = data["attachment"].get("bond", "none") != "none"
    return not bonds and all(NICS[group["nic"]].ports > 1 for group in groups)
