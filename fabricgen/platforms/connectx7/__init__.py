"""ConnectX-7 NICs under Linux."""
