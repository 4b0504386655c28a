"""Rollouts over drained switches on real daemons: numbers and addresses change while no probe is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running, small_inventory
from tests.acceptance.run import INVENTORIES, run
from tests.acceptance.test_lab_rehearse import FLOOR, Rows, rehearse

LINKS = ("fabric_links: 10.0.0.0/12", "fabric_links: 10.64.0.0/12")
ASN = (FLOOR, FLOOR + "routing: {asn: {base: 4200001000}}\n")
WINDOW = "rollout: {floor: 0}\n"
BROKEN = "exceptions:\n  - {link: [leaf-u001-r0, spine-01], n: 1, state: absent, reason: broken}\n"
GROWTH = ("units: {count: 3,", "units: {count: 4,")
SEEDS = (FLOOR, FLOOR + "routing: {ecmp: {decorrelate: 'off'}}\n")


class Site:
    """A small fabric of three units, a change of it, and the bundle of the change."""

    def __init__(self, folder: Path, change: tuple[str, str], overlay: str = "", broken: str = "") -> None:
        """Plan the rollout of a change; what is broken is broken in the deployed fabric alone."""
        self.words = tuple(word for name in overlay.split() for word in ("--overlay", name))
        self.deployed = small_inventory(folder / "deployed", count="3")
        shutil.copytree(INVENTORIES / "quickstart/overlays", self.deployed / "overlays")
        file = self.deployed / "fabric.yaml"
        file.write_text(file.read_text().replace("per: fabric, count: 3", "per: fabric, count: 2") + FLOOR)
        self.intended = Path(shutil.copytree(self.deployed, folder / "intended"))
        file = self.intended / "fabric.yaml"
        assert change[0] in file.read_text()
        file.write_text(file.read_text().replace(*change))
        file = self.deployed / "fabric.yaml"
        if broken:
            file.write_text(file.read_text().replace(*change) + broken)
        self.bundle = folder / "bundle"
        run("rollout", str(self.intended), str(self.deployed), "-o", str(self.bundle), *self.words).exits(3)

    @property
    def drained(self) -> set[str]:
        """Names of the devices that go out."""
        waves = json.loads((self.bundle / "plan.json").read_text())["waves"]
        return {device["name"] for wave in waves if wave["kind"] == "drain" for device in wave["devices"]}

    def rehearse(self, *words: str) -> tuple[Rows, Rows]:
        """Carry all waves out as predicted; the waves, and the checks that follow."""
        code, rows, said = rehearse(self.bundle, *self.words, *words)
        assert code == 0, said
        return [row for row in rows if "wave" in row], [row for row in rows if "wave" not in row]


def assert_lossless(waves: Rows) -> None:
    """Every wave went as predicted, and lost nothing where nothing was predicted to be lost."""
    assert all(wave["result"] == "pass" for wave in waves)
    assert all(wave["bandwidth"] == wave["bandwidth_measured"] for wave in waves)
    assert [(wave["lost_most"], wave["lost"]) for wave in waves] == [(0, 0)] * len(waves)
    assert sum(wave["probes"] for wave in waves) > 10_000


@pytest.mark.nightly
@pytest.mark.parametrize("overlay", ["", "frr", "nvue", "eos", "eos unnumbered"])
def test_numbers_of_all_routers_change_over_drained_switches_without_a_lost_probe(overlay: str, tmp_path: Path) -> None:
    site = Site(tmp_path, ASN, overlay)
    with running(site.deployed, "asn", *site.words) as lab:
        waves, after = site.rehearse("--name", lab.name)
        assert_lossless(waves)
        assert [row["passed"] for row in after] == [True] * 3
        shown = lab.bgp("leaf-u001-r0")
        assert shown["as"] == 4200001001
        assert {(peer["remoteAs"], peer["state"]) for peer in shown["peers"].values()} == {(4200001000, "Established")}


@pytest.mark.nightly
@pytest.mark.parametrize("overlay", ["", "frr", "nvue", "eos"])
def test_addresses_of_all_links_change_over_drained_spines_without_a_lost_probe(overlay: str, tmp_path: Path) -> None:
    site = Site(tmp_path, LINKS, overlay)
    assert {wave for wave in site.drained if wave.startswith("leaf")} == set()
    waves, after = site.rehearse()
    assert_lossless(waves)
    assert [row["passed"] for row in after] == [True] * 3


@pytest.mark.nightly
def test_hash_of_a_tier_changes_on_drained_switches(tmp_path: Path) -> None:
    site = Site(tmp_path, SEEDS, "frr")
    with running(site.deployed, "hash", *site.words) as lab:
        path = "/proc/sys/net/ipv4/fib_multipath_hash_seed"
        seeds = [lab.on(name, "cat", path).split()[0] for name in ("leaf-u001-r0", "spine-01")]
        waves, _ = site.rehearse("--name", lab.name)
        assert_lossless(waves)
        assert [wave["drained"] for wave in waves] == ["spine-01", "spine-02"]
        assert len({*seeds}) == 2
        assert lab.on("spine-01", "cat", path).split()[0] == seeds[0]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "broken"),
    [pytest.param((FLOOR, WINDOW), BROKEN, id="repaired link"), pytest.param(GROWTH, "", id="one more unit")],
)
def test_what_carries_nothing_yet_drains_nothing(change: tuple[str, str], broken: str, tmp_path: Path) -> None:
    site = Site(tmp_path, change, broken=broken)
    assert site.drained == set()
    waves, after = site.rehearse()
    assert [(wave["result"], wave["lost"]) for wave in waves] == [("pass", 0)] * len(waves)
    assert all(wave["probes"] > 1_000 for wave in waves)
    assert [row["passed"] for row in after] == [True] * 3
