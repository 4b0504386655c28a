"""Random services of switches."""

from __future__ import annotations

from .dice import Dice
from .hardware import SYSTEMS
from .records import Data

COLLECTORS = {"ipv4": "198.51.100.7", "ipv6": "2001:db8::7"}
GNMI = {
    "server_crt": "/etc/sonic/telemetry/switch.cer",
    "server_key": "/etc/sonic/telemetry/switch.key",
    "ca_crt": "/etc/sonic/telemetry/collectors.cer",
    "clients": ["collector.example.net"],
}
"""Certificates and clients of a server where none runs; every platform takes these files."""
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ netops@example.net"


def draw_operations(dice: Dice, data: Data) -> None:
    """Services that every platform of the fabric has a place for, or leaves to the system beneath."""
    systems = [SYSTEMS[tier["platform"]] for tier in data["tiers"].values()]
    found: Data = {}
    for key in ("ntp", "syslog", "dns"):
        if dice.once_in(2):
            found[key] = [f"192.168.0.{10 + at}" for at in range(dice.up_to(2))]
    if dice.once_in(2):
        found["gnmi"] = {"port": dice.one_of(8080, 9339), **GNMI}
    if dice.once_in(4):
        found["timezone"] = "Europe/Berlin"
    if dice.once_in(3):
        named = {"management": ["192.168.0.0/16", "2001:db8:1::/48"]}
        # Without the ACL some platforms refuse BFD, which must then not be asked for.
        asked = data.get("routing", {}).get("bfd") == "on"
        found["access"] = dice.one_of(named, named | {"acl": True}, *([] if asked else [{"acl": False}]))
    if dice.once_in(5):
        found["snmp"] = {"community": {"secret": dice.one_of("env:COMMUNITY", "sops:snmp.yaml#read")}}
        found["snmp"] |= {"location": "hall 1", "contact": "netops@example.net"} if dice.once_in(2) else {}
    if all(each.has_users for each in systems) and dice.once_in(3):
        user = {"name": "netops", "password_hash": {"secret": "vault:secret/fabric#netops"}}
        found["users"] = [user | ({"ssh_key": KEY} if dice.once_in(2) else {})]
    if dice.once_in(5) or "users" not in found:
        found["tacacs"] = {"servers": ["192.168.0.30"], "key": {"secret": "file:secrets/tacacs.key"}}
    if all(each.has_sflow for each in systems) and dice.once_in(2):
        families = data.get("addressing", {}).get("families", ["ipv4"])
        found["sflow"] = {"collector": COLLECTORS[families[0]], "sampling_rate": 50_000}
    if found:
        data["operations"] = found
