"""Volumes of a training: each collective by step, epoch and run, and the published closed forms beside rings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from fabricgen.analysis.demand import Compared, JobDemand, compare_terms
from fabricgen.physics.traffic import DAY_S, SOURCE, Term, decimal_unit, transfer_s
from fabricgen.tables.sections import Row

SWITCH_GBPS = 51_200
"""Rate of one switch of the published text."""


def list_volumes(found: JobDemand) -> Iterator[Row]:
    """Yield the bytes of all ranks of each collective, and of those what a ring and a tree send between NVLink domains.

    Args:
        found: The jobs.
    """
    trained = {job.name: job.training for job in found.jobs}
    for traffic in found.traffic:
        training = trained[traffic.job]
        runs = training if training and training.epochs else None
        epoch = traffic.total_bytes * runs.steps if runs else None
        yield {
            "job": traffic.job,
            "message": traffic.message.name,
            "step_bytes": round(traffic.total_bytes),
            "epoch_bytes": None if epoch is None else round(epoch),
            "run_bytes": round(epoch * runs.epochs) if epoch is not None and runs else None,
            "step": decimal_unit(traffic.total_bytes),
            "epoch": None if epoch is None else decimal_unit(epoch),
            "run": decimal_unit(epoch * runs.epochs) if epoch is not None and runs else None,
            "between_domains_bytes": round(sum(traffic.turning_bytes)),
            "as_tree_bytes": None if traffic.tree_bytes is None else round(traffic.tree_bytes),
        }


def list_published(found: JobDemand) -> Iterator[Row]:
    """Yield the published closed forms of each job with a model beside its rings, and their sums.

    Args:
        found: The jobs.
    """
    for job in found.jobs:
        compared = [*compare_terms(job, job.training, found.traffic)] if job.training else []
        total = sum(each.term.volume_bytes for each in compared)
        for each in [*compared, *_sums(compared)]:
            term = each.term
            yield {
                "job": job.name,
                "term": term.name,
                "formula": term.formula,
                "syncs": term.syncs,
                "of": "epoch" if job.training and job.training.epochs else "step",
                "published_bytes": round(term.volume_bytes),
                "published": decimal_unit(term.volume_bytes),
                "share_pct": round(100 * term.volume_bytes / total, 3) if total else None,
                "injected_bytes": None if each.injected_bytes is None else round(each.injected_bytes),
                "injected": None if each.injected_bytes is None else decimal_unit(each.injected_bytes),
                "remark": term.remark,
                "source": SOURCE,
            }


def _sums(compared: Sequence[Compared]) -> Iterator[Compared]:
    """Yield the sum of each direction, of both, and of what tensor parallelism has no part in."""
    kept = {
        "backward": [each for each in compared if each.term.name.endswith("_backward")],
        "forward": [each for each in compared if each.term.name.endswith("_forward")],
        "total": compared,
        "scale_out_only": [each for each in compared if not each.term.name.startswith("tp_")],
    }
    for name, parts in kept.items():
        published = sum(each.term.volume_bytes for each in parts)
        injected = sum(each.injected_bytes or 0.0 for each in parts)
        yield Compared(Term(name, " + ".join(each.term.name for each in parts), published, None), injected)


def list_figures(found: JobDemand) -> Iterator[Row]:
    """Yield what the published text derives from its total, with decimal bytes and bits, for each job with an epoch.

    Args:
        found: The jobs.
    """
    for job in found.jobs:
        training = job.training
        if training is not None and training.epochs:
            total = sum(each.term.volume_bytes for each in compare_terms(job, training, found.traffic))
            days = transfer_s(total, SWITCH_GBPS) / DAY_S
            figures = (
                ("days_51_2_Tbit", days, "days", "bytes x 8 / 51.2e12 / 86400"),
                ("days_both_directions_counted", days / 2, "days", "bytes x 8 / 102.4e12 / 86400"),
                ("switches_100_epochs_100_days", ceil(days), "switches", "100 epochs x days / 100 days"),
                ("gb_per_sample", total / training.sequences / 1e9, "GB", "bytes / sequences"),
                ("total_eib", total / 2**60, "EiB", "bytes / 2^60"),
            )
            for name, value, unit, formula in figures:
                yield {"job": job.name, "figure": name, "value": round(value, 4), "unit": unit, "formula": formula}
