"""A planner: how many switches 2,048 GPUs need, and how many days they train Llama 3 70B."""

from __future__ import annotations

import pytest

from tests.acceptance.printed_tables import assert_shown, fields_of, tables_of
from tests.acceptance.roles.session import WIDTHS, Session
from tests.acceptance.run import REPOSITORY

GPUS = 2048
SHOWN = 10
"""Alternatives of the table."""
PARAMETERS, TOKENS = 70.6e9, 15e12
"""Llama 3 70B: 70.6 billion parameters, more than 15 trillion tokens (model card of meta-llama/llama-models)."""
PEAK_FLOPS, MFU = 989e12, 0.40
"""H100 SXM, dense BF16 (NVIDIA/dgxc-benchmarking, README.md, peak theoretical throughput); Llama 3 herd, arXiv
2407.21783, table 4: 38 to 43 % of it are achieved."""
PORTS = 64
LEAFS, SPINES = GPUS // (PORTS // 2), GPUS // PORTS
"""At 1:1 a leaf has half of its ports down, and every port of a spine ends an uplink."""
SIZE = f"fabricgen size --gpus {GPUS} --server dgx_h100_8 --parameters 70.6B --tokens 15T --mfu {MFU:.0%}"


@pytest.mark.nightly
@pytest.mark.sampled(1, of="width")
@pytest.mark.parametrize("width", WIDTHS)
def test_switches_and_days(width: int) -> None:
    session = Session(REPOSITORY, width)
    screen, data = session.run_sections(SIZE, unlisted=("remark_titles", "refused"), first={"alternatives": SHOWN})
    codes = {code for row in data["alternatives"][:SHOWN] for code in row["remarks"]}
    titles = [row for row in data["remark_titles"] if row["code"] in codes]
    assert {row["code"] for row in titles} == codes
    assert_shown(titles, tables_of(screen, "REMARK TITLES", fields_of(titles)), nothing="-")
    assert screen.startswith(f"{GPUS} GPUs: {GPUS // 8} servers, {LEAFS} leafs, {SPINES} spines of dell_z9664f\n")
    (size,) = data["size"]
    assert size["switches"] == LEAFS + SPINES == 96
    # A NIC has one transceiver, a leaf one in each port, and so does a spine.
    assert size["optics"] == GPUS + PORTS * (LEAFS + SPINES) == 8192
    assert {row["link"]: row["cables"] for row in data["cables"]} == {"host-leaf": GPUS, "leaf-spine": GPUS}
    (training,) = data["training"]
    # 6 operations for each parameter and token (Kaplan et al., arXiv 2001.08361, section 2.1): 6.354e24.
    # 2,048 GPUs at 395.6e12 a second make 7.0e22 a day.
    assert training["operations"] == pytest.approx(6 * PARAMETERS * TOKENS) == pytest.approx(6.354e24)
    assert training["days"] == pytest.approx(6.354e24 / (GPUS * MFU * PEAK_FLOPS * 86_400), abs=0.05)
    assert training["days"] == 90.8
    assert "Kaplan et al. 2020" in screen
    assert screen.count("Power is not compared") == 1
