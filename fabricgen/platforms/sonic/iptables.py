"""iptables arguments as nftables says them: the few that the control-plane ACL daemon uses.

Source:
    iptables(8), iptables-extensions(8), nft(8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

TYPES = {
    "neighbor-solicitation": "nd-neighbor-solicit",
    "neighbor-advertisement": "nd-neighbor-advert",
    "router-solicitation": "nd-router-solicit",
    "router-advertisement": "nd-router-advert",
}
"""Names of ICMPv6 types that differ."""
CHAINS = {
    ("", "INPUT"): ("filter", "input", 0),
    ("raw", "PREROUTING"): ("raw", "prerouting", -300),
    ("raw", "OUTPUT"): ("raw", "output", -300),
}
"""Table and chain of iptables to table, hook and priority of nftables."""
FAMILIES = {"4": "ip", "6": "ip6"}


def to_nft(rules: Iterable[tuple[str, str]]) -> str:
    """A script for ``nft -f`` that installs rules in their order; policies are those of the kernel, accept.

    Args:
        rules: ``4`` or ``6`` and the arguments.

    Raises:
        ValueError: An argument that is not known here.
    """
    lines = []
    for family in FAMILIES.values():
        for table, hook, priority in CHAINS.values():
            lines.append(f"add table {family} {table}")
            chain = f"{{ type filter hook {hook} priority {priority}; policy accept; }}"
            lines.append(f"add chain {family} {table} {hook} {chain}")
    lines += [_statement(FAMILIES[version], arguments) for version, arguments in rules]
    return "".join(f"{line}\n" for line in lines)


def _statement(family: str, arguments: str) -> str:
    """One rule."""
    options = dict(_options(arguments.split()))
    table, hook, _ = CHAINS[options.pop("-t", ""), options.pop("-A")]
    verdict = options.pop("-j").lower()
    words = [*_matches(family, options)]
    if options:
        raise ValueError(f"{arguments}: {', '.join(options)} is not known")
    return " ".join([f"add rule {family} {table} {hook}", *words, verdict])


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Each option and its value; a negated one begins with an exclamation mark."""
    rest = iter(words)
    for word in rest:
        name = f"!{next(rest)}" if word == "!" else word
        yield name, next(rest)


def _matches(family: str, options: dict[str, str]) -> Iterator[str]:
    """Yield what a rule looks at; what has been said is taken out of the options."""
    protocol = options.pop("-p", "").replace("icmpv6", "ipv6-icmp")
    options.pop("-m", "")
    for option, words in (("-s", f"{family} saddr"), ("-d", f"{family} daddr")):
        if option in options:
            yield f"{words} {options.pop(option)}"
    for option, words in (("-i", "iifname"), ("!-i", "iifname !=")):
        if option in options:
            yield f'{words} "{options.pop(option)}"'
    if "--ctstate" in options:
        yield f"ct state {options.pop('--ctstate').lower()}"
    for option, words in (("--ttl-lt", "ip ttl"), ("--hl-lt", "ip6 hoplimit")):
        if option in options:
            yield f"{words} < {options.pop(option)}"
    for option, words in (("--icmp-type", "icmp"), ("--icmpv6-type", "icmpv6")):
        if option in options:
            kind = options.pop(option)
            yield f"{words} type {TYPES.get(kind, kind)}"
            return
    if "--dport" in options:
        yield f"{protocol} dport {options.pop('--dport').replace(':', '-')}"
    elif protocol:
        yield f"meta l4proto {protocol}"
