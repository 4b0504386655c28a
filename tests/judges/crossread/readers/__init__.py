"""One module per platform; each offers ``READER``, and that is all it takes to read one more platform."""
