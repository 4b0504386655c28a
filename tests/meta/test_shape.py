"""Sizes of files and functions, import cycles and unused definitions stay within their bounds."""

from __future__ import annotations

from tools.shape import cheap_figures


def test_every_figure_is_within_its_bound() -> None:
    figures = list(cheap_figures())
    assert len(figures) > 5
    assert [str(figure) for figure in figures if figure.value > figure.bound] == []
