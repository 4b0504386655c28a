"""Selection among equal paths at a tier of a platform: algorithm and seed, and the inputs of each.

Source:
    The manifests: ``hash_algorithms`` and ``hash_seeds`` by hash rank, ``hash_type_seeds`` by place in the Clos.
"""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.platforms.manifest.spec import PlatformSpec

ZERO = "0"
UNSURE = "?"
"""Ending of a seed of ``hash_type_seeds`` that the ASIC may not keep as it is."""


class TierHash(NamedTuple):
    """The choice of one tier.

    Attributes:
        algorithm: The maker's word; empty if none is configured.
        seed: The seed that is written; empty where none is.
        type_seed: The seed that the software takes from the switch's place; empty where it takes none, or zero.
        by_rank: What is written differs by hash rank.
    """

    algorithm: str
    seed: str
    type_seed: str
    by_rank: tuple[str, ...]

    @property
    def choice(self) -> tuple[str, str, str]:
        """Return what tiers that choose alike have in common; a seed that the ASIC may not keep counts as zero."""
        return self.algorithm, self.seed, "" if self.type_seed.endswith(UNSURE) else self.type_seed

    @property
    def seed_shown(self) -> str:
        """The seed in words; empty where nothing is known of it."""
        if not self.type_seed:
            return self.seed
        kept = self.type_seed.removesuffix(UNSURE)
        doubt = "" if kept == self.type_seed else ", if the ASIC keeps it"
        return f"{kept} by device type{doubt}"


def find_hash(spec: PlatformSpec | None, tier: int, rank: int, asic: str) -> TierHash:
    """Return how a tier chooses.

    Args:
        spec: Its platform; None if it is unknown.
        tier: Its number from the leaf up.
        rank: Its hash rank.
        asic: Name of its ASIC.
    """
    if spec is None:
        return TierHash("", "", "", ())
    legal = spec.switch.hash_asics
    written = legal is None or asic.startswith(legal)
    seeds = spec.hash_seeds if written else ()
    algorithms = spec.hash_algorithms if written else ()
    types = spec.hash_type_seeds
    means = [word for word, values in (("algorithm", algorithms), ("seed", seeds)) if len(values) > 1]
    return TierHash(
        algorithm=algorithms[rank % len(algorithms)] if algorithms else "",
        seed=seeds[rank % len(seeds)] if seeds else "",
        type_seed=types[min(tier, len(types) - 1)].removeprefix(ZERO) if types else "",
        by_rank=tuple(means),
    )
