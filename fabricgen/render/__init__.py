"""Rendering: device models through the platforms' templates into files, and from an output line back to its causes."""
