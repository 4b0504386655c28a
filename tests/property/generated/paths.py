"""Random routing: AS numbers, BFD, and how switches choose among equal paths."""

from __future__ import annotations

from .dice import Dice
from .hardware import NICS, SYSTEMS, System
from .records import Data


def draw_routing(dice: Dice, data: Data) -> None:
    """Draw the routing of the fabric, and the deviations of single tiers."""
    systems = {name: SYSTEMS[tier["platform"]] for name, tier in data["tiers"].items()}
    found: Data = {}
    if dice.once_in(2):
        found["asn"] = {"base": dice.one_of(4_200_000_000, 4_210_000_000, 64_512)}
        if dice.once_in(3):
            found["asn"]["scheme"] = "rfc7938"
    if dice.once_in(2):
        found["bfd"] = dice.one_of("auto", "off", *(["on"] if all(each.has_bfd for each in systems.values()) else []))
    found |= _timers(dice, own=all(each.weighs for each in systems.values()))
    if dice.once_in(4):
        found["security"] = {"ttl": dice.one_of("auto", "on", "off")}
    if dice.once_in(3):
        found.setdefault("security", {})["key"] = {"secret": dice.one_of("env:BGP_KEY", "file:secrets/bgp.key")}
    ways = ["static"] + ["bgp"] * 3 * _may_speak(data)
    if dice.once_in(4):
        found["hosts"] = dice.one_of(*ways)
    if {tier["platform"] for tier in data["tiers"].values()} == {"cumulus_nvue"}:
        found["unreachability"] = dice.one_of("on", "off")
        release = dice.one_of("5.17", "5.18")
        data["tiers"].update({name: {**tier, "release": release} for name, tier in data["tiers"].items()})
    if dice.once_in(2):
        found["ecmp"] = _adaptive(dice, _ecmp(dice, data, list(systems.values())), data)
        weighs = ["on"] if all(each.weighs for each in systems.values()) else []
        found["ecmp"] |= {"weights": dice.one_of("auto", "off", *weighs)} if dice.once_in(3) else {}
    if found:
        data["routing"] = found
    for name, system in systems.items():
        if dice.once_in(6):
            data["tiers"][name]["ecmp"] = _adaptive(dice, _ecmp(dice, data, [system]), data)


def _timers(dice: Dice, *, own: bool) -> Data:
    """Draw timers of sessions; platforms of FRR have others than the hold time."""
    more = {"keepalive_s": 1, "connect_retry_s": dice.one_of("auto", 5), "advertisement_s": 1} if own else {}
    return {"timers": {"hold_s": dice.one_of(3, 6, 9), **more}} if dice.once_in(4) else {}


def _may_speak(data: Data) -> bool:
    """Return whether hosts can run BGP: in IPv4 alone, and without bonds."""
    only_ipv4 = data.get("addressing", {}).get("families", ["ipv4"]) == ["ipv4"]
    return only_ipv4 and data["attachment"].get("bond", "none") == "none"


def _may_adapt(data: Data) -> bool:
    """Return whether switches, NICs and links are those of Spectrum-X; what the fabric draws of it is adaptive then."""
    box = ("cumulus_nvue", "nvidia_sn5600")
    boxes = all((tier["platform"], tier["model"]) == box for tier in data["tiers"].values())
    nics = all(group["nic"].startswith(("bluefield3", "connectx8")) for group in data["hosts"].values())
    return boxes and nics and _speeds(data) <= {"200G", "400G"} and data["attachment"].get("bond", "none") == "none"


def _adaptive(dice: Dice, found: Data, data: Data) -> Data:
    """Return settings that balance by adaptive routing where the fabric may, and as they are elsewhere."""
    if not _may_adapt(data):
        return found
    kept = {key: value for key, value in found.items() if key not in ("flowlet_gap_us", "resilient")}
    return kept | {"load_balancing": dice.one_of("adaptive", "adaptive", "auto")}


def _ecmp(dice: Dice, data: Data, systems: list[System]) -> Data:
    found: Data = {}
    if dice.once_in(2):
        found["decorrelate"] = dice.one_of("auto", "off")
    if dice.once_in(2):
        found["max_paths"] = dice.one_of("auto", 64)
    if dice.once_in(2):
        extra = [word for word in ("roce_dest_qp", "ingress_port") if all(word in each.hashes for each in systems)]
        found["hash"] = dice.one_of(["five_tuple"], *(["five_tuple", word] for word in extra))
    any_order = all(NICS[group["nic"]].any_order for group in data["hosts"].values())
    words = [word for word in ("flowlet", "per_packet") if all(word in each.balances for each in systems)]
    words = [word for word in words if (any_order and _speeds(data) <= {"200G", "400G"}) or word == "flowlet"]
    if words and not dice.once_in(4):
        found["load_balancing"] = dice.one_of(*words, *words[-1:])
        own_gap = found["load_balancing"] == "flowlet" and all("per_packet" in each.balances for each in systems)
        found |= {"flowlet_gap_us": dice.one_of("auto", 32)} if own_gap and dice.once_in(2) else {}
    elif dice.once_in(3) or not found:
        found["load_balancing"] = dice.one_of("static", "static", "auto")
        found |= {"max_paths": 128} if dice.once_in(3) else {}
    found |= {"resilient": False} if dice.once_in(6) else {}
    return found


def _speeds(data: Data) -> set[str]:
    return {link["speed"] for link in data["links"].values()}
