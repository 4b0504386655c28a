"""Link bandwidths: every leaf announces its prefixes with one, or none does."""

from __future__ import annotations

from .case import Case


def prove_bandwidths_agree(case: Case) -> list[str]:
    """A route without a bandwidth among equal ones with it turns all of them into plain ECMP."""
    sessions = case.sessions()
    leafs = {leaf[0] for _, leaf in case.host_links}
    told: dict[str, bool] = {}
    for lower, upper in case.switch_links if leafs else ():
        for bits in case.families:
            session = case.session(sessions, lower, upper, bits)
            if session is None or lower[0] not in leafs:
                continue
            rules = [rule for policy in session.export_policies for rule in policy.rules if rule.permit]
            told[f"{lower[0]} to {upper[0]}"] = any(rule.bandwidth for rule in rules)
    if len(set(told.values())) < 2:
        return []
    one = next(way for way, has in told.items() if has)
    return [f"{way}: announces no link bandwidth, but {one} does" for way, has in told.items() if not has]
