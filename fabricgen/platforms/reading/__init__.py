"""Files of devices: read to trees, and the meaning of each place in them."""
