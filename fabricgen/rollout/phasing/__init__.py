"""A difference whose changes need two ends in an order, to phases that are safe in every half state."""
