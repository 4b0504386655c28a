"""The README's support matrix: what each platform that comes with fabricgen can do, from the manifests."""

from __future__ import annotations

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_all
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
    "bonds across two leafs in one subnet": ("bond_lacp",),
    "routed bonds across two leafs": ("bond_routed",),
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
    specs = load_all("switch", Bag(), [template_root()]).values()
    rows = [
        ["", *(f"`{spec.name}`" for spec in specs)],
        ["---"] * (len(specs) + 1),
        ["rendered for", *(spec.target for spec in specs)],
        *([title, *(_answer(spec, asked) for spec in specs)] for title, asked in QUESTIONS.items()),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _answer(spec: PlatformSpec, asked: tuple[str, ...]) -> str:
    return "yes" if all(getattr(spec.capabilities, name) for name in asked) else "–"
