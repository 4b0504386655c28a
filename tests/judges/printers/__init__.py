"""Rendered files in the form in which their systems print them; nothing of the product is imported."""
