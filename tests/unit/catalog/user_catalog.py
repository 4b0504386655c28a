"""Shared by the catalog tests: a user's own catalog folder, and what loading from it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabricgen.catalog import Catalog, OwnFolder, load_catalog
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath

NAMED_AT: IntentPath = ("tiers", "leaf", "model")

OWN = Path(__file__).parent / "own"
SWITCH, NIC, SERVER, ECN = (
    (OWN / f"{name}.yaml").read_text() for name in ("switches/tiny", "nics/mynic", "servers/myserver", "ecn/mymarks")
)


def write(folder: Path, kind: str, name: str, text: str) -> Path:
    path = folder / kind / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(extra: Path | None, **names: str) -> tuple[Catalog, list[Diagnostic]]:
    """Load one name per given kind (``switch``, ``nic``, ``server``, ``ecn``) and return what was said."""
    bag = Bag()

    def named(kind: str) -> dict[str, Any]:
        return {names[kind]: NAMED_AT} if kind in names else {}

    catalog = load_catalog(
        switches=named("switch"),
        nics=named("nic"),
        servers=named("server"),
        ecn_profiles=named("ecn"),
        own=() if extra is None else (OwnFolder(extra, extra.parent),),
        bag=bag,
    )
    return catalog, list(bag)
