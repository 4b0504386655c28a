"""The first hour of each role, at the widths of usual terminals: few commands, and the answer is on the screen."""
