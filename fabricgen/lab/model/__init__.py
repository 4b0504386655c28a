"""A lab as data: devices, cables, configurations, drawn from a plan."""
