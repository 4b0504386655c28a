"""EOS text held against Arista's own generator: read into its data model, rendered by it, compared line by line."""
