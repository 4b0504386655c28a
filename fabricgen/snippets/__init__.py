"""Raw snippets of exceptions: loaded, judged, and compared with what they change."""
