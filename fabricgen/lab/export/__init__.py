"""Labs for other programs, one module per format."""
