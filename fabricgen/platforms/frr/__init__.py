"""A plain Linux router with FRRouting: what its templates need beyond the device model."""
