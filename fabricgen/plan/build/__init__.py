"""The planning stage: intent, catalog and platform facts in, one FabricPlan out."""

from fabricgen.plan.build.fabric import PlatformFacts, build_plan

__all__ = ["PlatformFacts", "build_plan"]
