"""Intent language: frozen, strict models."""
