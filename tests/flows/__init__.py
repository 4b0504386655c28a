"""Flows through rendered configurations, one by one: what `analyze failures` says of them is held against this."""
