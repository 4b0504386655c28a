"""Sizing: from GPUs, a server and a switch to tiers, counts, cables and the intent that describes them."""
