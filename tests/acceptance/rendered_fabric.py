"""A fabric as a user sees it: what the command line prints of it, and the files it renders."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.command_line import succeed


@dataclass(frozen=True)
class Rendered:
    """An inventory and its rendered tree."""

    inventory: str
    out: Path

    @classmethod
    def of(cls, inventory: str | Path, out: Path) -> Rendered:
        succeed("render", str(inventory), "-o", str(out))
        return cls(str(inventory), out)

    def shown(self, *words: str) -> dict[str, Any]:
        """Return what ``show`` or ``analyze`` prints as JSON."""
        verb, what = words
        return json.loads(succeed(verb, self.inventory, what, "--format", "json"))

    @cached_property
    def switches(self) -> dict[str, dict[str, Any]]:
        files = sorted(self.out.glob("switches/*/etc/sonic/config_db.json"))
        return {path.parts[-4]: json.loads(path.read_text(encoding="utf-8")) for path in files}

    def of_tier(self, tier: str) -> dict[str, Any]:
        """CONFIG_DB of the first switch of a tier."""
        return next(db for name, db in self.switches.items() if name.startswith(f"{tier}-"))

    @cached_property
    def files(self) -> dict[str, str]:
        """Every file by path, the manifest aside: it holds digests."""
        paths = [path for path in sorted(self.out.rglob("*")) if path.is_file() and "manifest" not in path.parts]
        return {str(path.relative_to(self.out)): path.read_text(encoding="utf-8") for path in paths}

    def host_file(self, path: str) -> str:
        return next(text for name, text in self.files.items() if name.startswith("hosts/") and name.endswith(path))


def numbers(text: str) -> list[int]:
    """Numbers of a list such as ``3`` or ``0-2`` or ``0-25 27``."""
    found: list[int] = []
    for word in re.findall(r"\d+(?:-\d+)?", text):
        first, _, last = word.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
