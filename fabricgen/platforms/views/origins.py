"""Origins of a view class most of whose fields are called as in the device model."""

from __future__ import annotations

from dataclasses import fields


def same_fields(view: type, model: type, **derived: str | tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    """Origins of a view class, as a view module's ``ORIGINS`` has them.

    Args:
        view: The view class.
        model: The class of the device model whose fields of the same name it repeats.
        derived: Origins of all other fields.
    """
    shared = {field.name for field in fields(view)} & {field.name for field in fields(model)}
    return {name: f"{model.__name__}.{name}" for name in sorted(shared)} | derived
