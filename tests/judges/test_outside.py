"""Every outside judge accepts a right file and finds a planted fault: what nobody has seen fail proves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference_files import find_reference

from . import miniature
from .outside import JUDGES, Judge, judge_tree, must_be_there

SCRIPT = '#!/bin/sh\nset -eu\nfor rail in rail0 rail1; do\n    echo "$rail"\ndone\n'
UNIT = "[Unit]\nDescription=RoCE\n\n[Service]\nType=oneshot\nExecStart=/usr/local/sbin/set-up\n"
RULE = 'ACTION=="add", SUBSYSTEM=="net", KERNELS=="0000:1a:00.0", NAME="rail0"\n'

RIGHT = Path(__file__).parent / "right"
EOS = (RIGHT / "startup-config").read_text()
TOPOLOGY = (RIGHT / "nccl-topo.xml").read_text()
NVUE = """\
- set:
    qos:
      pfc:
        roce: {cable-length: 3, rx: enable, tx: enable, switch-priority: {'3': {}}}
    interface:
      swp1: {type: swp, link: {breakout: {2x: {}}}}
      swp1s0:
        qos: {pfc-watchdog: {state: enable}}
        link: {mtu: 9100, fec: 'rs'}
        ipv4: {address: {10.0.0.0/31: {}}}
    system:
      date-time: {timezone: Etc/UTC}
      aaa: {authentication: {order: [tacacs, local]}, tacacs: {server: {192.0.2.1: {priority: 1}}}}
    router:
      bgp: {state: enabled, autonomous-system: 65001}
