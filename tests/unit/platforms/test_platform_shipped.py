"""Every platform that comes with fabricgen: its manifest is sound and its view names an origin for every field."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import ModuleType

import pytest

from fabricgen.device.origins import FIELD_ORIGINS, annotated_fields
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.capabilities import fields_of
from fabricgen.platforms.manifest.discover import KINDS, discover_platforms, template_root
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.provenance import OWN_ORIGINS, view_origins

ROOTS = (template_root(),)
SHIPPED = [(kind, name) for kind in KINDS for name in discover_platforms(kind, ROOTS, Bag())]


def load(kind: str, name: str) -> PlatformSpec:
    bag = Bag()
    spec = load_platforms({name: ()}, kind, bag, ROOTS).get(name)
    assert not list(bag)
    assert spec is not None
    return spec


def view_classes(module: ModuleType) -> Iterator[type]:
    """The dataclasses of a view module, of the modules of the platforms that it takes any from, and so on."""
    pending, seen = [module.__name__], set()
    while pending:
        name = pending.pop()
        seen.add(name)
        for _, item in inspect.getmembers(import_module(name), inspect.isclass):
            if is_dataclass(item) and item.__module__ == name:
                yield item
            elif item.__module__.startswith("fabricgen.platforms.") and item.__module__ not in {*seen, *pending}:
                pending.append(item.__module__)


@pytest.mark.parametrize("name", [name for kind, name in SHIPPED if kind == "switch"])
def test_notes_explain_every_capability_of_a_switch(name: str) -> None:
    spec = load("switch", name)
    notes = (template_root() / "switch" / name / "NOTES.md").read_text(encoding="utf-8")
    table = notes.partition("## Capabilities")[2]
    named = {
        word for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for word in re.findall(r"`(\w+)`", row)
    }
    assert sorted(set(fields_of(spec.kind)) - named) == []
    assert "## Dual-ToR" in notes


@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_the_manifest_is_sound(kind: str, name: str) -> None:
    assert load(kind, name).outputs


@pytest.mark.parametrize(("kind", "name"), SHIPPED)
def test_every_view_field_has_an_origin_in_the_device_model(kind: str, name: str) -> None:
    view = load(kind, name).platform.view()
    if view is None:
        return
    assert isinstance(view, ModuleType)
    known = {cls.__name__: cls for cls in view_classes(view)}
    origins = annotated_fields(*known.values(), known=FIELD_ORIGINS)
    assert view_origins(view).items() <= origins.items(), "a class stands outside the modules of the view"
    for cls_name, cls in known.items():
        named = origins.get(cls_name, {})
        assert set(named) == {field.name for field in fields(cls)} - {OWN_ORIGINS}, cls_name
        assert "__slots__" in vars(cls), f"{cls_name} has no slots"
        for field_name, sources in named.items():
            for source in sources:
                owner, _, field = source.partition(".")
                assert field in FIELD_ORIGINS.get(owner, {}), f"{cls_name}.{field_name}: {source}"
