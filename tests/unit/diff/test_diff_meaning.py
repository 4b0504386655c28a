"""Differences and non-differences, on whole trees of the quickstart."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from diff_site import CONFIG_DB, FRR, LEAF, QUICKSTART, SPINE, Site, edit_json, switch_file

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.junit import write_junit
from fabricgen.diff.markdown import write_markdown
from fabricgen.diff.report import to_data, write_text
from fabricgen.diff.summary import DiffSummary
from tests.acceptance.run import copy_inventory, render_here
from tests.sampling import EVERYTHING, shuffled


def clean(summary: DiffSummary) -> DiffSummary:
    assert [group.headline() for group in summary.groups()] == []
    assert summary.totals.is_clean(unmanaged=False)
    return summary


def device_rows(data: dict[str, dict[str, dict[str, object]]]) -> None:
    """Return the rows that a switch adds by itself."""
    data["DEVICE_METADATA"]["localhost"]["mac"] = "c0:ff:ee:00:00:01"
    data["VERSIONS"] = {"DATABASE": {"VERSION": "version_202505_01"}}
    data["FEATURE"] = {"bgp": {"state": "enabled"}, "sflow": {"state": "disabled", "auto_restart": "enabled"}}
    data["CRM"] = {"Config": {"polling_interval": "300"}}
    for row in data["PORT"].values():
        row.update(dhcp_rate_limit="300", role="Ext", mtu=int(str(row["mtu"])))


def test_a_tree_equals_itself_and_its_inventory(site: Site) -> None:
    assert clean(site.compare(site.out, site.copy())).totals.compared == 14
    assert clean(site.compare(QUICKSTART, site.out)).totals.compared == 14
    assert clean(site.compare(site.out, QUICKSTART)).totals.compared == 14


def test_order_layout_defaults_and_the_devices_own_rows_are_no_difference(site: Site) -> None:
    deployed, rng = site.copy(), random.Random(1)
    for name in (LEAF, SPINE):
        file = switch_file(deployed, name)
        edit_json(file, device_rows)
        file.write_text(json.dumps(shuffled(json.loads(file.read_text()), rng), indent=2))
        edit_json(file, lambda data: data["SWITCH_HASH"]["GLOBAL"]["ecmp_hash"].reverse())
    summary = clean(site.compare(site.out, deployed))
    assert summary.totals.unmanaged == {"CRM": 2}
    assert not summary.totals.is_clean(unmanaged=True)


def test_a_dump_of_the_whole_running_configuration(site: Site) -> None:
    dumps = site.folder / "dumps"
    dumps.mkdir()
    for folder in (site.out / "switches").iterdir():
        data = json.loads((folder / CONFIG_DB).read_text())
        device_rows(data)
        data["bgpraw"] = "Building configuration...\n\nCurrent configuration:\n!\n" + (folder / FRR).read_text()
        (dumps / f"{folder.name}.json").write_text(json.dumps(data, indent=4))
    assert clean(site.compare(site.out, dumps, only=("[ls]*",))).totals.compared == 6


@pytest.mark.parametrize(
    "layout", ["{name}", "configs/{name}", "site/{name}.cfg", "{name}_config_db.json", "{name}/config_db.json"]
)
def test_flat_files_of_collectors(site: Site, layout: str) -> None:
    flat = site.folder / "flat"
    for folder in (site.out / "switches").iterdir():
        target = flat / layout.format(name=folder.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / CONFIG_DB, target)
    edit_json(flat / layout.format(name=LEAF), lambda data: data["PORT"]["Ethernet0"].update(fec="none"))
    summary = site.compare(site.out, flat, only=("[ls]*",))
    (group,) = summary.groups()
    assert group.headline() == "FEC different: none → rs on 1 port of 1 leaf"
    assert summary.totals.absent == {FRR: 6}


def test_a_single_file_and_a_pipe(site: Site) -> None:
    clean(site.compare(site.out, switch_file(site.out)))
    clean(site.compare(site.out, switch_file(site.out, path=FRR)))
    data = switch_file(site.out, SPINE).read_bytes()
    clean(site.compare(site.out, "-", stdin=lambda: data))


def test_the_same_change_of_many_devices_is_one_group(site: Site) -> None:
    deployed = site.copy()
    for folder in (deployed / "switches").iterdir():

        def lower(data: dict[str, dict[str, dict[str, str]]]) -> None:
            for row in data["WRED_PROFILE"].values():
                row.update({f"{colour}_max_threshold": "1500000" for colour in ("green", "yellow", "red")})

        edit_json(folder / CONFIG_DB, lower)
    summary = site.compare(site.out, deployed)
    groups = summary.groups()
    assert {(group.title, group.disruption, group.noun) for group in groups} == {("ECN Kmax", "hitless", "port")}
    assert len({group.after for group in groups}) == len(groups), "as many as there are intended thresholds"
    assert groups[0].headline().startswith("ECN Kmax different: 1,500,000 → ")
    assert {member.role for group in groups for member in group.members} == {"leaf", "spine"}
    data = json.loads(switch_file(site.out).read_text())
    marked = {key.split("|")[0] for key, row in data["QUEUE"].items() if "wred_profile" in row}
    spine = json.loads(switch_file(site.out, SPINE).read_text())
    upper = {key.split("|")[0] for key, row in spine["QUEUE"].items() if "wred_profile" in row}
    assert sum(group.things for group in groups) == 4 * len(marked) + 2 * len(upper)


def test_rows_and_fields_that_one_side_lacks(site: Site) -> None:
    def change(data: dict[str, dict[str, dict[str, str]]]) -> None:
        del data["QUEUE"]["Ethernet0|3"]
        data["QUEUE"]["Ethernet0|9"] = {"scheduler": "idle"}
        data["PORT"]["Ethernet4"]["tx_power"] = "-10"
        data["PORT_QOS_MAP"]["Ethernet8"]["pfc_enable"] = "3,4"
        del data["BUFFER_POOL"]

    summary = site.compare(site.out, site.edited(change))
    found = {(group.title, group.action, group.first.steps[:2]) for group in summary.groups()}
    assert ("queue", "add", ("QUEUE", "Ethernet0|3")) in found
    assert ("queue", "remove", ("QUEUE", "Ethernet0|9")) in found
    assert ("port", "remove", ("PORT", "Ethernet4")) in found
    assert ("PFC priorities", "change", ("PORT_QOS_MAP", "Ethernet8")) in found
    assert ("buffer pool", "add", ("BUFFER_POOL", "ingress_lossless_pool")) in found
    assert summary.worst() == "drain"


def test_secrets_are_neither_compared_nor_shown(site: Site) -> None:
    changes = {"\noperations: {": '\noperations: {snmp: {community: {secret: "env:C"}}, '}
    inventory, tree = copy_inventory("quickstart", site.folder / "inventory", changes), site.folder / "tree"
    assert render_here(inventory, tree) == []
    deployed = site.folder / "deployed"
    shutil.copytree(tree, deployed)
    shutil.rmtree(deployed / "manifest")

    def resolve(data: dict[str, dict[str, dict[str, str]]]) -> None:
        data["SNMP_COMMUNITY"] = {"hush-hush": {"TYPE": "RO"}, "second-one": {"TYPE": "RW"}}
        data["TACPLUS"]["global"]["passkey"] = "hush-hush"
        data["TACPLUS_SERVER"]["192.168.0.77"] = {"passkey": "hush-hush", "priority": "1"}
        data["RADIUS"] = {"global": {"passkey": "hush-hush"}}

    edit_json(switch_file(deployed), resolve)
    summary = site.compare(tree, deployed, details=True)
    assert summary.totals.secrets == 2
    shown = [
        write_text(summary, details=True, unmanaged=True),
        write_markdown(summary, [], details=True, unmanaged=True),
        json.dumps(to_data(summary, [], details=True, unmanaged=True)),
    ]
    assert all("secret" in text for text in shown)
    for text in (*shown, write_junit(summary, [], details=True)):
        assert "hush" not in text
        assert "second-one" not in text


def test_a_file_that_is_missing_or_beyond(site: Site) -> None:
    deployed = site.copy()
    host = deployed / "hosts" / "gpu-u001-h01"
    (host / "etc/nccl.conf").unlink()
    (host / "etc/other.conf").write_text("a = 1\n")
    summary = site.compare(site.out, deployed)
    (group,) = summary.groups()
    assert (group.action, group.first.path) == ("add", "etc/nccl.conf")
    assert summary.totals.unmanaged == {"etc/other.conf (file)": 1}


@pytest.mark.nightly
def test_whole_and_windowed_reading_agree(site: Site, tmp_path: Path) -> None:
    """Reading only the tables that differ finds what reading everything finds."""
    rng = random.Random(7)
    for number in range(30 if EVERYTHING else 8):
        file = switch_file(site.out)
        text = file.read_text()
        deployed = site.copy(f"deployed{number}")
        lines = text.split("\n")
        for _ in range(rng.randint(1, 3)):
            index = rng.randrange(20, len(lines) - 20)
            lines[index] = lines[index].replace("9100", "9000").replace('"rs"', '"none"').replace("true", "false")
            lines[index] = lines[index].replace("AZURE", "OTHER").replace("etp", "eth").replace("3", "5", 1)
        switch_file(deployed).write_text("\n".join(lines))
        quick, codes = site.diff(site.out, deployed, details=True)
        whole, more = site.diff(site.out, deployed, details=True, patches=tmp_path / f"patches{number}")
        assert codes == more
        assert told(quick) == told(whole)


def told(summary: DiffSummary) -> list[tuple[object, ...]]:
    return [(g.headline(), [(i.device, i.steps, i.before, i.after) for i in g.details]) for g in summary.groups()]


def test_git_revisions_of_inventories_and_trees(site: Site) -> None:
    shutil.copytree(QUICKSTART, site.folder / "inventory")
    site.commit()
    file = site.folder / "inventory/fabric.yaml"
    file.write_text(file.read_text().replace("length_m: 30", "length_m: 60"))
    for old in ("main:inventory", "main:out", "HEAD:inventory/fabric.yaml"):
        summary = site.compare("inventory", old)
        assert "cable length" in {group.title for group in summary.groups()}
    clean(site.compare("main:inventory", "main:out"))


def test_an_inventory_of_a_revision_is_told_by_its_name(site: Site) -> None:
    broken = site.folder / "inventory"
    shutil.copytree(QUICKSTART, broken)
    (broken / "fabric.yaml").write_text("fabric: [\n")
    site.commit()
    bag = Bag()
    assert diff("main:inventory", "out", DiffOptions(site.folder), bag) is None
    (found,) = [found for found in bag if found.place is not None]
    assert found.place.file == "main:inventory/fabric.yaml"


@pytest.mark.parametrize("mode", ["separated", None])
def test_a_switch_that_lost_its_routing_mode_is_told_in_one_line(site: Site, mode: str | None) -> None:
    """After db_migrator with a minigraph on the switch the next start of bgp deletes frr.conf."""

    def lose(data: dict[str, dict[str, dict[str, object]]]) -> None:
        row = data["DEVICE_METADATA"]["localhost"]
        del row["docker_routing_config_mode"]
        if mode:
            row["docker_routing_config_mode"] = mode

    summary = site.compare(site.out, site.edited(lose))
    (group,) = summary.groups()
    assert group.disruption == "drain"
    assert "the next start of bgp replaces frr.conf" in group.headline()
    assert group.headline().endswith("split-unified on 1 leaf")
