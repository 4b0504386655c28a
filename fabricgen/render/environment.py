"""The one Jinja environment all templates run in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from keyword import iskeyword
from pathlib import Path

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

from fabricgen.files import Why, read_file
from fabricgen.render.filters import to_cli, to_json

TEMPLATE_MAX_BYTES = 8 << 20


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
