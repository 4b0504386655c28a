"""Text that is not ours on its way into an XML document: everything visible, nothing obeyed."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from fabricgen.diagnostics.visible import show_lines


def in_xml(text: str) -> str:
    """Write a text between tags; lines stay."""
    return escape(show_lines(text))


def in_xml_attribute(text: str) -> str:
    """Write a text as the quoted value of an attribute; lines stay, as references."""
    return quoteattr(show_lines(text))
