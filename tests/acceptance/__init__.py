"""What a user may rely on, proved from the outside: bytes, growth, secrets, explanations, faults, the README."""
