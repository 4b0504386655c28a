"""Options of the whole test run, and what `make test` leaves to `make test-all`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import messages, shipped_once, tally
from tests.sampling import EVERYTHING, FRESH, VARIABLE, sampled

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    # Hundreds of interpreters are started; to compile the product again in each costs as much as all they do then.
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(Path(sys.prefix) / "pycache")
    sys.dont_write_bytecode = False

# Ten thousand tests and what ships stay until the end: to look through them for garbage is a seventh of the CPU time.
gc.set_threshold(100_000, 20, 100)

READING = [Path(__file__).parent / "unit" / room for room in ("catalog", "platforms", "source")]
"""Tests of reading what ships."""
SLOW = [HealthCheck.too_slow]
"""The time that an example takes to make says how busy the machine is."""
settings.register_profile(
    "few", max_examples=8, deadline=None, database=None, derandomize=True, suppress_health_check=SLOW
)
settings.register_profile("many", max_examples=150, deadline=None, database=None, suppress_health_check=SLOW)
settings.load_profile("many" if EVERYTHING else "few")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-goldens`` and ``--verification``."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files that differ and list them")
    parser.addoption("--verification", type=Path, help="page that gets what each judge tried and refused")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to rewrite goldens in continuous integration: there they are what the change is held to."""
    config.addinivalue_line("markers", f"nightly: minutes long; runs with {VARIABLE} set or when its file is named")
    said = (
        "sampled(n, of, always=()): n values of parameters `of` by lot, the same for all tests of a file, and always "
        "some; where `of` is empty, n of the tests"
    )
    config.addinivalue_line("markers", f"{said}; every one with {VARIABLE} set or when its file is named")
    if config.getoption("--update-goldens") and os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise pytest.UsageError("goldens are not rewritten in continuous integration (CI is set)")
    if (page := config.getoption("--verification")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(tally.PageWriter(page))


def pytest_report_header() -> str:
    """Say how this run is repeated."""
    return f"the same samples again: FABRICGEN_FRESH_SEED={FRESH}"


@pytest.fixture(autouse=True, scope="module")
def _shipped_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read what ships with fabricgen once in each process, except where reading is what is tested."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.parent not in READING:
            shipped_once.install(patch.setattr)
        yield


def pytest_collection_finish() -> None:
    """Leave what was collected to no garbage collection."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Add what the test showed to judges to its report."""
    if call.when == "call":
        item.user_properties += tally.take()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Hold a test of ``tests/messages.txt`` to the messages that it is there for, and these to docs/style.md."""
    codes = messages.read_list().get(item.nodeid, ())
    if not codes:
        return (yield)
    with messages.recorded() as found:
        outcome = yield
    faults = messages.list_faults(codes, found)
    assert not faults, faults
    return outcome


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests marked ``nightly`` or left out of a sample, unless everything or their file is asked for."""
    if EVERYTHING:
        return
    named = {Path(argument.split("::")[0]).resolve() for argument in config.args}
    asked = [item for item in items if item.path not in named]
    nightly = {item for item in asked if item.get_closest_marker("nightly")}
    left_out = nightly | set(_out_of_sample([item for item in asked if item not in nightly]))
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def _out_of_sample(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Tests of values of a parameter that the lot of this run did not fall on; one lot for all tests of a file."""
    by_value: dict[tuple[Path, str], dict[str, list[tuple[pytest.Function, pytest.Mark]]]] = {}
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark and isinstance(item, pytest.Function):
            of = mark.kwargs["of"]
            value = _value_of(item, of)
            values = by_value.setdefault((item.path, of), {})
            values.setdefault(value, []).append((item, mark))
    for (path, of), values in by_value.items():
        mark = next(iter(values.values()))[0][1]
        others = values.keys() - {repr([one]) for one in mark.kwargs.get("always", ())}
        drawn = sampled(sorted(others), mark.args[0], f"{FRESH} {path.name} {of}")
        yield from (item for value in others.difference(drawn) for item, _ in values[value])


def _value_of(item: pytest.Function, of: str) -> str:
    """Return what a lot falls on: the values of parameters, or the name of the test.

    A function shows its address, which is another one in each process: then it is the test's own parameters by name.
    """
    values = [item.callspec.params[name] for name in of.split(",")] if of else [item.originalname]
    return item.callspec.id if any(map(callable, values)) else repr(values)
