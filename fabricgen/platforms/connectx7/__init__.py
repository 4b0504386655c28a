"""ConnectX-7: its view."""
