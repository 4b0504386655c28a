"""Planning: the intent turned into a fabric in closed form."""
