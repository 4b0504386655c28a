"""Devices that stand in for switches and hosts on this machine, reached over SSH as real ones are."""
