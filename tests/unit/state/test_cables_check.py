"""``fabricgen cables check``: mistakes of cabling in sentences, what was not read, files and formats."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.acceptance.run import INVENTORIES
from tests.command_line import Done, run_here
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.collected import platforms_of
from tests.unit.state.lldp_texts import TEXTS, Cables, End, aliases_of, cables_of, connect, hear, swap, unplug

INVENTORY = INVENTORIES / "quickstart"
LEAF = "leaf-u001-r0"


class Site:
    """A fabric whose cables a test moves before LLDP is read."""

    def __init__(self, folder: Path) -> None:
        self.plan = plan_of("quickstart")
        self.folder, self.cables, self.aliases = folder, cables_of(self.plan), aliases_of(self.plan)

    def write(self, *, but: tuple[str, ...] = ()) -> Path:
        """Write the texts of all devices but some."""
        platforms = platforms_of(self.plan)
        for name, heard in hear(self.cables, self.aliases).items():
            if name in platforms and name not in but:
                (self.folder / f"{name}.txt").write_text(TEXTS[platforms[name]](heard))
        return self.folder


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def check(*words: str | Path) -> Done:
    return run_here("cables", "check", INVENTORY, *words)


def faults_of(done: Done) -> list[tuple[str, str]]:
    return [(each["mistake"], each["repair"]) for each in json.loads(done.stdout)["faults"]]


def faults(site: Site) -> list[tuple[str, str]]:
    return faults_of(check(site.write(), "--format", "json").exits(3))


def test_cables_as_planned_are_clean(site: Site) -> None:
    done = check(site.write()).exits(0)
    assert "128 of 128 cables judged: nothing differs from the plan" in done.stdout
    made = json.loads(check(site.folder, "--format", "json").exits(0).stdout)
    cables = {"planned": 128, "judged": 128, "from_one_end": 0}
    assert made == {"clean": True, "diagnostics": [], "cables": cables, "faults": []}


def test_swapped_pair_is_one_sentence_at_the_device_that_has_both(site: Site) -> None:
    swap(site.cables, End(LEAF, "Ethernet0"), End(LEAF, "Ethernet16"))
    assert faults(site) == [("swapped", f"swap the cables at {LEAF} ports 1/1 and 3/1")]
    swap(site.cables, End(LEAF, "Ethernet0"), End(LEAF, "Ethernet16"))
    swap(site.cables, End("gpu-u001-h01", "rail0"), End("gpu-u001-h01", "rail4"))
    assert faults(site) == [("swapped", "swap the cables at gpu-u001-h01 ports rail0 and rail4")]


def test_cable_in_another_port_or_device_is_moved(site: Site) -> None:
    host = unplug(site.cables, End(LEAF, "Ethernet0"))
    connect(site.cables, host, End(LEAF, "Ethernet508"))
    other = unplug(site.cables, End("leaf-u001-r4", "Ethernet0"))
    connect(site.cables, other, End("leaf-u002-r0", "Ethernet508"))
    assert faults(site) == [
        ("wrong port", f"move the cable of {host.device} port {host.port} from port 64/2 to port 1/1 of {LEAF}"),
        (
            "wrong device",
            f"move the cable of {other.device} port {other.port} from leaf-u002-r0 port 64/2 to leaf-u001-r4 port 1/1",
        ),
    ]


def rotate(cables: Cables, ends: list[End]) -> None:
    """Move the cable of each port to the next one."""
    far = [unplug(cables, end) for end in ends]
    for end, other in zip([*ends[1:], ends[0]], far, strict=True):
        connect(cables, end, other)


def test_cables_moved_in_a_circle_are_each_moved_back(site: Site) -> None:
    ports = ["Ethernet0", "Ethernet8", "Ethernet16", "Ethernet24", "Ethernet32"]
    rotate(site.cables, [End(LEAF, port) for port in ports])
    found = faults(site)
    assert [kind for kind, _ in found] == ["wrong port"] * 5
    assert len(set(found)) == 5


def test_missing_unplanned_and_foreign_cables(site: Site) -> None:
    host = unplug(site.cables, End(LEAF, "Ethernet0"))
    connect(site.cables, End(LEAF, "Ethernet508"), End("leaf-u001-r4", "Ethernet508"))
    connect(site.cables, End(LEAF, "Ethernet440"), End("printer-7", "1"))
    own = unplug(site.cables, End("gpu-u001-h02", "rail3"))
    connect(site.cables, End("gpu-u001-h02", "rail3"), End("printer-7", "2"))
    assert sorted(faults(site)) == [
        ("missing", f"connect {LEAF} port 1/1 to {host.device} port {host.port}: LLDP reports no cable there"),
        ("unplanned", f"remove the cable between {LEAF} port 56 and printer-7 port 1: the plan has none"),
        ("unplanned", f"remove the cable between {LEAF} port 64/2 and leaf-u001-r4 port 64/2: the plan has none"),
        ("wrong device", f"move the cable of gpu-u001-h02 port rail3 from printer-7 port 2 to {own.device} port 4/2"),
    ]


def test_port_that_hears_nothing_is_reported_where_the_other_end_hears_it(site: Site) -> None:
    site.write()
    file = site.folder / "gpu-u001-h01.txt"
    head, _, rest = file.read_text().partition("Interface:    rail1,")
    file.write_text(head + rest.partition("-" * 79 + "\n")[2])
    found = faults_of(check(site.folder, "--format", "json").exits(3))
    words = "check that LLDP is sent by leaf-u001-r0 port 1/2: gpu-u001-h01 port rail1 receives nothing"
    assert found == [("one way", words)]


def test_neighbor_without_name_is_to_be_added_to_the_asset_list(site: Site) -> None:
    site.write(but=("gpu-u001-h01",))
    file = site.folder / f"{LEAF}.txt"
    heard = hear(site.cables, site.aliases)[LEAF]
    blank = [e._replace(device="", peer_port="0c42.a188.0a1c") if e.port == "Ethernet0" else e for e in heard]
    file.write_text(TEXTS["sonic"](blank))
    (found,) = faults_of(check(site.folder, "--format", "json").exits(3))
    assert found[0] == "unnamed neighbor"
    assert "leaf-u001-r0 port 1/1 is connected to 0c42.a188.0a1c, which gives no name" in found[1]


def test_cables_of_which_no_end_was_read_are_no_pass(site: Site) -> None:
    hosts = [f"gpu-u{unit:03}-h{number:02}" for unit in (1, 2) for number in range(1, 5)]
    done = check(site.write(but=(*hosts,))).exits(0)
    assert "128 of 128 cables judged, 64 of them from one end" in done.stdout
    (site.folder / f"{LEAF}.txt").unlink()
    done = check(site.folder).exits(1)
    assert "FG-DIF-020" in done.stderr
    assert "16 not judged, as neither end was read" in done.stdout


def test_named_files_are_judged_alone_and_have_to_be_of_a_device(site: Site) -> None:
    site.write()
    assert "32 of 32 cables judged, 32 of them from one end" in check(site.folder / f"{LEAF}.txt").exits(0).stdout
    (site.folder / "leaf-9.txt").write_text("")
    assert "FG-STA-001" in check(site.folder / f"{LEAF}.txt", site.folder / "leaf-9.txt").exits(1).stderr
    assert "FG-DIF-024" in check(site.folder).exits(0).stderr
    assert "FG-STA-001" in check(site.folder / "absent").exits(1).stderr


@pytest.mark.parametrize(
    "name", ["{}/lldp.txt", "show_lldp_{}.log", "{}.example.net", "lldpctl-{}.out.txt", "a/{}-lldp.txt"]
)
def test_files_are_found_by_their_name_or_that_of_their_folder(site: Site, tmp_path: Path, name: str) -> None:
    file = tmp_path / "other" / name.format(LEAF)
    file.parent.mkdir(parents=True)
    (site.write() / f"{LEAF}.txt").rename(file)
    assert "32 of 32" in check(file).exits(0).stdout


def test_text_that_is_cut_short_is_no_pass(site: Site) -> None:
    file = site.write() / f"{LEAF}.txt"
    file.write_text(file.read_text()[:-40])
    done = check(site.folder, "--format", "json").exits(1)
    made = json.loads(done.stdout)
    assert not made["clean"]
    assert "FG-STA-012" in {each["code"] for each in made["diagnostics"]}


@pytest.mark.parametrize("form", ["table", "csv", "json", "junit", "sarif", "github"])
def test_every_format_has_the_sentence(site: Site, form: str) -> None:
    swap(site.cables, End(LEAF, "Ethernet0"), End(LEAF, "Ethernet16"))
    done = check(site.write(), "--format", form).exits(3)
    assert f"swap the cables at {LEAF} ports 1/1 and 3/1" in done.stdout
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(done.stdout))
        assert row["place"] == "rack 1" or row["place"].endswith(" 1")
