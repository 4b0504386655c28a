"""BlueField-3: its view."""
