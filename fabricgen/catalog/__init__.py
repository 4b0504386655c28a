"""What the catalog knows about switches, NICs, servers, ASICs and ECN profiles, each value with its source."""

from fabricgen.catalog.library import known_models
from fabricgen.catalog.loader import Catalog, load_catalog

__all__ = ["Catalog", "known_models", "load_catalog"]
