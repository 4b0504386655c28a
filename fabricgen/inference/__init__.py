"""From switches as their own files describe them to the smallest intent that gives the same files."""
