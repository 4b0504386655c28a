"""Random contracts: classes, marking, watchdog, load balancing, services. None of it moves a cable.

What reaches the NICs is drawn less often than the rest: the scripts of hosts are really run when a tree is read back,
once for each text, and that takes longer than all else.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .hardware import BOXES

Data = dict[str, Any]
CLASSES: dict[str, Data] = {
    "roce": {"dscp": 26, "priority": 3, "lossless": True, "weight_pct": 95},
    "cnp": {"dscp": 46, "priority": 6, "strict": True},
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


def write_contract(draw: st.DrawFn, data: Data, model: str) -> None:
    """Add what an intent says beside its devices and cables."""
    for key, part in (
        ("lossless", _lossless(draw, data, model)),
        ("routing", _routing(draw)),
        ("collectives", _collectives(draw)),
        ("operations", _operations(draw, data)),
    ):
        if part:
            data[key] = part


def _one_of(draw: st.DrawFn, *items: Any) -> Any:
    return draw(st.sampled_from(items))


def _lossless(draw: st.DrawFn, data: Data, model: str) -> Data:
    own = _one_of(draw, False, False, False, True)
    mode = _one_of(draw, "dcqcn", "pfc_only", "ecn_only") if own else "dcqcn"
    found: Data = {}
    if mode != "dcqcn":
        found |= {"mode": mode, "reason": "drawn"}
    if own:
        found["classes"] = _one_of(draw, CLASSES, OWN_CLASSES)
    if mode != "pfc_only":
        ecn = _ecn(draw, data, model)
        found |= {"ecn": ecn} if ecn else {}
    if _one_of(draw, False, True):
        action = _one_of(draw, "drop", "forward")
        found["watchdog"] = {"detection_ms": _one_of(draw, 200, 300, 400), "restoration_ms": 500, "action": action}
    found["headroom"] = {"pool_oversubscription_max": 100}
    return found


def _ecn(draw: st.DrawFn, data: Data, model: str) -> Any:
    """Marking: computed, a profile, values, or these per speed or tier."""
    values = {"kmin_bytes": 200_000, "kmax_bytes": 800_000, "pmax_pct": draw(st.integers(1, 100))}
    speeds = {link["speed"] for link in data["links"].values()}
    forms: list[Any] = ["computed", values, None]
    forms.append({_one_of(draw, *sorted(speeds)): values, _one_of(draw, *data["tiers"]): "computed"})
    profiles = BOXES[model].ecn
    if speeds <= {f"{gbps}G" for gbps in profiles}:
        forms.append(_one_of(draw, *(name for gbps in profiles for name in profiles[gbps])))
    return _one_of(draw, *forms)


def _routing(draw: st.DrawFn) -> Data:
    found: Data = {}
    if _one_of(draw, False, True):
        found["asn"] = {"base": _one_of(draw, 4_200_000_000, 4_210_000_000, 64_512)}
    if _one_of(draw, False, True):
        found["bfd"] = _one_of(draw, "auto", "on", "off")
    if _one_of(draw, False, False, True):
        found["ecmp"] = {"decorrelate": _one_of(draw, "auto", "off"), "max_paths": _one_of(draw, "auto", 64)}
    return found


def _collectives(draw: st.DrawFn) -> Data:
    if _one_of(draw, True, False):
        return {}
    return {
        "qps_per_connection": _one_of(draw, 1, 8),
        "split_data_on_qps": _one_of(draw, False, True),
        "socket_interface": _one_of(draw, "eno1", "bond0"),
    }


def _operations(draw: st.DrawFn, data: Data) -> Data:
    found: Data = {}
    for key in ("ntp", "syslog", "dns"):
        if _one_of(draw, False, True):
            found[key] = [f"192.168.0.{10 + at}" for at in range(draw(st.integers(1, 2)))]
    if _one_of(draw, False, False, True):
        tier = _one_of(draw, *data["tiers"])
        data["tiers"][tier]["ecmp"] = {"max_paths": 128}
    if _one_of(draw, False, True):
        found["gnmi"] = {"port": 9339}
    return found
