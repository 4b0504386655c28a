"""netplan, sysctl and udev files, judged by the programs that read them."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import NETPLAN, SYSCTL, UDEV, as_root, host, host_class, judge, render, specs, without_places, write
from machine import RULES, networkd, under_networkd


def test_netplan_makes_every_rail_as_planned(tmp_path: Path) -> None:
    files = networkd(host(host_class()), tmp_path)
    for number in range(8):
        own, gateway, table = f"172.16.1.{2 * number + 1}", f"172.16.1.{2 * number}", str(101 + number)
        parsed = files[f"10-netplan-rail{number}.network"]
        assert {name: dict(parsed[name]) for name in parsed.sections()} == {
            "Match": {"Name": f"rail{number}"},
            "Link": {"RequiredForOnline": "no", "MTUBytes": "9000"},
            "Network": {
                "LinkLocalAddressing": "no",
                "Address": f"{own}/31",
                "IPv6AcceptRA": "no",
                "ConfigureWithoutCarrier": "yes",
            },
            "Route": {"Destination": "172.16.0.0/12", "Gateway": gateway, "Table": table},
            "Unreachable": {"Destination": "172.16.0.0/12", "Type": "unreachable", "Metric": "2147483647"},
            "RoutingPolicyRule": {"From": f"{own}/32", "Table": table, "Priority": table},
        }


def test_carrier_loss_keeps_the_address() -> None:
    """Netplan's one key is enough because networkd lets IgnoreCarrierLoss follow it."""
    page = Path("/usr/share/man/man5/systemd.network.5.gz")
    if not page.exists():
        pytest.skip("the judge systemd.network(5) is not installed")
    text = subprocess.run([judge("zcat"), str(page)], capture_output=True, text=True, check=True).stdout
    text = " ".join(text.replace("\\fI", "").replace("\\fR", "").replace("\\&", "").split())
    assert "If enabled, and the IgnoreCarrierLoss= setting is not explicitly set, then it is enabled as well" in text


def test_an_asset_list_with_macs_binds_rails_to_them(tmp_path: Path) -> None:
    device = host(host_class(2))
    device.rails[1].mac = "02:00:00:00:00:01"
    files = networkd(device, tmp_path)
    assert files["10-netplan-rail1.link"]["Match"]["PermanentMACAddress"] == "02:00:00:00:00:01"
    assert files["10-netplan-rail1.link"]["Link"]["Name"] == "rail1"
    assert "PermanentMACAddress" not in files["10-netplan-rail0.network"]["Match"]


def test_state_and_place_are_told_and_cannot_break_out(tmp_path: Path) -> None:
    reason = "optics\u2028network: {version: 1}"
    device = replace(host(host_class(1)), state="drained", reason=reason)
    text = render(device)[NETPLAN].splitlines()
    assert text[0] == "# Rails of host gpu-u002-h01, unit 2, fabric quickstart. Written by fabricgen."
    assert text[1] == r'# State drained, "optics\u2028network: {version: 1}"'
    assert list(networkd(device, tmp_path)) == ["10-netplan-rail0.link", "10-netplan-rail0.network"]


def test_only_netplan_routing_and_the_nodes_of_a_domain_depend_on_identity() -> None:
    one = render(host(host_class()))
    device = host(host_class(), hostname="gpu-u009-h09", place="unit 9")
    for rail in device.rails:
        rail.address, rail.gateway = rail.address.replace("172.16.1.", "172.16.9."), "172.16.9.0"
    other = render(device)
    assert [path for path in one if one[path] != other[path]] == [NETPLAN]
    own = {o.path for spec in specs().values() for o in spec.outputs for part in o.parts if part.scope == "device"}
    assert own == {NETPLAN, "etc/nvidia-imex/nodes_config.cfg", "etc/frr/frr.conf", RULES}


def test_eleven_files_with_their_permissions(tmp_path: Path) -> None:
    root = write(render(host(host_class())), tmp_path)
    files = [path for path in root.rglob("*") if path.is_file()]
    assert len(files) == 11
    assert (root / NETPLAN).stat().st_mode & 0o777 == 0o600
    runs = sorted(path.name for path in files if path.stat().st_mode & 0o111)
    assert runs == ["fabricgen-mlxconfig", "fabricgen-pcie", "fabricgen-roce"]


