"""The vendor-neutral model of one device, and how a plan is lowered to it."""
