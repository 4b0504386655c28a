"""Commands of EOS that fabricgen writes as ``eos_cli_config_gen`` models them (schema: https://avd.arista.com)."""

from __future__ import annotations

from typing import Any

from .model import Rule, Values, add, child, fill, find, put, text_list
from .routing import ROUTING

UNMODELLED = {
    r"ip load-sharing trident [0-5]$": "Arista EOS User Manual, IPv4: ip load-sharing",
    r"ip(v6)? hardware fib ecmp resilience \S+ capacity \d+ redundancy \d+$": "Arista EOS User Manual, Resilient ECMP",
    "ip load-sharing trident fields ip": "annetutil/annet, implicit.py: lines that EOS hides as defaults",
    r"neighbor \S+ password 0 \S+$": "batfish/batfish, grammar of EOS, encrypt_level",
    r"neighbor \S+ idle-restart-timer \d+$": "batfish/batfish, grammar of EOS; arista.eos, idle_restart_timer",
    r"bandwidth guaranteed \d+$": "batfish/batfish, arista_interface_show_run_all_3: queues of a port of a 7260CX3",
    r"phy link training$": "ROCm gpu-cluster-networking, switch configuration of EOS from 4.33.0F",
    r"mac-address [0-9a-f.]+$": "ipspace/netlab, initial/eos.j2; batfish/batfish, grammar of EOS, if_mac_address",
    "ip local-proxy-arp": "batfish/batfish, fixtures of show running-config all of EOS 4.21.7M",
}
"""Beginnings of commands that pyavd has no key for, as patterns, and who else spells them so."""


def _ecn(data: dict[str, Any], found: Values) -> None:
    low, unit, high, high_unit, percent, weight = found
    data.setdefault("random_detect", {}).setdefault("ecn", {})["threshold"] = {
        "units": unit if unit == high_unit else f"{unit} and {high_unit}",
        "min": int(low),
        "max": int(high),
        "max_probability": int(percent),
        "weight": int(weight),
    }


def _user_secret(data: dict[str, Any], found: Values) -> None:
    name, privilege, role, secret = found
    user = find("local_users", "name")(data, (name,))
    user |= {"privilege": int(privilege), "role": role, "sha512_password": secret}


def _log_host(data: dict[str, Any], found: Values) -> None:
    vrf = find("vrfs", "name")(data.setdefault("logging", {}), found[:1])
    vrf.setdefault("hosts", []).append({"name": found[1], "ports": [int(found[2])], "protocol": "udp"})


def _log_source(data: dict[str, Any], found: Values) -> None:
    find("vrfs", "name", "source_interface")(data.setdefault("logging", {}), found)


def _ntp_server(data: dict[str, Any], found: Values) -> None:
    ntp = data.setdefault("ntp", {})
    ntp["vrf"] = found[0]
    ntp.setdefault("servers", []).append({"name": found[1], "iburst": True})


def _name_server(data: dict[str, Any], found: Values) -> None:
    vrf = find("vrfs", "name")(data.setdefault("ip_name_server", {}), found[:1])
    vrf.setdefault("servers", []).append({"ip_address": found[1]})


def _ssh_list(data: dict[str, Any], found: Values) -> None:
    family, name, vrf = found
    find("vrfs", "name", f"{family}_access_group_in")(data, (vrf, name))


def _attached_host(data: dict[str, Any], found: Values) -> None:
    length = {"prefix_length": int(found[2])} if found[2] else {}
    data[f"{found[0]}_attached_host_route_export"] = {"enabled": True, "distance": int(found[1])} | length


