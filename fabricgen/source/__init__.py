"""Source: YAML, JSON and CSV files to data in which every value knows its place.

Only ``parse`` and ``build`` know ruamel.yaml, and import it when a file is read: a process that merely holds documents
stays free of it.
"""

from fabricgen.source.decode import NOT_OPENED, find_hidden_in, is_folder
from fabricgen.source.document import Document, EditedTree
from fabricgen.source.nodes import RawFloat, item_segments, natural_key
from fabricgen.source.reader import load_data, load_document, load_text, load_text_document, read_lines
from fabricgen.source.table import CsvRow, edit_csv, read_csv

__all__ = [
    "NOT_OPENED",
    "CsvRow",
    "Document",
    "EditedTree",
    "RawFloat",
    "edit_csv",
    "find_hidden_in",
    "is_folder",
    "item_segments",
    "load_data",
    "load_document",
    "load_text",
    "load_text_document",
    "natural_key",
    "read_csv",
    "read_lines",
]
