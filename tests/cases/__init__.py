"""A passing and a failing document for every diagnostic code an inventory can cause."""
