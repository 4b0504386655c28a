"""The Jinja environments: that of our own templates, and Jinja's sandbox for those of other packages.

The sandbox keeps a template from what Python has behind an object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from json.encoder import encode_basestring_ascii
from keyword import iskeyword
from pathlib import Path
from typing import Any

from jinja2 import (
    BaseLoader,
    Environment,
    FileSystemBytecodeCache,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
)
from jinja2.compiler import CodeGenerator, Frame
from jinja2.loaders import split_template_path
from jinja2.sandbox import ImmutableSandboxedEnvironment

from fabricgen.diagnostics.visible import find_hidden, name_character
from fabricgen.files import Why, read_file
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import PlatformSpec

TEMPLATE_MAX_BYTES = 8 << 20


class UnsafeTextError(ValueError):
    """A text that would not stay on its line, or would be invisible there."""


def to_json(value: object) -> str:
    """Write a value as JSON, ASCII only.

    Texts are nearly all there is, so they take the short way to the C encoder. (``str`` of a text is that text; of one
    that records its use, it is where the recording happens.)

    Raises:
        TypeError: The value is no JSON value, for example undefined.
        ValueError: It is a number that JSON cannot write.
    """
    if isinstance(value, str):
        return encode_basestring_ascii(str(value))
    return json.dumps(value, allow_nan=False)


def to_cli(value: object) -> str:
    """Write a text or a whole number into a line of configuration.

    Raises:
        UnsafeTextError: The text holds a line break or another invisible character.
        TypeError: The value is neither text nor whole number.
    """
    if isinstance(value, str):
        found = find_hidden(value)
        if found is None:
            return str(value)
        raise UnsafeTextError(f"the text {value!r} holds {name_character(value[found])}")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"the filter cli takes a text or a whole number, not {type(value).__name__}")


class TemplateLoader(BaseLoader):
    """Finds templates in folders and reads them through the one door for files."""

    def __init__(self, roots: Iterable[Path]) -> None:
        """Look in ``roots``, in this order."""
        self._roots = tuple(roots)

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """The text of a template, its path, and that it never changes while a command runs.

        Raises:
            TemplateNotFound: No folder has it.
            TemplateSyntaxError: It is no text that can be read.
        """
        parts = split_template_path(template)
        for root in self._roots:
            path = str(root.joinpath(*parts))
            found = read_file(path, TEMPLATE_MAX_BYTES)
            if isinstance(found, bytes):
                try:
                    return found.decode(), path, lambda: True
                except UnicodeDecodeError as error:
                    raise TemplateSyntaxError(f"it is not UTF-8: {error.reason}", 1, template, path) from None
            if found.why is not Why.MISSING:
                raise TemplateSyntaxError(f"it {found.reason}", 1, template, path)
        raise TemplateNotFound(template)


class AttributeGenerator(CodeGenerator):
    """Compiles ``port.name`` to an attribute access instead of a search in attributes, then items.

    Templates get slots objects, so there is nothing to search; per-port loops run a fifth faster. A missing
    attribute raises AttributeError at once instead of yielding something undefined.
    """

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - jinja's name
        """Compile one attribute access."""
        if iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")


class TemplateEnvironment(Environment):
    """Jinja as every template of every platform sees it: no globals, nothing random, undefined is an error."""

    code_generator_class: type[CodeGenerator] = AttributeGenerator
    cache_pattern = "fabricgen-1-%s.cache"
    """The number changes with the generator: compiled templates outlive the one that wrote them."""

    def __init__(self, roots: Iterable[Path], cache_dir: Path | None = None) -> None:
        """Set up; a template is named by its path below the first root; compiled ones go to ``cache_dir``, if any."""
        super().__init__(
            loader=TemplateLoader(roots),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            auto_reload=False,
            cache_size=-1,
            bytecode_cache=FileSystemBytecodeCache(str(cache_dir), self.cache_pattern) if cache_dir else None,
        )
        self.globals.clear()
        del self.filters["random"]
        self.filters["json"] = to_json
        self.filters["cli"] = to_cli


def is_ours(spec: PlatformSpec) -> bool:
    """Return whether a platform's templates ship with fabricgen, and so need no sandbox."""
    return not spec.root or Path(spec.root) == template_root()


class SandboxEnvironment(ImmutableSandboxedEnvironment, TemplateEnvironment):
    """The environment of templates from other packages; slower than that of ours, and with the same result."""

    cache_pattern = "fabricgen-sandbox-2-%s.cache"

    def __init__(self, roots: Iterable[Path], cache_dir: Path | None = None) -> None:
        """Set up as ``TemplateEnvironment``."""
        super().__init__(roots, *([cache_dir] if cache_dir else []))
        self.code_generator_class = CodeGenerator
        self.globals.clear()

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look among attributes only, as our own templates do: a missing one raises AttributeError."""
        if not hasattr(obj, attribute):
            raise AttributeError(f"{type(obj).__name__!r} object has no attribute {attribute!r}")
        return super().getattr(obj, attribute)
