"""Tables of addresses and links where hosts bond, and where a family is missing."""

from __future__ import annotations

from collections import Counter

import pytest

from fabricgen.tables.tables import GATEWAY_OF, list_addresses, list_links
from tests.acceptance.run import INVENTORIES, plan_of


@pytest.mark.parametrize("overlays", [(), ("routed",)])
def test_every_gateway_of_bonded_hosts_is_listed_at_both_leafs(overlays: tuple[str, ...]) -> None:
    plan = plan_of(INVENTORIES / "dual-tor", *overlays)
    listed = [row for row in list_addresses(plan) if str(row["purpose"]).startswith(GATEWAY_OF)]
    used = {row["b_address"] for row in list_links(plan) if row["link"] == "host-leaf"}
    assert Counter(row["address"] for row in listed) == dict.fromkeys(used, 2)
    assert len({(row["device"], row["interface"]) for row in listed}) == len(listed) == 2 * len(used)


@pytest.mark.parametrize(("link", "length6"), [("host-leaf", 127), ("leaf-spine", "")])
def test_a_family_that_is_not_there_has_no_prefix_length(link: str, length6: int | str) -> None:
    rows = [row for row in list_links(plan_of(INVENTORIES / "dual-plane")) if row["link"] == link]
    assert {(row["a_address"], row["length"], row["length6"]) for row in rows} == {("", "", length6)}
