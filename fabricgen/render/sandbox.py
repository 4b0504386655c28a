"""Jinja for templates that are not ours: nothing private, nothing changed, and no more work than a device needs.

Jinja's own sandbox keeps a template from what Python has behind an object. It does not keep it from working for ever or
from filling the memory, so here loops, calls and filters count, and no text grows beyond a bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.environment import TemplateEnvironment

STEPS_MAX = 2_000_000
"""Turns of loops, calls and filters of one template for one device; the largest of ours takes some thousands."""
SIZE_MAX = 1 << 24
"""Characters of a text, or items of a list, that a template makes; the largest file of a device has 2 MiB."""
_WIDE = re.compile(r"\d{6,}|\{[^{}]*\{|%[^%a-zA-Z]*\*")
"""A format with a width of six digits or more, or with one that is an argument."""
_PADS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "indent", "wordwrap", "batch", "slice", "tojson"})
_FORMATS = frozenset({"format", "format_map"})


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