def test_sysctl_sets_the_rails_and_nothing_else(tmp_path: Path) -> None:
    as_root()
    path = write(render(host(host_class(2))), tmp_path) / SYSCTL
    keys = "conf.{0}.arp_ignore net.ipv4.conf.{0}.arp_announce net.ipv4.conf.{0}.rp_filter "
    keys += "net.ipv4.conf.{0}.accept_redirects net.ipv6.conf.{0}.accept_redirects"
    script = (
        "ip link add rail0 type veth peer name rail1 && ip link add rail2 type veth peer name other && "
        f'sysctl -p "{path}" >/dev/null && '
        + " && ".join(f"sysctl -n net.ipv4.{keys.format(name)}" for name in ("rail0", "rail1", "rail2"))
    )
    command = [judge("unshare"), "-n", "sh", "-ec", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    values = done.stdout.split()
    assert values[:10] == ["1", "2", "2", "0", "0"] * 2
    assert values[10:12] == ["0", "0"]
    assert values[13:15] == ["1", "1"]


def test_a_rail_that_is_not_there_does_not_stop_sysctl(tmp_path: Path) -> None:
    as_root()
    path = write(render(host(host_class(2))), tmp_path) / SYSCTL
    script = f'ip link add rail0 type veth peer name x; sysctl -p "{path}"; sysctl -n net.ipv4.conf.rail0.arp_ignore'
    done = subprocess.run([judge("unshare"), "-n", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "1"


def test_a_rail_that_is_set_down_keeps_its_ipv6_address(tmp_path: Path) -> None:
    """Linux itself says so: the GID of an address that goes comes back at another index."""
    as_root()
    kept = []
    for supernet6 in ("", "fd00::/32"):
        path = write(render(host(replace(host_class(1), supernet6=supernet6))), tmp_path / f"v{supernet6[:1]}") / SYSCTL
        script = (
            f'ip link add rail0 type veth peer name other && sysctl -p "{path}" >/dev/null && ip link set rail0 up && '
            "ip addr add fd00::1/127 dev rail0 nodad && ip link set rail0 down && ip -6 -br addr show dev rail0"
        )
        done = subprocess.run([judge("unshare"), "-n", "sh", "-c", script], capture_output=True, text=True, check=False)
        assert done.stderr == ""
        kept.append("fd00::1/127" in done.stdout)
    assert kept == [False, True]


def udev_complaints(text: str, folder: Path) -> list[str]:
    udevadm = judge("udevadm")
    rules = folder / "60-rdma-persistent-naming.rules"
    rules.write_text(text)
    done = subprocess.run([udevadm, "verify", str(rules)], capture_output=True, text=True, check=False)
    if "Unknown command verb" in done.stderr:
        as_root()
        script = (
            "mount -t tmpfs none /run && mount -t tmpfs none /etc/udev && mkdir /etc/udev/rules.d && "
            f'cp "{rules}" /etc/udev/rules.d && "{udevadm}" test -a change /sys/class/net/lo'
        )
        words = [judge("unshare"), "-m", "sh", "-ec", script]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert "60-rdma-persistent-naming.rules" in done.stdout + done.stderr
    return [line for line in (done.stdout + done.stderr).splitlines() if "naming.rules:" in line]


def test_udev_reads_the_rules(tmp_path: Path) -> None:
    text = render(host(host_class()))[UDEV]
    assert udev_complaints(text, tmp_path) == []
    assert udev_complaints(text.replace("KERNELS", "KERNELZ"), tmp_path) != []
    assert udev_complaints(text.replace('GOTO="fabricgen_end"', 'GOTO="nowhere"'), tmp_path) != []


def test_rails_without_pci_address_get_no_rule() -> None:
    some = render(host(without_places(host_class(2), 0)))[UDEV]
    assert "rail0" not in some
    assert some.startswith("# Names of the rails")
    assert UDEV not in render(host(without_places(host_class(2), 0, 1)))


def test_what_binds_no_rail_address_fails_in_place_of_leaving_by_management(tmp_path: Path) -> None:
    """The kernel itself says so, and networkd takes a route that every rail asks for once."""
    asked = (
        "ip route get 172.31.0.1; ip route get 172.31.0.1 from 172.16.1.3; ip link del rail0; ip route get 172.31.0.1"
    )
    done = under_networkd(host(host_class(2)), tmp_path, asked)
    assert done.stdout.split()[:7] == ["172.31.0.1", "from", "172.16.1.3", "via", "172.16.1.2", "dev", "rail1"]
    assert done.stderr.count("No route to host") == 2, done.stderr
