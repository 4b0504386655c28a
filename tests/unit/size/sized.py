"""Requests for sizing tests."""

from __future__ import annotations

from functools import cache

from fabricgen.diagnostics import Bag
from fabricgen.sizing.ask import Shelf, SizingOptions, load_shelf, make_request
from fabricgen.sizing.fabric import FabricSize, size_fabric
from fabricgen.sizing.request import SwitchModels, Unfit


@cache
def shelf() -> Shelf:
    """Return the shipped catalog."""
    bag = Bag()
    found = load_shelf((), bag)
    assert not list(bag)
    return found


def sized(asked: SizingOptions, *models: str, platform: str = "sonic") -> FabricSize | Unfit:
    """Size a request on a leaf, a spine and a core; those left out are as the one before."""
    switches = shelf().catalog.switches
    leaf, spine, core = [switches[models[min(number, len(models) - 1)]] for number in range(3)]
    return size_fabric(make_request(asked, shelf()), SwitchModels(leaf, spine, core, platform))
