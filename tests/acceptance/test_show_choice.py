"""Choosing devices of `show` by name, tier and unit."""

from __future__ import annotations

import json
import re

from tests.acceptance.run import INVENTORIES, run, succeed

QUICKSTART, IRREGULAR = INVENTORIES / "quickstart", INVENTORIES / "irregular"


def shown(*words: str, inventory: str = "quickstart") -> list[dict[str, str]]:
    return json.loads(succeed("show", INVENTORIES / inventory, *words, "--format", "json"))


def names(*words: str) -> list[str]:
    return [row["name"] for row in shown("devices", *words)]


def test_values_of_one_option_are_alternatives_and_options_are_conditions() -> None:
    assert names("--device", "leaf-u001-*", "--device", "spine-02") == ["leaf-u001-r0", "leaf-u001-r4", "spine-02"]
    assert names("--tier", "leaf", "--unit", "2") == ["leaf-u002-r0", "leaf-u002-r4"]
    assert names("--tier", "[ls]*", "--unit", "1-2", "--unit", "002") == names("--tier", "leaf")
    assert names("--unit", "2-90", "--device", "*-h0[12]") == ["gpu-u002-h01", "gpu-u002-h02"]
    assert names("--tier", "spine", "--tier", "gpu", "--device", "*1") == ["spine-01", "gpu-u001-h01", "gpu-u002-h01"]


def test_a_link_is_chosen_by_either_end() -> None:
    links = [(row["a"], row["b"]) for row in shown("links")]
    for chosen, is_mine in (
        (("--device", "spine-01"), lambda name: name == "spine-01"),
        (("--unit", "2"), lambda name: "-u002-" in name),
        (("--tier", "gpu", "--device", "*u001*"), lambda name: name.startswith("gpu-u001")),
    ):
        expected = [ends for ends in links if any(map(is_mine, ends))]
        assert 0 < len(expected) < len(links)
        assert [(row["a"], row["b"]) for row in shown("links", *chosen)] == expected
        labels = [label for row in shown("cabling", *chosen) for label in row["label"].split("; ")]
        assert sorted(tuple(re.findall(r"(\S+):\S+", label)) for label in labels) == sorted(expected)


def test_addresses_and_exceptions_are_chosen_by_their_devices() -> None:
    assert {row["device"] for row in shown("addresses", "--device", "*u001-r?")} == {"leaf-u001-r0", "leaf-u001-r4"}
    rows = shown("exceptions", "--device", "spine-02", inventory="irregular")
    # One link is cabled to it by the rule, the other ends there by exception.
    assert [row["name"] for row in rows] == [
        "spine-02", "leaf-u001-r0:Ethernet496 -- spine-01", "leaf-u002-r0:Ethernet484 -- spine-02",
    ]  # fmt: skip


def test_a_value_that_matches_nothing_is_an_error_with_close_names() -> None:
    done = run("show", QUICKSTART, "devices", "--device", "leaf-u1-r0", "--tier", "leafs", "--unit", "7")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("FG-OUT-021") == 3
    for text in ("'leaf-u1-r0'; there are 14, for example leaf-u001-r0", "'leafs'; there are 3, for example leaf\n"):
        assert text in done.stderr
    assert "no unit matches --unit '7'; there are 2, for example 1, 2" in done.stderr
    done = run("show", QUICKSTART, "devices", "--tier", "spine", "--unit", "1").exits(1)
    assert "no device matches all of" in done.stderr


def test_tables_of_the_whole_fabric_take_no_choice() -> None:
    done = run("show", QUICKSTART, "qos", "--tier", "leaf").exits(2)
    assert "qos has none of them" in done.stderr
