"""Checks and drills of a running lab, against the plan."""
