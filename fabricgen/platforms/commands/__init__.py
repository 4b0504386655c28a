"""Command lines: their grammar, their modes and values, and the judgement of a snippet's lines."""
