"""Random legal fabrics over the whole language, and a model of them that shares nothing with the product."""
