"""Places of secrets in each platform's configuration, by kind of file, and where only what looks like one is one."""

from __future__ import annotations

from pathlib import Path

import yaml

AT: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
"""``{t}`` stands for the secret."""
