"""What the user writes: frozen, strict models of the intent language."""
