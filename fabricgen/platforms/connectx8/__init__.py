"""ConnectX-8: its view."""
