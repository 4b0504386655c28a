"""Families of platforms: code that several platforms of one kind share. No platform by themselves."""
