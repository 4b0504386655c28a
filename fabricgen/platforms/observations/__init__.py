"""State of running devices as their commands show it, read into records that no platform's words are left in."""
