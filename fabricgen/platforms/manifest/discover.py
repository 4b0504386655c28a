"""Discovery of platforms: template folders of this package, and of packages that announce theirs.

A template folder is data. The class of a platform is that of the folder of its name in ``fabricgen.platforms``, or one
that the package of its templates announces; Python is never loaded from a template path.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fabricgen import platforms
from fabricgen.diagnostics import Bag
from fabricgen.platforms.platform import Platform
from fabricgen.platforms.platform_codes import BROKEN_ENTRY_POINT, PLATFORM_TWICE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "fabricgen.platforms"
MANIFEST = "platform.yaml"
KINDS = ("switch", "host", "nic")


@dataclass(frozen=True, slots=True)
class TemplateFolder:
    """The folder of one platform; ``root`` is the template root it lies in."""

    name: str
    kind: str
    root: Path

    @property
    def folder(self) -> str:
        """The folder relative to its root, as template names start."""
        return f"{self.kind}/{self.name}"

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.root / self.kind / self.name / MANIFEST


@cache
def template_root() -> Path:
    """Folder of the templates that come with fabricgen: inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "_templates"
    return installed if installed.is_dir() else package.parent / "templates"


def find_roots(bag: Bag, announced: Iterable[EntryPoint] | None = None) -> tuple[Path, ...]:
    """Find every template root: fabricgen's own first, then those of other packages by entry point name.

    An entry point that yields no folder is a warning; those of the installed packages are asked if none are given.
    """
    found = _installed() if announced is None else announced
    roots = [template_root()]
    for point in sorted(found, key=lambda point: (point.name, point.value)):
        root = _announced_root(point, bag)
        if root is not None and root not in roots:
            roots.append(root)
    return tuple(roots)


def _installed() -> Iterable[EntryPoint]:
    """Entry points of the installed packages; imported late because the machinery is slow to load."""
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINT_GROUP)


def _announced_root(point: EntryPoint, bag: Bag) -> Path | None:
    """The folder an entry point yields, or None; whatever third-party code raises is a warning."""
    what = f"entry point {point.name!r} = {point.value!r}"
    try:
        templates = point.load().TEMPLATES
        root = Path(templates).resolve()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        bag.add(BROKEN_ENTRY_POINT, f"{what} cannot be loaded: {reason}")
        return None
    if not root.is_dir():
        bag.add(BROKEN_ENTRY_POINT, f"{what} has TEMPLATES = {root}, not a folder")
        return None
    return root


def discover_platforms(kind: str, roots: Sequence[Path], bag: Bag) -> dict[str, TemplateFolder]:
    """Find every platform of a kind, by name; a folder without manifest is none.

    Of two folders of one name that in the earlier root counts, and the other one is reported. Another kind than
    ``switch``, ``host`` and ``nic`` is a programming error.
    """
    if kind not in KINDS:
        raise ValueError(f"no platform kind {kind!r}")
    found: dict[str, TemplateFolder] = {}
    for root in roots:
        for manifest in sorted(root.glob(f"{kind}/*/{MANIFEST}")):
            folder = TemplateFolder(manifest.parent.name, kind, root)
            known = found.setdefault(folder.name, folder)
            if known is not folder:
                message = f"{kind} platform {folder.name!r} is in {known.root} and in {root}; the second one is ignored"
                bag.add(PLATFORM_TWICE, message)
    return found


def find_class(folder: TemplateFolder, announced: Iterable[EntryPoint] | None = None) -> object:
    """Return the instance of a platform's class, of the defaults without Python; None takes installed entry points."""
    if folder.root == template_root():
        name = f"{platforms.__name__}.{folder.name}"
        return import_module(name).PLATFORM if find_spec(name) else Platform()
    for point in _installed() if announced is None else announced:
        if _announced_root(point, Bag()) == folder.root:
            own = getattr(point.load(), "PLATFORMS", {})
            return own.get(folder.name, Platform()) if isinstance(own, dict) else own
    return Platform()
