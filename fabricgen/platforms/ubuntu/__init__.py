"""Python of the platform ubuntu: reading the state of its hosts."""
