"""First files of a new check, NIC or platform: `make new-check`, `make new-nic`, `make new-platform`."""
