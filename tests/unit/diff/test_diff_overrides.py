"""Files of others that a host merges with ours: what they override is a difference with their file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from diff_site import HOST, QUICKSTART, Site

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag, Severity
from fabricgen.diagnostics.secrets import is_free_text
from fabricgen.diff.markdown import write_markdown
from fabricgen.diff.report import to_data, to_diagnostics, write_text
from fabricgen.diff.summary import DiffSummary
from fabricgen.platforms.reading.linux_files import merge_netplan, merge_settings, read_network, read_unit
from fabricgen.platforms.reading.reader import read_yaml

NETPLAN, SYSCTL = "etc/netplan/90-local.yaml", "etc/sysctl.d/99-hardening.conf"
OUR_NETPLAN = "etc/netplan/60-fabricgen.yaml"
DROP_IN = "etc/systemd/system/fabricgen-roce@.service.d/override.conf"
Found = set[tuple[str, str, str, str]]


def put(deployed: Path, path: str, text: str) -> None:
    file = deployed / "hosts" / HOST / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def compare(site: Site, files: dict[str, str]) -> tuple[DiffSummary, set[str]]:
    deployed = site.copy()
    for path, text in files.items():
        put(deployed, path, text)
    return site.diff(site.out, deployed, details=True)


def found_in(summary: DiffSummary) -> Found:
    """Every difference: file, path and both values."""
    details = [one for group in summary.groups() for one in group.details]
    return {(one.path, " > ".join(one.steps), one.before, one.after) for one in details}


def test_values_that_files_of_others_override_are_differences_with_their_file(site: Site) -> None:
    summary, codes = compare(
        site,
        {
            NETPLAN: "network: {version: 2, ethernets: {rail0: {mtu: 1500, dhcp4: yes}, eth9: {dhcp4: true}}}\n",
            SYSCTL: "net.ipv4.conf.rail0.rp_filter = 1\nnet/ipv4/conf/rail0/arp_ignore = 0\nvm.swappiness = 1\n",
            DROP_IN: "[Service]\nExecStart=\nExecStart=/bin/true\n",
            "etc/environment.d/99-site.conf": "NCCL_IB_TC=0\n",
        },
    )
    assert codes == set()
    script = "/usr/local/sbin/fabricgen-roce %i"
    traffic_class = found_in(summary) - {
        (NETPLAN, "network > ethernets > rail0 > mtu", "1500", "9100"),
        (NETPLAN, "network > ethernets > rail0 > dhcp4", "true", "false"),
        (SYSCTL, "net.ipv4.conf.rail0.rp_filter", "1", "2"),
        (SYSCTL, "net.ipv4.conf.rail0.arp_ignore", "0", "1"),
        (DROP_IN, "Service > ExecStart", "/bin/true", script),
    }
    ((path, steps, before, _),) = traffic_class
    assert (path, steps, before) == ("etc/environment.d/99-site.conf", "NCCL_IB_TC", "0")
    assert summary.totals.changes == 6
    assert not summary.totals.unmanaged
    text = write_text(summary)
    assert f"    remove it from {NETPLAN}, then netplan apply\n" in text
    assert f"    remove it from {DROP_IN}, then systemctl daemon-reload\n" in text
    assert f"remove it from {SYSCTL}, then sysctl --system" in write_markdown(summary, [])
    (mtu,) = (group for group in to_data(summary, [], details=False, unmanaged=False)["groups"] if group["unit"])
    assert mtu["remedy"] == f"remove it from {NETPLAN}, then netplan apply"
    assert any("remove it from" in found.message for found in to_diagnostics(summary))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("etc/netplan/10-early.yaml", "network: {ethernets: {rail0: {mtu: 1500}}}\n"),
        (NETPLAN, "network: {version: 2, ethernets: {rail0: {mtu: 9100, dhcp4: no}, eth9: {mtu: 1500}}}\n"),
        (NETPLAN, "network: {ethernets: {rail0: {mtu: null}}}\n"),
        ("etc/netplan/90-local.yaml.save", "network: {ethernets: {rail0: {mtu: 1500}}}\n"),
        ("etc/sysctl.d/10-early.conf", "net.ipv4.conf.rail0.rp_filter = 1\n"),
        (SYSCTL, "net.ipv4.conf.*.rp_filter = 1\n# net.ipv4.conf.rail0.rp_filter = 1\nno setting\n"),
        (SYSCTL, "net.ipv4.conf.rail0.rp_filter = 1\n-net.ipv4.conf.rail0.rp_filter = 2\n"),
        (DROP_IN, "[Service]\nNice=5\n[Unit]\nBefore=network-online.target\n"),
        ("etc/systemd/network/20-late.network", "[Match]\nName=rail0\n[Link]\nMTUBytes=1500\n"),
        ("etc/systemd/network/05-other.network", "[Match]\nName=eth*\n[Link]\nMTUBytes=1500\n"),
    ],
)
def test_what_sets_nothing_of_ours_otherwise_is_not_ours(site: Site, path: str, text: str) -> None:
    summary, codes = compare(site, {path: text})
    assert (codes, found_in(summary)) == (set(), set())
    assert summary.totals.unmanaged == {f"{path} (file)": 1}


def test_the_last_of_several_files_decides(site: Site) -> None:
    rail0 = "network: {{ethernets: {{rail0: {{mtu: {}}}}}}}\n"
    files = {NETPLAN: rail0.format(1500), "etc/netplan/95-mended.yaml": rail0.format(9100)}
    assert found_in(compare(site, files)[0]) == set()
    shutil.rmtree(site.folder / "deployed")
    files["etc/netplan/99-last.yaml"] = rail0.format(4000)
    ((path, _, before, after),) = found_in(compare(site, files)[0])
    assert (path, before, after) == ("etc/netplan/99-last.yaml", "4000", "9100")


def test_networkd_takes_drop_ins_and_the_first_file_that_matches(site: Site) -> None:
    drop_in, first = (f"etc/systemd/network/{name}" for name in ("10-netplan-rail0.network.d/mtu.conf", "05-x.network"))
    settings = "[Link]\nMTUBytes=1500\n[Network]\nDHCP=ipv4\nIPv6AcceptRA=no\n"
    summary, _ = compare(site, {drop_in: settings, first: "[Match]\nName=rail1 eth*\n"})
    changes = {(path, steps, before) for path, steps, before, _ in found_in(summary)}
    assert changes == {
        (drop_in, "network > ethernets > rail0 > mtu", "1500"),
        (drop_in, "network > ethernets > rail0 > dhcp4", "true"),
        (first, "network > ethernets > rail1", f"as {first} has it"),
    }


def test_a_file_that_cannot_be_read_is_an_error_and_keeps_nothing_else_from_being_compared(site: Site) -> None:
    summary, codes = compare(site, {NETPLAN: "network: [\n", SYSCTL: "net.ipv4.conf.rail0.rp_filter = 1\n"})
    assert codes == {"FG-DIF-021"}
    assert summary.totals.failed == 0
    assert {path for path, *_ in found_in(summary)} == {SYSCTL}


def test_no_patch_touches_a_file_of_others(site: Site) -> None:
    deployed = site.copy()
    put(deployed, NETPLAN, "network: {ethernets: {rail0: {mtu: 1500}}}\n")
    put(deployed, "etc/nccl.conf", "NCCL_DEBUG=INFO\n")
    bag, patches = Bag(), site.folder / "patches"
    assert diff(str(site.out), str(deployed), DiffOptions(site.folder, causes=False, patches=patches), bag)
    (found,) = bag
    assert (found.code, found.severity) == ("FG-DIF-076", Severity.WARNING)
    assert f"no patch of {NETPLAN}" in found.message
    assert found.hint == f"remove it from {NETPLAN}, then netplan apply"
    (steps,) = patches.glob("*/apply/steps")
    assert "/etc/nccl.conf" in steps.read_text()
    assert "90-local" not in steps.read_text()


def test_the_intent_that_decides_an_overridden_value_is_named(site: Site) -> None:
    deployed = site.copy()
    put(deployed, NETPLAN, "network: {ethernets: {rail0: {mtu: 1500}}}\n")
    summary = diff(str(QUICKSTART), str(deployed), DiffOptions(site.folder, only=(HOST,)), Bag())
    (group,) = summary.groups()
    assert group.headline() == "MTU of a network device different: 1,500 → 9,100 bytes on 1 host"
    assert group.causes


MERGED = {
    "etc/netplan/10-first.yaml": {"rail0": {"addresses": ["10.9.9.9/24"], "mtu": 1400}},
    "etc/netplan/70-more.yaml": {"rail0": {"addresses": ["10.9.9.8/24"], "accept-ra": True}, "rail1": {"mtu": 1500}},
    "etc/netplan/80-most.yaml": {"rail1": {"dhcp6": True, "link-local": ["ipv4"]}, "rail2": {"optional": False}},
}


def test_what_is_in_effect_is_what_netplan_says(site: Site, tmp_path: Path) -> None:
    """Every value of ours that netplan has otherwise is a difference, and no other is."""
    root = tmp_path / "root"
    ours = site.out / "hosts" / HOST / "etc/netplan/60-fabricgen.yaml"
    (root / "etc/netplan").mkdir(parents=True)
    shutil.copy(ours, root / "etc/netplan")
    for path, ethernets in MERGED.items():
        (root / path).write_text(json.dumps({"network": {"version": 2, "ethernets": ethernets}}))
    netplan = shutil.which("netplan", path=f"{os.environ['PATH']}:/usr/sbin")
    assert netplan, "netplan is missing: apt-get install netplan.io"
    done = subprocess.run([netplan, "get", "--root-dir", str(root)], capture_output=True, text=True, check=True)
    effective, intended = read_yaml(done.stdout), read_yaml(ours.read_text())
    expected = {
        f"network > ethernets > {name} > {key}"
        for name, settings in intended["network"]["ethernets"].items()
        for key, value in settings.items()
        if plain(effective["network"]["ethernets"][name].get(key, False)) != plain(value)
    }
    texts = {path: (root / path).read_text() for path in MERGED}
    assert {steps for _, steps, _, _ in found_in(compare(site, texts)[0])} == expected
    assert "network > ethernets > rail0 > addresses" in expected


def plain(value: Any) -> Any:
    """A value as netplan means it: lists of values or of mappings, in no order."""
    if not isinstance(value, list):
        return value
    return sorted(str(sorted(item.items())) if isinstance(item, dict) else str(item) for item in value)


def test_readers_of_files_of_others() -> None:
    unit = "[Unit]\nAfter=a.target b.target\n# c\n[Service]\nExecStart=/bin/a \\\n  x\nType=oneshot\nType=exec\n"
    assert read_unit(f"junk\n{unit}After=\n") == {
        "Unit": {"After": ["a.target", "b.target"]},
        "Service": {"ExecStart": ["/bin/a  x"], "Type": "exec", "After": [""]},
    }
    assert merge_settings('A="1"\nb/c.d = 2\n', "", {}) == {"A": "1", "b.c/d": "2"}
    ours = {"network": {"ethernets": {"rail0": {}, "rail1": {}, "eth0": {}}}}
    path = "etc/systemd/network/10-netplan-rail1.network"
    found = {"rail1": f"as {path} has it"}
    merged = merge_netplan("[Match]\nName=rail*\n", path, ours)
    assert merged == {"network": {"ethernets": found, "bonds": found}}


def test_truth_values_are_equal_however_netplan_takes_them(site: Site) -> None:
    words = ("true", "On", "YES", "y", "false", "off", "No", "n", '"no"')
    listed = "".join(f"    eth{number}: {{dhcp4: {word}}}\n" for number, word in enumerate(words))
    root = site.folder / "root"
    (root / "etc/netplan").mkdir(parents=True)
    text = f"network:\n  version: 2\n  ethernets:\n{listed}"
    (root / "etc/netplan/1.yaml").write_text(text)
    done = subprocess.run(["netplan", "get", "--root-dir", str(root)], capture_output=True, text=True, check=True)
    shown = {f"eth{number}": number < 4 for number in range(len(words))}
    for found in (read_network(text), read_yaml(done.stdout)):
        ethernets = found["network"]["ethernets"]
        assert {name: ethernets.get(name, {}).get("dhcp4", False) for name in shown} == shown
    ours = (site.out / "hosts" / HOST / OUR_NETPLAN).read_text(encoding="utf-8")
    spelled = ours.replace("dhcp4: false", "dhcp4: no").replace("optional: true", "optional: 'Yes'")
    assert spelled != ours
    assert found_in(compare(site, {OUR_NETPLAN: spelled})[0]) == set()


MATCHED = "network: {{ethernets: {{{name}: {{match: {{{match}}}, mtu: 1500{more}}}}}}}\n"
LINK, INSTANCE = "etc/systemd/network/05-rails.link", "etc/systemd/system/fabricgen-roce@all.service"


@pytest.mark.parametrize(
    ("path", "text", "changed"),
    [
        (NETPLAN, MATCHED.format(name="all", match="name: 'rail[01]'", more=""), {"rail0", "rail1"}),
        (NETPLAN, MATCHED.format(name="all", match="macaddress: 'a:b'", more=", set-name: rail1"), {"rail1"}),
        (NETPLAN, MATCHED.format(name="all", match="macaddress: 'a:b'", more=", set-name: eth0"), set()),
        (NETPLAN, MATCHED.format(name="rails", match="name: 'rail*'", more=""), set()),
        (NETPLAN, MATCHED.format(name="all", match="macaddress: 'a:b'", more=""), None),
        (NETPLAN, MATCHED.format(name="zzz", match="driver: mlx5_core", more=""), set()),
        ("etc/systemd/network/05-x.network", "[Match]\nType=ether\n[Link]\nMTUBytes=1500\n", None),
        ("etc/systemd/network/05-x.network", "[Match]\nName=!eth*\n[Link]\nMTUBytes=1500\n", None),
        ("etc/systemd/network/99-x.network", "[Match]\nType=ether\n[Link]\nMTUBytes=1500\n", set()),
        (LINK, "[Match]\nDriver=mlx5_core\n[Link]\nMTUBytes=1500\n", None),
        (DROP_IN, "[Unit]\nConditionPathExists=/etc/roce\n", None),
        pytest.param(INSTANCE, "[Service]\nExecStart=/bin/true\n", None, id="one instance"),
        (NETPLAN, "# network: {ethernets: {rail0: {mtu: 1500}}}\n\n", set()),
    ],
)
def test_what_a_pattern_matches_is_ours_or_said(site: Site, path: str, text: str, changed: set[str] | None) -> None:
    """The first file of systemd that matches an interface has it whole; netplan generate writes them by these names."""
    summary, codes = compare(site, {path: text})
    assert {steps.rpartition(" > ")[2] for _, steps, _, _ in found_in(summary)} == (changed or set())
    assert codes == ({"FG-DIF-030"} if changed is None else set())


def test_a_masked_instance_of_a_unit_is_no_silence(site: Site) -> None:
    deployed = site.copy()
    (deployed / "hosts" / HOST / INSTANCE).symlink_to("/dev/null")
    _, codes = site.diff(site.out, deployed)
    assert codes


def test_contacts_are_texts_for_people() -> None:
    assert all(map(is_free_text, ("Contact", "system-location", "contact")))
