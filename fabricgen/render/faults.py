"""Conversion of errors in a template or a view to diagnostics that name file and line, never a traceback."""

from __future__ import annotations

from traceback import walk_tb

from jinja2 import Template, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.exceptions import SecurityError

from fabricgen.diagnostics import Bag, Code, Place, Related
from fabricgen.render.engine_codes import BAD_TEMPLATE, UNSAFE_TEMPLATE


def report_template_fault(error: Exception, template: str, hostname: str, bag: Bag) -> None:
    """Say that a template failed.

    Args:
        error: What it raised.
        template: Name of the template that was rendered; the fault may be in one that it includes.
        hostname: Device it was rendered for; only the first one is shown, however many fail.
        bag: Takes the diagnostic.
    """
    if isinstance(error, TemplateSyntaxError):
        place = Place(error.filename or error.name or template, error.lineno, 1)
        _add(bag, BAD_TEMPLATE, f"{error.name or template}: {(error.message or '').removesuffix('.')}", hostname, place)
        return
    if isinstance(error, TemplateNotFound) and error.name == template:
        _add(bag, BAD_TEMPLATE, f"the template {template} does not exist", hostname, None)
        return
    if isinstance(error, SecurityError):
        _add(bag, UNSAFE_TEMPLATE, f"{template}: {error}", hostname, _template_place(error))
        return
    text = str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"
    _add(bag, BAD_TEMPLATE, f"{template}: {text}", hostname, _template_place(error))


def report_view_fault(error: Exception, platform: str, hostname: str, bag: Bag) -> None:
    """Say that the view of a platform failed; the place is the innermost line of Python."""
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    place = Place(*frames[-1], 1) if frames else None
    _add(bag, BAD_TEMPLATE, f"view of {platform}: {type(error).__name__}: {error}", hostname, place)


def report_at(bag: Bag, message: str, hostname: str, file: str, line: int) -> None:
    """Say that a template line wrote something wrong."""
    _add(bag, BAD_TEMPLATE, message, hostname, Place(file, line, 1))


def _add(bag: Bag, code: Code, message: str, hostname: str, place: Place | None) -> None:
    related = (Related(f"first met while rendering {hostname}"),) if hostname else ()
    bag.add(code, message, place=place, related=related)


def _template_place(error: Exception) -> Place | None:
    """The innermost template line a traceback passes through."""
    place = None
    for frame, line in walk_tb(error.__traceback__):
        template = frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template):
            place = Place(template.filename or template.name or "", template.get_corresponding_lineno(line), 1)
    return place
