"""Days from GPUs and GPUs from days, against published training runs."""

from __future__ import annotations

import re

import pytest

from fabricgen.physics.traffic import training_days, training_flops, training_gpus
from fabricgen.sizing.ask import AskError
from fabricgen.sizing.training import TrainingAsked, TrainingRun, make_training
from tests.unit.size.sized import shelf

DGX = shelf().catalog.servers["dgx_h100_8"]


def test_operations_as_published_for_llama_3() -> None:
    """405e9 parameters and 15.6e12 tokens are given as 3.8e25 operations (arXiv 2407.21783)."""
    assert training_flops(405e9, 15.6e12) == pytest.approx(3.8e25, rel=0.01)


def test_operations_as_published_for_chinchilla() -> None:
    """70e9 parameters and 1.4e12 tokens are within the 5.76e23 operations of the larger Gopher (arXiv 2203.15556)."""
    assert training_flops(70e9, 1.4e12) == pytest.approx(5.76e23, rel=0.03)


def test_days_and_gpus_are_each_others_inverse() -> None:
    # 6 x 70.6e9 x 15e12 = 6.354e24; 2,048 GPUs at 0.4 x 989e12 make 8.1e17 a second, 7.0e22 a day.
    days = training_days(70.6e9, 15e12, 0.4 * 989e12, 2048)
    assert days == pytest.approx(90.8, abs=0.05)
    assert training_gpus(70.6e9, 15e12, 0.4 * 989e12, days) == pytest.approx(2048)


def test_a_deadline_is_met_by_whole_gpus() -> None:
    run = make_training(TrainingAsked("70.6B", "15T", "30", "0.4"), DGX, has_gpus=False)
    gpus = run.gpus()
    assert training_days(run.parameters, run.tokens, run.achieved_flops, gpus) <= 30
    assert training_days(run.parameters, run.tokens, run.achieved_flops, gpus - 1) > 30


def test_what_a_gpu_achieves_is_a_share_of_its_peak() -> None:
    share = make_training(TrainingAsked("8B", "1T", mfu="50%", gpu_tflops="800"), DGX, has_gpus=True)
    assert share == TrainingRun(8e9, 1e12, 400e12)
    assert make_training(TrainingAsked(), DGX, has_gpus=True) is None


@pytest.mark.parametrize(
    ("asked", "has_gpus", "option", "told"),
    [
        (TrainingAsked(), False, "--gpus", "how many GPUs?"),
        (TrainingAsked(tokens="15T"), True, "--parameters", "is missing; give one such as 70.6B"),
        (TrainingAsked("70.6B"), True, "--tokens", "is missing; give one such as 15T"),
        (TrainingAsked("big", "15T"), True, "--parameters", "'big' is not a number"),
        (TrainingAsked("70.6B", "0T"), True, "--tokens", "'0T' is not a number"),
        (TrainingAsked("70.6B", "15T", "30", "0.4"), True, "--days", "GPUs and a deadline are both given"),
        (TrainingAsked("70.6B", "15T", mfu="0.4"), False, "--days", "give the days that the run may take"),
        (TrainingAsked("70.6B", "15T", "-1", "0.4"), False, "--days", "'-1' is not a positive number of days"),
        (TrainingAsked("70.6B", "15T", mfu="40"), True, "--mfu", "'40' is not a share of the peak"),
        (TrainingAsked("70.6B", "15T"), True, "--mfu", "the share of the peak"),
        (TrainingAsked("70.6B", "15T", "0.001", "0.4"), False, "--days", "0.001 days take 185899057 GPUs"),
    ],
)
def test_what_is_missing_is_named(asked: TrainingAsked, has_gpus: bool, option: str, told: str) -> None:
    with pytest.raises(AskError, match=re.escape(told)) as error:
        make_training(asked, DGX, has_gpus=has_gpus)
    assert error.value.option == option


def test_a_peak_comes_from_the_catalog_or_from_the_user() -> None:
    unknown = shelf().catalog.servers["alibaba_hpn_host"]
    with pytest.raises(AskError, match="has no peak of the GPUs of alibaba_hpn_host"):
        make_training(TrainingAsked("8B", "1T", mfu="0.4"), unknown, has_gpus=True)
    for server in shelf().catalog.servers.values():
        assert not server.gpu_tflops or "gpu_tflops" in server.provenance.sources, server.id
