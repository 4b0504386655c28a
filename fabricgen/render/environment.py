"""The Jinja environments: that of our own templates, and a sandbox for those of other packages.

Jinja's own sandbox keeps a template from what Python has behind an object. It does not keep it from working for ever or
from filling the memory, so in ours loops, calls and filters count, and no text grows beyond a bound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import wraps
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
from jinja2.exceptions import SecurityError
from jinja2.loaders import split_template_path
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from fabricgen.diagnostics.visible import find_hidden, name_character
from fabricgen.files import Why, read_file
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import PlatformSpec

TEMPLATE_MAX_BYTES = 8 << 20
STEPS_MAX = 2_000_000
"""Turns of loops, calls and filters of one template for one device; the largest of ours takes some thousands."""
SIZE_MAX = 1 << 24
"""Characters of a text, or items of a list, that a template makes; the largest file of a device has 2 MiB."""
_WIDE = re.compile(r"\d{6,}|\{[^{}]*\{|%[^%a-zA-Z]*\*")
"""A format with a width of six digits or more, or with one that is an argument."""
_PADS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "indent", "wordwrap", "batch", "slice", "tojson"})
_FORMATS = frozenset({"format", "format_map"})


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
        """Set up.

        Args:
            roots: Template roots; a template's name is its path below one of them, the first that has it.
            cache_dir: Private folder for compiled templates; none is written if left out.
        """
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

    cache_pattern = "fabricgen-sandbox-1-%s.cache"
    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, roots: Iterable[Path], cache_dir: Path | None = None) -> None:
        """Set up as ``TemplateEnvironment``."""
        super().__init__(roots, *([cache_dir] if cache_dir else []))
        self.code_generator_class = CountingGenerator
        self.globals.clear()
        self.filters = {name: self._counted(name, call) for name, call in self.filters.items()}
        self.steps = 0

    def begin(self) -> None:
        """Count from the start: another template, or another device."""
        self.steps = 0

    def turn(self) -> str:
        """Count one turn of a loop; returns text for the output."""
        self._count(1)
        return ""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look among attributes only, as our own templates do: a missing one raises AttributeError."""
        if not hasattr(obj, attribute):
            raise AttributeError(f"{type(obj).__name__!r} object has no attribute {attribute!r}")
        return super().getattr(obj, attribute)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - jinja's signature
        """Call what a template calls, if it is harmless and its result bounded."""
        __self._count(1)
        # Jinja puts its own format in the place of a text's; what it wraps knows the text.
        owner = getattr(getattr(__obj, "__wrapped__", __obj), "__self__", None)
        name = getattr(__obj, "__name__", "")
        if isinstance(owner, str | bytes | list | tuple):
            __self._refuse_growth(name, (owner, *args, *kwargs.values()))
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Multiply, raise and format within bounds."""
        self._count(1)
        if operator == "%":
            self._refuse_growth("format" if isinstance(left, str) else "", (left, right))
        elif operator == "**" and not (abs(left) <= SIZE_MAX and abs(right) <= 64):
            raise SecurityError(f"{left} ** {right} is more than a template may compute")
        elif operator == "*":
            size = max((len(side) for side in (left, right) if hasattr(side, "__len__")), default=0)
            times = max((side for side in (left, right) if isinstance(side, int)), default=0)
            self._refuse_size(size * times)
        return super().call_binop(context, operator, left, right)

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > STEPS_MAX:
            raise SecurityError(f"it takes more than {STEPS_MAX:,} steps for one device")

    def _refuse_size(self, size: int) -> None:
        if size > SIZE_MAX:
            raise SecurityError(f"it makes a text or a list of more than {SIZE_MAX:,} characters or items")

    def _refuse_growth(self, name: str, values: tuple[Any, ...]) -> None:
        """Refuse what a method or a filter could make of its arguments beyond the bound; count what it reads."""
        sizes = [len(value) for value in values if hasattr(value, "__len__")]
        self._count(sum(sizes) >> 6)
        numbers = [value for value in values[1:] if isinstance(value, int)] if name in _PADS else []
        self._refuse_size(max(sizes[:1], default=0) * max([1, *sizes[1:]]) if name in ("join", "replace") else 0)
        self._refuse_size(max(map(abs, numbers), default=0) * (max(sizes[:1], default=1) if name == "indent" else 1))
        if name in _FORMATS and values and _WIDE.search(str(values[0])):
            raise SecurityError("it formats a value to a width of six digits or more, or to one that it computes")

    def _counted(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that counts; what Jinja wrote on it, such as that it takes the context, stays."""

        @wraps(call)
        def counted(*args: Any, **kwargs: Any) -> Any:
            given = args[1:] if hasattr(call, "jinja_pass_arg") else args
            self._refuse_growth(name, (*given, *kwargs.values()))
            self._count(1)
            return call(*args, **kwargs)

        return counted


class CountingGenerator(CodeGenerator):
    """Compiles loops that count their turns."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - jinja's name
        """Compile a template."""
        _Counter().visit(node)
        node.set_environment(self.environment)
        super().visit_Template(node, frame)


class _Counter(NodeTransformer):
    """Puts a call into the body of every loop."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja's name
        """Count at the start of each turn."""
        self.generic_visit(node)
        turn = nodes.Call(nodes.EnvironmentAttribute("turn"), [], [], None, None, lineno=node.lineno)
        node.body.insert(0, nodes.Output([turn], lineno=node.lineno))
        return node
