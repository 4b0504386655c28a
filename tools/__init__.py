"""Tools of the repository; none of them is part of the product."""
