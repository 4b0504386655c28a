"""View modules that cannot be used are refused with the reason."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.contract import ViewError, load_view
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.load import load_platforms


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("class_view",), "lacks device_view"),
        (("class_view", "device_view", "ORIGINS"), "annotate its fields instead"),
    ],
    ids=["a function is missing", "a table that nobody reads"],
)
def test_a_view_is_refused(names: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("own_view")
    for name in names:
        setattr(module, name, print)
    monkeypatch.setitem(sys.modules, "own_view", module)
    frr = load_platforms({"frr": ()}, "switch", Bag(), [template_root()])["frr"]
    with pytest.raises(ViewError, match=reason):
        load_view(frr._replace(view="own_view"))
