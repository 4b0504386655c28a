"""Kinds of fabrics drawn, for a histogram."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .model import Model
from .records import Data, number
from .vocabulary import Drawn


def kinds(drawn: Drawn) -> Iterator[str]:
    """Every kind that a fabric is of, a word for the kind and one for which."""
    model = Model(drawn.data)
    data = model.data
    addressing = data.get("addressing", {})
    yield f"families {'+'.join(addressing.get('families', ['ipv4']))}"
    yield f"fabric_links {'unnumbered' if addressing.get('fabric_links') == 'unnumbered' else 'numbered'}"
    planes = data.get("planes", 1)
    yield f"planes {number(planes)} {planes.get('host', 'separate') if isinstance(planes, dict) else 'separate'}"
    attachment = model.attachment(min(data["hosts"], key="gpu".__ne__))
    bonds = {"lacp": "bond", "routed": "routed bond"}.get(attachment.get("bond"), "no bond")
    yield f"attachment {attachment.get('group', 'rail')}, {model.members} leafs per group, {bonds}"
    yield f"platforms {' under '.join(data['tiers'][tier]['platform'] for tier in model.tiers)}"
    yield f"models {len({tier['model'] for tier in data['tiers'].values()})} different"
    yield f"tiers {len(model.tiers)}"
    yield f"scopes {'+'.join(key for key in ('zones', 'pods') if key in data) or 'units only'}"
    for tier in model.tiers[1:]:
        yield f"stripe {model.stripe(tier) or 'mesh'}"
    yield f"hosts {data.get('routing', {}).get('hosts', 'static')}"
    yield f"host groups {len(data['hosts'])}"
    yield f"mode {data['lossless'].get('mode', 'dcqcn')}"
    yield from _ecmp(data)
    for key in ("assets", "collectives", "operations", "expect", "rollout", "workload"):
        if key in data:
            yield f"with {key}"
    if drawn.overlay:
        yield "with overlay"
    if any(group.get("nvlink_domain", 1) > 1 for group in data["hosts"].values()):
        yield "with nvlink domains"
    for said in data.get("exceptions", ()):
        subject = next(key for key in ("device", "host", "link") if key in said)
        what = next(key for key in ("state", "to", "ports", "raw", "set", "cable") if key in said)
        yield f"exception {subject} {said[what] if what == 'state' else what}"


def _ecmp(data: Data) -> Iterator[str]:
    """Words of choosing among equal paths, those of tiers too."""
    for where, said in [("routing", data.get("routing", {})), *data["tiers"].items()]:
        for key, value in said.get("ecmp", {}).items():
            shown = "+".join(value) if isinstance(value, list) else value
            yield f"ecmp {key} {shown} of {'the fabric' if where == 'routing' else 'a tier'}"


def show(counted: Counter[str]) -> str:
    """A histogram as text, the most frequent of each kind first."""
    order = sorted(counted, key=lambda kind: (kind.split()[0], -counted[kind], kind))
    return "\n".join(f"{counted[kind]:5} {kind}" for kind in order)
