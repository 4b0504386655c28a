"""PTP on hosts: linuxptp reads the files, and the clock of a host follows its leaf and nothing else."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import as_root, host, host_class, judge, render

from fabricgen.plan.model.contract import Ptp

CONFIG, UNIT = "etc/linuxptp/fabricgen.conf", "etc/systemd/system/fabricgen-{}.service"
# Without a device there are no time stamps of hardware, and the clock of this machine is left alone.
HERE = "time_stamping software\nfree_running 1\nuds_address {}\n"
LEAF = "[global]\nmasterOnly 1\nlogAnnounceInterval 0\nlogSyncInterval -3\ndomainNumber {}\n"
SCRIPT = """
unshare -n sleep 9 & peer=$!
while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.1; done
ip link add rail0 type veth peer name leaf netns $peer && ip address add 172.16.0.1/31 dev rail0 && ip link set rail0 up
nsenter -t $peer -n sh -c 'ip address add 172.16.0.0/31 dev leaf && ip link set leaf up'
nsenter -t $peer -n timeout 8 ptp4l -i leaf -f {leaf} > /dev/null 2>&1 &
timeout 6 {host} -m
"""


def start(program: str, folder: Path) -> str:
    """The command of a unit, with its file below a folder."""
    files = render(host(replace(host_class(2), ptp=Ptp(24))))
    (folder / "host.conf").write_text(files[CONFIG].replace("time_stamping hardware\n", HERE.format(folder / "host")))
    command = next(line for line in files[UNIT.format(program)].splitlines() if line.startswith("ExecStart="))
    judge(program)
    return command.removeprefix("ExecStart=").replace(f"/{CONFIG}", str(folder / "host.conf"))


@pytest.mark.parametrize(("domain", "follows"), [(24, True), (7, False)])
def test_a_host_follows_the_leaf_of_its_domain_and_is_no_source(domain: int, follows: bool, tmp_path: Path) -> None:
    as_root()
    (tmp_path / "leaf.conf").write_text(LEAF.format(domain) + HERE.format(tmp_path / "leaf"))
    script = SCRIPT.format(leaf=tmp_path / "leaf.conf", host=start("ptp4l", tmp_path))
    done = subprocess.run([judge("unshare"), "-n", "sh", "-c", script], capture_output=True, text=True, check=False)
    assert "INITIALIZING to LISTENING" in done.stdout, done.stderr
    assert ("LISTENING to UNCALIBRATED" in done.stdout) is follows, done.stdout
    assert " to MASTER" not in done.stdout


def test_phc2sys_reads_the_same_file(tmp_path: Path) -> None:
    words = [*start("phc2sys", tmp_path).split(), "-m"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    assert "rail0" in (said := done.stdout + done.stderr)
    assert "failed to parse" not in said
