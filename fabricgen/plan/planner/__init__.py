"""The planning stage: intent, catalog and platform facts in, one FabricPlan out."""

from fabricgen.plan.planner.fabric import build_plan
from fabricgen.plan.planner.platform_facts import PlatformFacts

__all__ = ["PlatformFacts", "build_plan"]
