"""Community SONiC: what its templates need beyond the device model."""
