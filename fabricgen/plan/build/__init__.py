"""The planning stage: intent, catalog and platform facts in, one FabricPlan out."""

from fabricgen.plan.build.fabric import build_plan
from fabricgen.plan.build.facts import PlatformFacts

__all__ = ["PlatformFacts", "build_plan"]
