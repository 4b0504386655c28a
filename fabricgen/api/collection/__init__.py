"""Collection of the devices of an inventory: which, where, how answers are read, and what is reported."""
