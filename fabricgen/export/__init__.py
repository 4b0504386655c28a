"""Forms that other tools read, one module each, made of the plan and of what it expects of running devices."""
