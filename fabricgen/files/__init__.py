"""The one door to files of others: regular ones only, bounded, never waiting, never outside a folder."""

from fabricgen.files.regular import Refused, Why, check_folder, is_beneath, kind_of, open_file, read_file, read_handed

__all__ = ["Refused", "Why", "check_folder", "is_beneath", "kind_of", "open_file", "read_file", "read_handed"]
