"""Switches that are out together: the bandwidth left between leafs, and the sets they are counted in."""
