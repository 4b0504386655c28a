"""Changes as steps that carry them out on a device."""
