"""The stages up to the checks: from an inventory to a checked plan, every diagnostic as the user should see it."""