"""

CASES: dict[str, tuple[str, str, str, str]] = {
    "frr": ("switches/a/etc/frr/frr.conf", miniature.frr_conf("leaf-1"), "route-map FABRIC in", "route-map FABRICK in"),
    "vtysh": ("switches/a/etc/frr/frr.conf", miniature.frr_conf("leaf-1"), "remote-as", "remote-az"),
    "avd": ("switches/a/mnt/flash/startup-config", EOS, "speed 400g-4", "speed 400g-3"),
    "batfish": ("switches/a/mnt/flash/startup-config", EOS, "router-id 10.0.0.1", "router-name 10.0.0.1"),
    "nvue": ("switches/a/etc/nvue.d/startup.yaml", NVUE, "rx: enable,", "rx: on,"),
    "nccl": ("hosts/a/etc/fabricgen/nccl-topo.xml", TOPOLOGY, ' link_width="16"', ""),
    "netplan": ("hosts/a/etc/netplan/60-a.yaml", miniature.netplan("gpu-1"), "mtu:", "mut:"),
    "systemd": ("hosts/a/etc/systemd/system/a.service", UNIT, "sbin/set-up", "sbin/set-down"),
    "udev": ("hosts/a/etc/udev/rules.d/60-a.rules", RULE, "ACTION", "FACTION"),
    "sysctl": ("switches/a/etc/sysctl.d/90-a.conf", "net.ipv4.ip_forward = 1\n", "forward", "foreword"),
    "sh": ("hosts/a/usr/local/sbin/set-up", SCRIPT, "done", "don"),
    "shellcheck": ("hosts/a/usr/local/sbin/set-up", SCRIPT, '"$rail"', "$rial"),
}
"""Judge to path, right text, and what to replace in it by what."""


def plant(out: Path, path: str, text: str) -> None:
    """Put one file into a tree, and the script that a unit may start beside it."""
    for name, content, mode in ((path, text, 0o600), ("hosts/a/usr/local/sbin/set-up", SCRIPT, 0o755)):
        target = out / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
            target.chmod(mode)


def findings(judge: Judge, out: Path) -> tuple[str, ...]:
    """Return what one judge says; skips where it is missing, unless continuous integration must have it."""
    (verdict,) = judge_tree(out, (judge,))
    assert not must_be_there(verdict), verdict.missing
    if verdict.missing:
        pytest.skip(f"{judge.name}: {verdict.missing}")
    assert verdict.distinct == 1
    return verdict.findings


@pytest.mark.parametrize("name", CASES)
def test_right_file_is_accepted(name: str, tmp_path: Path) -> None:
    path, text, _, _ = CASES[name]
    plant(tmp_path, path, text)
    assert findings(_judge(name), tmp_path) == ()


@pytest.mark.parametrize("name", CASES)
def test_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    path, text, old, new = CASES[name]
    assert old in text
    plant(tmp_path, path, text.replace(old, new))
    found = findings(_judge(name), tmp_path)
    assert found
    assert all(line.startswith(path) for line in found), found


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("avd", "dscp 26 to traffic-class", "dscp 26 traffic-class"),
        ("avd", "uc-tx-queue", "unicast-queue"),
        ("avd", "max-mark-probability 5", "max-mark-probability 500"),
        ("avd", "2000 bytes max", "2000 kbytes max"),
        ("avd", "reed-solomon", "rs"),
        ("avd", "priority 3 no-drop", "priority 9 no-drop"),
        ("avd", "service-profile", "service-policy"),
        ("avd", "10.1.0.0 peer group", "10.1.0.0 peer-group"),
        ("avd", "      neighbor UPPER activate", "   neighbor UPPER activate"),
        ("batfish", "no switchport", "no switch-port"),
        ("batfish", "10.1.0.0 peer group UPPER", "10.1.0.0 peer gruop UPPER"),
        ("batfish", "address-family ipv4", "address-family ipv5"),
        ("batfish", "neighbor UPPER activate", "neighbor UPPER active"),
        ("batfish", "hostname a", "host name a"),
        ("nvue", "- set:", "- unset:"),
        ("nvue", "cable-length: 3", "cable-length: 0"),
        ("nvue", "cable-length", "cable-metres"),
        ("nvue", "ipv4: {address", "ip: {address"),
        ("nvue", "state: enabled", "state: 'on'"),
        ("nvue", "autonomous-system: 65001", "autonomous-system: '65001'"),
        ("nvue", "mtu: 9100, fec: 'rs'", "mtu: 9100, mtu: 9100"),
        ("nvue", "{timezone: Etc/UTC}", "{timezone: UTC}"),
        ("nvue", "date-time: {timezone: Etc/UTC}", "timezone: Etc/UTC"),
        ("nvue", "authentication: {order: [tacacs, local]}", "authentication-order: {'5': tacacs}"),
        ("nvue", "priority: 1", "host: 192.0.2.1"),
        ("nvue", "pfc-watchdog: {state: enable}", "pfc-watchdog: {state: enabled}"),
    ],
)
def test_avd_and_batfish_know_every_command_and_nvue_every_object(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    path, text, _, _ = CASES[name]
    assert old in text
    plant(tmp_path, path, text.replace(old, new))
    assert findings(_judge(name), tmp_path)


def test_netplan_judges_the_mode_too(tmp_path: Path) -> None:
    path, text, _, _ = CASES["netplan"]
    plant(tmp_path, path, text)
    (tmp_path / path).chmod(0o644)
    assert any("too open" in line for line in findings(_judge("netplan"), tmp_path))


EXAMPLES = {
    "config_db": ("sonic_leaf_config_db.json", "etc/sonic/config_db.json"),
    "agent": ("fboss_rtsw_agent.json", "etc/coop/agent.conf"),
    "bgpcpp": ("fboss_rtsw_bgpcpp.json", "etc/coop/bgpcpp.conf"),
}


def judge_example(name: str, out: Path, old: str = "", new: str = "") -> tuple[str, ...]:
    """Return what a further checker says about its own example, changed in one place."""
    judge, (example, path) = _judge(name), EXAMPLES[name]
    if judge.missing():
        pytest.skip(f"{judge.name}: {judge.missing()}")
    text = find_reference(f"data/examples/{example}").read_text()
    assert old in text
    plant(out, f"switches/a/{path}", text.replace(old, new) if old else text)
    return findings(judge, out)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_checker_s_own_example_is_accepted(name: str, tmp_path: Path) -> None:
    assert [line for line in judge_example(name, tmp_path) if "warning" not in line and "note" not in line] == []


@pytest.mark.parametrize(
    ("name", "old", "new"), [("agent", "logicalID", "logicalId"), ("bgpcpp", "router_id", "routerid")]
)
def test_a_misspelt_name_is_found_though_the_daemon_drops_it(name: str, old: str, new: str, tmp_path: Path) -> None:
    found = judge_example(name, tmp_path, f'"{old}"', f'"{new}"')
    assert any("unknown field" in line or new in line for line in found)


@pytest.mark.parametrize(
    ("ci", "packaged", "needed"), [("true", True, True), ("true", False, False), ("", True, False)]
)
def test_missing_judge_fails_only_where_it_must_be(
    ci: str, packaged: bool, needed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    nobody = Judge("nobody", lambda *_: True, lambda: "nobody is not installed", lambda _: [], packaged)
    (verdict,) = judge_tree(tmp_path, (nobody,))
    assert must_be_there(verdict) is needed


def _judge(name: str) -> Judge:
    return next(judge for judge in JUDGES if judge.name == name)
