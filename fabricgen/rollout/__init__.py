"""From a difference to a plan of waves: who goes out when, what is checked, and how to go back."""
