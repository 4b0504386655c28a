"""The README's support matrix: what each platform that comes with fabricgen can do, from the manifests."""

from __future__ import annotations

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import discover_platforms, template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec

BEGIN, END = "<!-- written by make docs -->\n", "<!-- end of the matrix -->"
QUESTIONS = {
    "IPv4, IPv6": ("ipv4", "ipv6"),
    "links without addresses": ("unnumbered",),
    "BFD": ("bfd",),
    "BGP password (MD5)": ("bgp_md5",),
    "GTSM": ("gtsm",),
    "drain a switch": ("drain",),
    "drain a link": ("drain_links",),
    "bonds across two leafs": ("bond_lacp",),
    "PFC and ECN": ("classes", "scheduling", "lossless_priorities_max"),
    "hash on RoCE queue pairs": ("hash_roce_dest_qp",),
}
"""A row, and the capabilities that a platform needs for a yes."""


def put_matrix(page: str) -> str:
    """Return the README with the matrix of today in its place."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + support_matrix() + END + rest.partition(END)[2]


def support_matrix() -> str:
    """Return a table with a column per switch platform and a row per feature."""
    bag = Bag()
    names = sorted(discover_platforms("switch", [template_root()], bag))
    specs = load_platforms(dict.fromkeys(names, ()), "switch", bag, [template_root()])
    rows = [
        ["", *(f"`{name}`" for name in names)],
        ["---"] * (len(names) + 1),
        ["rendered for", *(specs[name].target for name in names)],
        *([title, *(_answer(specs[name], asked) for name in names)] for title, asked in QUESTIONS.items()),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _answer(spec: PlatformSpec, asked: tuple[str, ...]) -> str:
    return "yes" if all(getattr(spec.capabilities, name) for name in asked) else "–"
