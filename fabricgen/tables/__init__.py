"""Tables of a plan, as rows of plain values."""
