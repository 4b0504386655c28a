"""Memory of each server's GPUs, as the catalog has it, against jobs of a little less and a little more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from analysis_fabrics import compiled, document

from fabricgen.catalog import Catalog, known_models, load_catalog
from fabricgen.checks.model import Finding, PlanView
from fabricgen.checks.rules.workload import check_gpu_memory
from fabricgen.diagnostics import Bag

RANKS = 64
BYTES_OF_PARAMETER = 2 + 2 + 12 / RANKS
"""A parameter and its gradient in 16 bits on every rank; a copy and two moments of 32 bits, shared by all ranks."""


def shipped() -> Catalog:
    servers = {name: ("hosts", name, "server") for name in known_models("servers")}
    return load_catalog(switches={}, nics={}, servers=servers, ecn_profiles={}, bag=Bag())


SERVERS = shipped().servers
WITH_MEMORY = {name: server.gpu_memory_gbytes for name, server in SERVERS.items() if server.gpu_memory_gbytes}
WITHOUT = {"alibaba_hpn_host", "storage_2x200"}
"""Servers of which no public source has the memory of a GPU, or that have no GPUs."""


def judge(folder: Path, server: str, gbytes: float) -> list[Finding]:
    """Return what is found of a job that takes so many gigabytes of each GPU of a server."""
    job = {
        "name": "filling",
        "model": {"parameters_billion": gbytes / BYTES_OF_PARAMETER, "layers": 1, "hidden": 1},
        "parallelism": {"data": RANKS},
        "step": {"sequences": RANKS, "sequence_tokens": 1, "seconds": 1},
    }
    (folder / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    made, _ = compiled(document("dell_z9864f") | {"workload": "job.yaml"}, folder)
    plan = made.plan._replace(hosts=tuple(replace(group, server=server) for group in made.plan.hosts))
    catalog = replace(made.catalog, servers=SERVERS)
    return list(check_gpu_memory(PlanView(made.intent, catalog, {}, plan)))


def test_every_server_with_gpus_has_its_memory_where_a_public_source_has_it() -> None:
    assert SERVERS.keys() - WITH_MEMORY.keys() == WITHOUT


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_a_job_is_held_against_the_memory_of_its_server(name: str, tmp_path: Path) -> None:
    assert judge(tmp_path, name, WITH_MEMORY[name] * 0.99) == []
    (found,) = judge(tmp_path, name, WITH_MEMORY[name] * 1.01)
    assert found.message.endswith(f"a GPU of {name} has {WITH_MEMORY[name]} GB")