_NO_SWITCHPORT = put("switchport", "enabled", value=False)
_VLAN_INTERFACE = (
    Rule(r"ip virtual-router address (\S+)", text_list("ip_virtual_router_addresses")),
    Rule(r"ipv6 virtual-router address (\S+)", text_list("ipv6_virtual_router_addresses")),
    Rule(r"arp aging timeout (\d+)", put("arp_aging_timeout")),
    Rule(r"ipv6 nd cache expire (\d+)", put("ipv6_nd_cache", "expire")),
    Rule(r"ipv6 nd cache refresh always", put("ipv6_nd_cache", "refresh_always", value=True)),
    Rule(r"(ip|ipv6) attached-host route export (\d+)(?: prefix-length (\d+))?", _attached_host),
)
_GUARDED = (
    Rule(
        r"storm-control unknown-unicast level (\S+)", fill("storm_control", "unknown_unicast", level=0, unit="percent")
    ),
    Rule(r"logging event storm-control discards", put("logging", "event", "storm_control_discards", value=True)),
)
_PORT_CHANNEL = (*_GUARDED, Rule(r"lacp system-id (\S+)", put("lacp_id")))
_MEMBER = (
    Rule(r"channel-group (\d+) mode (\w+)", fill("channel_group", id=0, mode=1)),
    Rule(r"lacp timer (\w+)", put("lacp_timer", "mode")),
)
_COUNTED = (Rule(r"random-detect ecn count", put("random_detect", "ecn", "count", value=True)),)
_INTERFACE = (
    Rule(r"description (.+)", put("description")), Rule(r"no shutdown", put("shutdown", value=False)),
    Rule(r"shutdown", put("shutdown", value=True)), Rule(r"mtu (\d+)", put("mtu")), Rule(r"speed (.+)", fill(speed=0)),
    Rule(r"error-correction encoding reed-solomon", put("error_correction_encoding", "reed_solomon", value=True)),
    Rule(r"error-correction encoding fire-code", put("error_correction_encoding", "fire_code", value=True)),
    Rule(r"no error-correction encoding", put("error_correction_encoding", "enabled", value=False)),
    Rule(r"no switchport", _NO_SWITCHPORT), Rule(r"vrf (\S+)", put("vrf")),
    Rule(r"ip address (\S+)", put("ip_address")),
    Rule(r"ip address (\S+) secondary", text_list("ip_address_secondaries")),
    Rule(r"ipv6 address (\S+)", put("ipv6_address")), Rule(r"ipv6 enable", put("ipv6_enable", value=True)),
    Rule(r"service-profile (\S+)", put("service_profile")),
    Rule(r"service-policy type qos input (\S+)", put("service_policy", "qos", "input")),
    Rule(r"uc-tx-queue (\d)", add("uc_tx_queues", id=0), _COUNTED),
    Rule(r"tx-queue (\d)", add("tx_queues", id=0), _COUNTED),
    Rule(r"link tracking group (\S+) (upstream|downstream)", add("link_tracking_groups", name=0, direction=1)),
    Rule(r"switchport", put("switchport", "enabled", value=True)),
    Rule(r"switchport access vlan (\d+)", put("switchport", "access_vlan")),
    Rule(r"spanning-tree portfast", put("spanning_tree_portfast", value="edge")),
    Rule(r"ptp enable", put("ptp", "enable", value=True)), Rule(r"ptp role (\w+)", put("ptp", "role")),
    Rule(r"ptp announce interval (\S+)", put("ptp", "announce", "interval")),
    Rule(r"ptp delay-req interval (\S+)", put("ptp", "delay_req")),
    Rule(r"ptp sync-message interval (\S+)", put("ptp", "sync_message", "interval")),
)  # fmt: skip


def _matched_list(data: dict[str, Any], found: Values) -> None:
    data[found[0]] = {"access_group": found[1]}


_STANDARD_LIST = (Rule(r"(\d+) ((?:permit|deny) \S+)", add("sequence_numbers", sequence=0, action=1)),)
_POLICY_CLASS = (
    Rule(r"set dscp (\S+)", put("set", "dscp")),
    Rule(r"set traffic-class (\d)", put("set", "traffic_class")),
)
_QUEUE = (
    Rule(r"(no priority|priority strict)", put("priority")),
    Rule(r"bandwidth percent (\d+)", put("bandwidth_percent")),
    Rule(
        r"random-detect ecn minimum-threshold (\d+) (\w+) maximum-threshold (\d+) (\w+) "
        r"max-mark-probability (\d+) weight (\d+)",
        _ecn,
    ),
)
_PROFILE = (
    Rule(r"qos trust (\w+)", put("trust")),
    Rule(r"priority-flow-control on", put("priority_flow_control", "enabled", value=True)),
    Rule(
        r"priority-flow-control priority (\d) no-drop",
        add("priority_flow_control", "priorities", priority=0, no_drop=True),
    ),
    Rule(r"priority-flow-control pause watchdog", put("priority_flow_control", "watchdog", "enabled", value=True)),
    Rule(r"uc-tx-queue (\d)", add("uc_tx_queues", id=0), _QUEUE),
    Rule(r"tx-queue (\d)", add("tx_queues", id=0), _QUEUE),
)


