"""Sets of routes: a policy does to all of them at once what it does to each."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .crossread.policy import NO_MARKS, Marks, Policy, PolicyRule, Prefix, PrefixRule
from .crossread.routeset import Routes

BITS = 32
MARKS = [NO_MARKS, frozenset({"65000:1"}), frozenset({"65000:1", "65000:2"})]

LENGTHS = (0, 1, 2, 32)
BLOCKS = sorted({Prefix(number << 30, BITS, BITS).widened(length) for number in range(4) for length in LENGTHS})

lengths, blocks = st.sampled_from(LENGTHS), st.sampled_from(BLOCKS)
entries = st.builds(PrefixRule, st.booleans(), blocks, lengths, lengths)
rules = st.builds(
    PolicyRule, st.booleans(), st.none() | st.lists(entries, max_size=4).map(tuple),
    st.none() | st.sampled_from(MARKS[1:]), st.sampled_from(MARKS), st.booleans(),
)  # fmt: skip
policies = st.builds(Policy, st.just("MAP"), st.lists(rules, max_size=4).map(tuple))
origins = st.dictionaries(st.sampled_from("abc"), st.frozensets(blocks, max_size=6))


def one_by_one(through: list[Policy], route: Prefix, marks: Marks) -> Marks | None:
    """The communities with which one route passes several policies."""
    passed: Marks | None = marks
    for policy in through:
        passed = None if passed is None else policy.apply(route, passed)
    return passed


@given(origins, st.lists(policies, max_size=3), st.sampled_from(MARKS))
def test_policies_do_the_same_to_all_at_once(
    by_origin: dict[str, frozenset[Prefix]], through: list[Policy], marks: Marks
) -> None:
    routes = Routes(BITS, by_origin)
    passed = {item: left for left, some in routes.through(through, marks).items() for item in routes.named(some)}
    alone = {(p, origin): one_by_one(through, p, marks) for origin, own in by_origin.items() for p in own}
    assert passed == {item: left for item, left in alone.items() if left is not None}


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_an_entry_of_a_list_means_the_same_to_all_at_once(block: Prefix) -> None:
    routes = Routes(BITS, {"a": BLOCKS})
    for shortest, longest in product(LENGTHS, LENGTHS):
        entry = PrefixRule(True, block, shortest, longest)
        found = routes.split(Policy("MAP", (PolicyRule(True, (entry,)),)), NO_MARKS)
        passed = [route for some in found.values() for route, _ in routes.named(some)]
        assert passed == [route for route in BLOCKS if entry.matches(route)]


def test_routes_are_their_origin_s() -> None:
    ten, eleven = Prefix(10 << 24, 8), Prefix(11 << 24, 8)
    routes = Routes(BITS, {"a": [ten, Prefix(0, 8, 128)], "b": [eleven, ten]})
    assert list(routes.named(routes.of["b"])) == [(ten, "b"), (eleven, "b")]
    assert set(routes.named(routes.all)) == set(product([ten], "ab")) | {(eleven, "b")}
    assert routes.of["a"] | routes.of["b"] == routes.all
    assert routes.of["a"] & routes.of["b"] == 0
