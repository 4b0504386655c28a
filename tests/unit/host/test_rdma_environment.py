"""The traffic class of RDMA programs beside NCCL, as services and login shells get it, and LLDP of the rails."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from host_fixture import ENVIRONMENT, LLDP, PROFILE, as_root, host, host_class, judge, of_group, render, write

from tests.waiting import PATIENCE_S

GENERATORS = (
    "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator",
    "/lib/systemd/user-environment-generators/30-systemd-environment-d-generator",
)


def gid(program: str, family: str = "AF_INET", pool: str = "172.16.0.0/12") -> dict[str, str]:
    """Return how a program takes its GID: NVIDIA/nvshmem env_defs.h, uccl-project/uccl ep/include/rdma_util.hpp."""
    values = {"ROCE_VERSION_NUM": "2", "ADDR_FAMILY": family, "ADDR_RANGE": pool}
    return {f"{program}_IB_{name}": value for name, value in values.items()}


OF_NVIDIA = {"UCX_IB_TRAFFIC_CLASS": "106", "NVSHMEM_IB_TRAFFIC_CLASS": "104"} | gid("NVSHMEM")
OF_GPUS = {"UCCL_IB_TC": "104", "UCCL_ROCE_TRAFFIC_CLASS": "104"} | gid("UCCL")


def told(library: str, dscp: int = 26, **changes: object) -> dict[str, str]:
    cls = replace(host_class(2), **changes)
    cls = replace(of_group(cls, library=library), collectives=replace(cls.collectives, data_dscp=dscp))
    text = render(host(cls))[ENVIRONMENT]
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))


@pytest.mark.parametrize(
    ("library", "wanted"),
    [
        ("nccl", OF_NVIDIA | OF_GPUS),
        ("vccl", OF_NVIDIA | OF_GPUS),
        ("rccl", {"UCX_IB_TRAFFIC_CLASS": "106", "MORI_RDMA_TC": "104"} | OF_GPUS),
        ("", {"UCX_IB_TRAFFIC_CLASS": "106"}),
    ],
)
def test_every_rdma_program_of_a_host_is_told_the_class(library: str, wanted: dict[str, str]) -> None:
    assert told(library) == wanted


def test_the_class_follows_the_contract() -> None:
    marks = {value for name, value in told("nccl", 24).items() if name.endswith(("_TC", "_CLASS"))}
    assert marks == {"96", "98"}


def test_programs_take_the_gid_that_nccl_takes_where_a_fabric_has_ipv6_alone() -> None:
    found = told("nccl", supernet="", supernet6="fd00::/32")
    assert found == found | gid("NVSHMEM", "AF_INET6", "fd00::/32") | gid("UCCL", "AF_INET6", "fd00::/32")


def test_a_login_shell_gets_what_systemd_gives_services(tmp_path: Path) -> None:
    root = write(render(host(host_class(2))), tmp_path)
    script = (root / PROFILE).read_text().replace("/etc/", f"{root}/etc/")
    done = subprocess.run(["sh", "-ec", f"{script}\nenv"], capture_output=True, text=True, check=True, env={})
    shell = {line for line in done.stdout.splitlines() if line.partition("=")[0] in OF_NVIDIA | OF_GPUS}
    assert shell == {f"{name}={value}" for name, value in (OF_NVIDIA | OF_GPUS).items()}
    generator = next((path for path in GENERATORS if os.access(path, os.X_OK)), None)
    if generator is None:
        pytest.skip("the judge systemd-environment-d-generator is not installed")
    (home := tmp_path / "home" / "environment.d").mkdir(parents=True)
    (home / "60.conf").write_text((root / ENVIRONMENT).read_text())
    env = {"XDG_CONFIG_HOME": str(tmp_path / "home")}
    said = subprocess.run([generator], capture_output=True, text=True, check=True, env=env)
    assert shell <= set(said.stdout.splitlines()), said.stderr


def test_lldpd_takes_its_file(tmp_path: Path) -> None:
    as_root()
    daemon, client = judge("lldpd"), judge("lldpcli")
    rendered = render(host(host_class(2)))[LLDP]
    with tempfile.TemporaryDirectory(prefix="lldp-") as folder:
        Path(folder).chmod(0o755)  # the client gives up its rights before it reads
        (path := Path(folder) / "fabricgen.conf").write_text(rendered)
        socket = Path(folder) / "socket"
        script = (
            "ip link add rail0 type veth peer name leaf && ip link set rail0 up && ip link set leaf up && "
            f"exec {daemon} -d -u {socket} -O /dev/null -I rail0"
        )
        words, null = [judge("unshare"), "-n", "sh", "-ec", script], subprocess.DEVNULL
        started = subprocess.Popen(words, stdout=null, stderr=null)
        try:
            while not socket.exists() and started.poll() is None:
                time.sleep(0.05)
            ask = [client, "-u", str(socket)]
            words = [*ask, "-c", str(path)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            shown = subprocess.run([*ask, "show", "configuration"], capture_output=True, text=True, check=False)
            chassis = subprocess.run([*ask, "show", "chassis"], capture_output=True, text=True, check=False)
        finally:
            started.terminate()
            started.wait()
    assert (done.returncode, done.stderr) == (0, "")
    assert "Port ID TLV subtype for LLDP frames: ifname" in shown.stdout
    assert f"SysName:      {os.uname().nodename.partition('.')[0]}\n" in chassis.stdout
