"""Properties that hold for any fabric and any input."""
