"""The rules, by area; every module here is loaded."""
