"""Catalog of switches, NICs, servers, ASICs and ECN profiles, each value with its source."""

from fabricgen.catalog.library import OwnFolder, known_models
from fabricgen.catalog.loader import Catalog, load_catalog

__all__ = ["Catalog", "OwnFolder", "known_models", "load_catalog"]
