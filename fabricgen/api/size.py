"""Switches and platforms that can build a request, the best first, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fabricgen.catalog import OwnFolder
from fabricgen.compiler.compile import judge_document
from fabricgen.diagnostics import Bag, Diagnostic, Severity
from fabricgen.sizing.ask import Option, Ranking, Shelf, SizingOptions, UnfitSwitch
from fabricgen.sizing.fabric import FabricSize, size_fabric
from fabricgen.sizing.intent_text import write_intent
from fabricgen.sizing.request import SizingRequest, SwitchModels, Unfit
from fabricgen.source import load_text_document


def rank_options(request: SizingRequest, asked: SizingOptions, shelf: Shelf, *, alternatives: bool = True) -> Ranking:
    """Size a request on every switch and platform; if none fits that the options name, on the others as well."""
    named = [boxes for boxes in _choices(asked, shelf) if _meets(boxes, asked)]
    others = [boxes for boxes in _choices(asked, shelf) if not _meets(boxes, asked)]
    found = _size_all(request, named, shelf)
    if alternatives or not found.options:
        more = _size_all(request, others, shelf)
        found = Ranking(None, [*found.options, *more.options], [*found.refused, *more.refused])
    codes = [{item.code for item in option.remarks} for option in found.options]
    shared = set[str]().union(*codes).intersection(*codes)
    options = sorted(found.options, key=lambda option: option.key(shared))
    meeting = (option for option in options if _meets(option.size.boxes, asked))
    return Ranking(next(meeting, None), options, found.refused)


def _size_all(request: SizingRequest, choices: Sequence[SwitchModels], shelf: Shelf) -> Ranking:
    """Size a request on some choices, in no particular order."""
    options: list[Option] = []
    refused: list[UnfitSwitch] = []
    for boxes in choices:
        found = size_option(request, boxes, shelf)
        if isinstance(found, Unfit):
            refused.append(UnfitSwitch(boxes.leaf.id, boxes.platform, found))
        else:
            options.append(found)
    return Ranking(None, options, refused)


def size_option(request: SizingRequest, boxes: SwitchModels, shelf: Shelf) -> Option | Unfit:
    """Size a request on given switches and judge its intent; why not, if it cannot be."""
    size = size_fabric(request, boxes)
    if isinstance(size, Unfit):
        return size
    found = judge_size(size, shelf.own)
    remarks = tuple(item for item in found if item.path[:1] != ("hosts",))
    error = next((item for item in remarks if item.severity is Severity.ERROR), None)
    if error is not None:
        return Unfit(f"{error.message} ({error.code})", error.hint)
    return Option(size, remarks, tuple(item for item in found if item.path[:1] == ("hosts",)))


def _choices(asked: SizingOptions, shelf: Shelf) -> Iterator[SwitchModels]:
    """Every switch with each platform it runs; tiers above the leafs are of the same switch unless one is named."""
    switches = shelf.catalog.switches
    for name, leaf in sorted(switches.items()):
        spine = switches[asked.spine] if asked.spine else leaf
        core = switches[asked.core] if asked.core else spine
        named = name == asked.switch
        for platform in shelf.platforms:
            runs = all(platform in model.platforms for model in (leaf, spine, core))
            if runs or (named and platform == asked.platform):
                yield SwitchModels(leaf, spine, core, platform)


def _meets(boxes: SwitchModels, asked: SizingOptions) -> bool:
    return (not asked.switch or boxes.leaf.id == asked.switch) and asked.platform in ("", boxes.platform)


def judge_size(size: FabricSize, own: Sequence[OwnFolder]) -> list[Diagnostic]:
    """Return what every stage and check finds in the intent of a sized fabric."""
    bag = Bag()
    document = load_text_document(write_intent(size, "sized"), bag, unique_items=True)
    found = [] if document is None else [*judge_document(document, Path(), own)]
    return [*bag, *found]
