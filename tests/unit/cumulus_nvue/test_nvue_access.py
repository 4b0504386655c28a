"""Access to the switch: SSH in the management VRF only, services from the prefixes of management."""

from __future__ import annotations

from typing import Any

from tests.unit.conformance_files import settings, startup_texts

ACL, MANAGEMENT = ("operations", "access", "acl"), ("operations", "access", "management")
WITHOUT_GNMI = (("operations", "gnmi"), ("exceptions",), ("expect",))
LEAF = "leaf-p1-u01-r0"
STOCK = ("acl-default-dos", "acl-default-whitelist")


def rows(acl: dict[str, Any]) -> list[tuple[str, int, str, str]]:
    """Protocol, port, source and action of each rule, in the order of the numbers."""
    found = []
    for _, rule in sorted(acl["rule"].items(), key=lambda item: int(item[0])):
        match, (action,) = rule["match"]["ip"], rule["action"]
        (port,) = match[match["protocol"]]["dest-port"]
        found.append((match["protocol"], int(port), match.get("source-ip", ""), action))
    return found


def test_services_come_from_the_prefixes_of_management_and_from_nowhere_else() -> None:
    for text in startup_texts({MANAGEMENT: ["192.168.0.0/16", "10.9.0.0/24", "2001:db8::/48"]}).values():
        lists = settings(text)["acl"]
        port = settings(text)["system"]["gnmi-server"]["port"]
        services = (("tcp", 22), ("udp", 161), ("tcp", port))
        assert rows(lists["fabricgen-access"]) == [
            (protocol, number, source, action)
            for protocol, number in services
            for source, action in (("10.9.0.0/24", "permit"), ("192.168.0.0/16", "permit"), ("", "deny"))
        ]
        assert rows(lists["fabricgen-access6"]) == [
            (protocol, number, source, action)
            for protocol, number in services
            for source, action in (("2001:db8::/48", "permit"), ("", "deny"))
        ]
        assert {name: acl["type"] for name, acl in lists.items()} == {
            "fabricgen-access": "ipv4", "fabricgen-access6": "ipv6"
        }  # fmt: skip


def test_nothing_is_guarded_where_the_intent_turns_it_off() -> None:
    for text in startup_texts({ACL: False}).values():
        found = settings(text)
        assert "acl" not in found
        assert "control-plane" not in found["system"]


def test_no_gnmi_unless_asked() -> None:
    for text in startup_texts(without=WITHOUT_GNMI).values():
        found = settings(text)
        assert "gnmi" not in text
        assert {port for _, port, _, _ in rows(found["acl"]["fabricgen-access"])} == {22, 161}
