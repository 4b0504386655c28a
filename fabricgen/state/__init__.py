"""State that the plan expects of running devices, and the judgement of what they answered."""
