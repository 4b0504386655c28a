"""Secrets in lines: each place that netconan and RANCID know, what looks like one, and nothing else."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics.secrets import find_secrets, hide_secrets, is_reference

SECRETS = ("hunter", "Tr0ub4dor", "0822455D0A16", "$1$wtHI$0rN7R8PKwC30AsCGA77vy.", "private", "1234abcd")
LINES = (
    "password 7 {}", "password level 12 5 {}", "enable secret {}", "enable secret sha512 {}", "ip ftp password 0 {}",
    "username a view v password 7 {}", "username a secret 5 {}", "username a privilege 15 role x secret {}",
    "ip ospf authentication-key 0 {}", "ip ospf message-digest-key 1 md5 3 {}", "isis password {} level-1",
    "domain-password {} authenticate snp validate", "area-password md5 {}", "standby authentication {}",
    "standby authentication md5 key-string 7 {} timeout 9", "standby authentication text {}",
    "authentication text {}", "vrrp 2 authentication text {}", "l2tp tunnel password 0 {}",
    "digest secret 0 {} hash MD5", "ppp chap password {}", "ppp chap hostname {}", "pre-shared-key local 0 {}",
    "pre-shared-key remote hex {}", "key hexadecimal {}", "pre-shared-key address 192.0.2.1 key 6 {}",
    "pre-shared-key hostname example.com key {}", "key-hash sha256 {}", "tacacs-server host 192.0.2.1 key {}",
    "radius-server host 192.0.2.1 vrf M key 0 {}", "tacacs-server key 7 {}",
    "ntp authentication-key 4294967295 md5 7 {}", "ntp authentication-key 1 md5 {} 1", "syscon address 192.0.2.1 {}",
    "snmp-server user u g v3 auth sha {0} priv aes 128 {0}", "snmp-server user u g remote r v3 auth md5 {}",
    "snmp-server user u g v3 auth sha {0} priv {0} x", "snmp-server community {} ro 1", "rf-switch snmp-community {}",
    "snmp-server host 192.0.2.1 vrf M informs version 2c {} x", "snmp-server host 192.0.2.1 {} vrrp",
    "snmp-server mib community-map {}:100 context c", "set snmp community {} authorization read-only",
    "set snmp trap-group {} x", "crypto isakmp key 6 {} hostname h", "set session-key inbound ah 4294967295 {}",
    "set session-key outbound esp 256 cipher {0} authenticator {0}", "set password ENC {}", "set pksecret {}",
    'secret "{}"', 'set system root-authentication encrypted-password "{}"', 'authentication-key "{}";',
    "set community {}", 'set system license keys key "{}"', 'ike policy p pre-shared-key ascii-text "{}"',
    '"PreSharedKey": "{}",', "<pre_shared_key>{}</pre_shared_key>", "hello-authentication-key {}",
    "neighbor 192.0.2.1 password 7 {}", "mac security key 0a1b 7 {}", "curl -H 'Authorization: Bearer {}' x",
    "x http://u:{}@192.0.2.1/", "HF_TOKEN={}", "isis authentication key-id 1 algorithm sha-512 key 7 {} level-1",
    "-cvauth=key,{} -cvvrf=MGMT", "its pasword is {}",
)  # fmt: skip
PLAIN = (
    "neighbor LEAF send-community standard extended", "ip community-list CL permit 65000:1", "match community CL",
    "set community 65000:1 additive", "set community no-export", "set community GSHUT additive",
    "set extcommunity soo 192.0.2.1:1 additive", "aaa authentication policy local allow-nopassword-remote-login",
    "username admin role x nopassword", "no enable password", "ip ospf authentication message-digest",
    "isis authentication mode md5", "key size limit 3",
    "isis authentication mode shared-secret profile p algorithm sha-1", "password encryption-key common",
    "key controller", "password policy P", "password minimum length 8",
    "neighbor 192.0.2.1 password shared-secret profile p algorithm a", "certificate leaf.crt key leaf.key",
    "ntp server 192.0.2.1 key 1", "ntp trusted-key 1-3", "no passive-interface Vlan4",
    "exec x -cvauth=token-secure,/tmp/cv-onboarding-token -x", "private-vlan community primary vlan 10", "mac fcs x",
    "description P2P_SPINE1_Ethernet4", "interface PortChannel1001", "monitor session Session18To",
    "hostname Leaf01Unit02", "--dscp2prio set,26,3", "timers bgp 3 9", "router-id 10.255.0.13",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ netops", "key=${setting%=*}",
    "neighbor x password @fabricgen-secret:env:BGP_KEY9a@", "mtu 9214", "ipv6 address 2001:db8::Ab1/64",
)  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_secret_is_hidden_where_one_stands(line: str) -> None:
    for secret in SECRETS:
        shown = hide_secrets(line.format(secret))
        assert secret not in shown, shown
        assert shown.startswith(line.split()[0].partition("{")[0].partition("=")[0])


@pytest.mark.parametrize("line", PLAIN)
def test_what_is_no_secret_is_shown(line: str) -> None:
    assert hide_secrets(line) == line


@pytest.mark.parametrize(
    "token", ["aB3kX9mQ2z", "$6$salt$hash", "$9$Be4EhyVb2GDk", "eyJhbGciOiJIUzI1NiJ9.e30.x", "{SSHA}abc"]
)
def test_what_looks_like_a_secret_is_hidden_anywhere(token: str) -> None:
    (found,) = find_secrets(f"frobnicate {token} x")
    assert found.name == "value"
    assert hide_secrets(f"frobnicate {token} x") == "frobnicate (not shown) x"


def test_what_the_rendered_file_has_may_look_like_a_secret() -> None:
    line = "frobnicate aB3kX9mQ2z password aB3kX9mQ2z"
    assert hide_secrets(line, known={"aB3kX9mQ2z"}) == "frobnicate aB3kX9mQ2z password (not shown)"


def test_a_value_is_judged_with_what_stands_before_it() -> None:
    assert hide_secrets("neighbor x password 7 abc", start=len("neighbor x password ")) == "7 (not shown)"


@pytest.mark.parametrize(
    "text",
    [
        "This is a community supported appliance; visit our community site at: https://www.example.com/support",
        "The SNMP community of the operator. Have your password ready, and the secret token with you.",
        "Press a key to go on; key holders only",
    ],
)
def test_ordinary_words_of_a_text_for_people_are_shown(text: str) -> None:
    assert hide_secrets(text, is_free=True) == text
    for line in (f"neighbor LEAF description {text}", f"banner motd\n{text}\nEOF", f"message {text}"):
        assert hide_secrets(line) == line
    assert hide_secrets(f"banner motd\nx\nEOF\npassword {text.split()[0]}").endswith("password (not shown)")


@pytest.mark.parametrize(
    "text", ["password: {}", "the password is {}", "community={} please", 'key "{}"', "login with token '{}'"]
)
def test_a_secret_in_a_text_for_people_is_hidden(text: str) -> None:
    for secret in SECRETS:
        for line in (f"description {text.format(secret)}", f"banner motd\n{text.format(secret)}\nEOF"):
            assert secret not in hide_secrets(line), line
        assert secret not in hide_secrets(text.format(secret), is_free=True)


def test_a_reference_is_no_secret_and_hides_none() -> None:
    assert is_reference("7 @fabricgen-secret:env:KEY@")
    assert not is_reference("@fabricgen-secret:env:KEY@ hunter2")
    assert hide_secrets("x @fabricgen-secret:env:KEY@ password hunter2").endswith("password (not shown)")
