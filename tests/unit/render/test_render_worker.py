"""Needs of a worker process, without the libraries that only the front of the pipeline uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WORKER = """
import sys
from fabricgen.device import lower, model
from fabricgen.diagnostics import Bag
from fabricgen.plan.model import cabling, contract, fabric, topology
from fabricgen.platforms.manifest import spec
from fabricgen.render import engine, work
from tests import plain_rendering
engine.Renderer({}, Bag())
explained = {'fabricgen.device.origins', 'fabricgen.plan.model.origin_keys'} & sys.modules.keys()
assert not explained, explained
from fabricgen.render import provenance
loaded = {name.partition('.')[0] for name in sys.modules}
heavy = loaded & {'pydantic', 'pydantic_core', 'netaddr', 'ruamel', 'typer', 'rich'}
rooms = {name for name in sys.modules if name.startswith('fabricgen.')}
upper = {name for name in rooms if name.split('.')[1] in ('intent', 'source', 'checks', 'api', 'cli', 'diff')}
assert not heavy, heavy
assert not upper, upper
"""


def test_a_worker_loads_no_heavy_library() -> None:
    subprocess.run([sys.executable, "-c", WORKER], check=True, cwd=Path(__file__).parents[3])
