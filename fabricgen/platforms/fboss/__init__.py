"""FBOSS: views of the device model for the agent's and the BGP daemon's JSON."""
