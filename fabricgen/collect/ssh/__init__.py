"""SSH to devices: logins, host keys, sessions and their commands. The only place that knows the SSH library."""