COMMANDS: tuple[Rule, ...] = (
    Rule(r"hostname (\S+)", put("hostname")), Rule(r"vrf instance (\S+)", find("vrfs", "name")),
    Rule(r"interface (Management\S+)", add("management_interfaces", name=0), _INTERFACE),
    Rule(r"interface (Loopback\S+)", add("loopback_interfaces", name=0), _INTERFACE),
    Rule(r"interface (Ethernet\S+)", add("ethernet_interfaces", name=0), (*_INTERFACE, *_MEMBER, *_GUARDED)),
    Rule(r"interface (Port-Channel\S+)", add("port_channel_interfaces", name=0), (*_INTERFACE, *_PORT_CHANNEL)),
    Rule(r"interface (Vlan\S+)", add("vlan_interfaces", name=0), (*_INTERFACE, *_VLAN_INTERFACE)),
    Rule(r"vlan (\d+)", add("vlans", id=0), (Rule(r"name (\S+)", put("name")),)),
    Rule(r"link tracking group (\S+)", add("link_tracking_groups", name=0),
        (Rule(r"recovery delay (\d+)", put("recovery_delay")),)),
    Rule(r"mac address-table aging-time (\d+)", put("mac_address_table", "aging_time")),
    Rule(r"lacp port-id range (\d+) (\d+)", fill("lacp", "port_id", "range", begin=0, end=1)),
    Rule(r"ip virtual-router mac-address (\S+)", put("ip_virtual_router_mac_address")),
    Rule(r"no ip icmp redirect", put("ip_icmp_redirect", value=False)),
    Rule(r"no ipv6 icmp redirect", put("ipv6_icmp_redirect", value=False)),
    Rule(r"management ssh", child("management_ssh"),
        (Rule(r"(ip|ipv6) access-group (\S+) vrf (\S+) in", _ssh_list), Rule(r"shutdown", put("enable", value=False)),
            Rule(r"vrf (\S+)", find("vrfs", "name"), (Rule(r"no shutdown", put("enable", value=True)),)))),
    Rule(r"no aaa root", put("aaa_root", "disabled", value=True)),
    Rule(r"username (\S+) privilege (\d+) role (\S+) secret sha512 (\S+)", _user_secret),
    Rule(r"username (\S+) ssh-key (.+)", find("local_users", "name", "ssh_key")),
    Rule(r"tacacs-server host (\S+) vrf (\S+) key (\S+) (\S+)",
        add("tacacs_servers", "hosts", host=0, vrf=1, key_type=2, key=3)),
    Rule(r"aaa group server (tacacs\+) (\S+)", add("aaa_server_groups", type=0, name=1),
        (Rule(r"server (\S+) vrf (\S+)", add("servers", server=0, vrf=1)),)),
    Rule(r"aaa authentication login default (group \S+ local)", put("aaa_authentication", "login", "default")),
    Rule(r"aaa authorization exec default (group \S+ local)", put("aaa_authorization", "exec", "default")),
    Rule(r"aaa accounting exec default (\S+) (group) (\S+)",
        fill("aaa_accounting", "exec", "default", type=0, methods=lambda g: [{"method": g[1], "group": g[2]}])),
    Rule(r"aaa accounting commands (all) default (\S+) (group) (\S+)",
        add("aaa_accounting", "commands", "default", commands=0, type=1,
            methods=lambda g: [{"method": g[2], "group": g[3]}])),
    Rule(r"ip tacacs vrf (\S+) source-interface (\S+)", add("ip_tacacs_source_interfaces", vrf=0, name=1)),
    Rule(r"clock timezone (\S+)", put("clock", "timezone")), Rule(r"ntp local-interface vrf (\S+) (\S+)",
        fill("ntp", "local_interface", vrf=0, name=1)),
    *(Rule(rf"ptp {key} (\S+)", put("ptp", key)) for key in ("domain", "mode", "priority1", "priority2")),
    *(Rule(rf"ptp message-type {kind} dscp (\d+) default", put("ptp", "message_type", kind, "dscp"))
      for kind in ("event", "general")),
    Rule(r"ntp server vrf (\S+) (\S+) iburst", _ntp_server), Rule(r"ip name-server vrf (\S+) (\S+)", _name_server),
    Rule(r"logging trap (\S+)", put("logging", "trap")), Rule(r"logging vrf (\S+) host (\S+) (\d+)", _log_host),
    Rule(r"logging vrf (\S+) source-interface (\S+)", _log_source),
    Rule(r"snmp-server contact (.+)", put("snmp_server", "contact")),
    Rule(r"snmp-server location (.+)", put("snmp_server", "location")),
    Rule(r"snmp-server community (\S+) (ro|rw)", add("snmp_server", "communities", name=0, access=1)),
    Rule(r"snmp-server ipv4 access-list (\S+) vrf (\S+)", add("snmp_server", "ipv4_acls", name=0, vrf=1)),
    Rule(r"snmp-server ipv6 access-list (\S+) vrf (\S+)", add("snmp_server", "ipv6_acls", name=0, vrf=1)),
    Rule(r"(no )?snmp-server vrf (\S+)", add("snmp_server", "vrfs", name=1, enable=lambda found: not found[0])),
    Rule(r"management security", child("management_security"),
        (Rule(r"ssl profile (\S+)", add("ssl_profiles", name=0),
            (Rule(r"certificate (\S+) key (\S+)", fill("certificate", file=0, key=1)),
            Rule(r"trust certificate (\S+)", text_list("trust_certificate", "certificates")))),)),
    Rule(r"management api gnmi", child("management_api_gnmi"),
        (
            Rule(r"transport grpc (\S+)", add("transport", "grpc", name=0),
                (Rule(r"ssl profile (\S+)", put("ssl_profile")), Rule(r"port (\d+)", put("port")),
                    Rule(r"vrf (\S+)", put("vrf")), Rule(r"ip access-group (\S+)", put("ip_access_group")))),
            Rule(r"provider (\S+)", put("provider")))),
    Rule(r"lldp timer (\d+)", put("lldp", "timer")), Rule(r"lldp hold-time (\d+)", put("lldp", "holdtime")),
    Rule(r"lldp management-address vrf (\S+)", put("lldp", "vrf")),
    Rule(r"lldp management-address (\S+)", put("lldp", "management_address")),
    Rule(r"qos map dscp ((?:\d+ )+to traffic-class \d)", text_list("qos", "map", "dscp")),
    Rule(r"qos map traffic-class (\d to tx-queue \d)", text_list("qos", "map", "traffic_class")),
    Rule(r"hardware counter feature (\S+) (\S+)", add("hardware_counters", "features", name=0, direction=1)),
    Rule(r"qos profile (\S+)", add("qos_profiles", name=0), _PROFILE),
    Rule(r"ip access-list standard (\S+)", add("standard_access_lists", name=0), _STANDARD_LIST),
    Rule(r"ipv6 access-list standard (\S+)", add("ipv6_standard_access_lists", name=0), _STANDARD_LIST),
    Rule(r"ip access-list (\S+)", add("ip_access_lists", name=0),
        (Rule(r"(\d+) (permit) (udp) any any eq (\d+) dscp (\d+)",
            add("entries", sequence=0, action=1, protocol=2, source="any", destination="any",
                destination_ports_match="eq", destination_ports=lambda found: [found[3]], dscp=4)),)),
    Rule(r"ipv6 access-list (\S+)", add("ipv6_access_lists", name=0),
        (Rule(r"(\d+) (permit udp any any eq \d+ dscp \d+)", add("sequence_numbers", sequence=0, action=1)),)),
    Rule(r"class-map type qos match-any (\S+)", add("class_maps", "qos", name=0),
        (Rule(r"match (ip|ipv6) access-group (\S+)", _matched_list),)),
    Rule(r"policy-map type quality-of-service (\S+)", add("policy_maps", "qos", name=0),
        (Rule(r"class (\S+)", add("classes", name=0), _POLICY_CLASS),)),
    Rule(r"priority-flow-control pause watchdog default timeout (\S+)",
        put("priority_flow_control", "watchdog", "timeout")),
    Rule(r"priority-flow-control pause watchdog default recovery-time (\S+)",
        put("priority_flow_control", "watchdog", "recovery_time")),
    Rule(r"priority-flow-control pause watchdog default polling-interval (\S+)",
        put("priority_flow_control", "watchdog", "polling_interval")),
    Rule(r"priority-flow-control pause watchdog action (\S+)", put("priority_flow_control", "watchdog", "action")),
    *ROUTING,
)  # fmt: skip
"""Every command; the first pattern that fits the whole line counts."""
