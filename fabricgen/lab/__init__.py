"""The fabric on real routing daemons: every switch and host a network namespace of this machine."""
