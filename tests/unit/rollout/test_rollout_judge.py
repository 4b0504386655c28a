"""``rollout judge`` on one device: whatever it answers, what is not read is no pass and no crash."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api.rollout_checks import Checks
from fabricgen.rollout.bundle import SUMS
from fabricgen.rollout.bundle_files import write_sums
from fabricgen.rollout.expectation import DEVICE_FORMAT
from fabricgen.rollout.json_text import write_json
from tests.command_line import Done, run_here
from tests.unit.lab.fabrics import compiled
from tests.unit.state.answers import WRITERS
from tests.unit.state.collected import all_benches

LEAF, HOST = "leaf-u001-r0", "gpu-u001-h01"
OVERLAYS = {"sonic": (), "eos": ("eos",), "cumulus_nvue": ("nvue",), "frr": ("frr",), "fboss": ("fboss",), "ubuntu": ()}
"""Overlays of the quickstart, by the platform of the device that is judged."""
GARBAGE = "!@#$ this is no answer\n"


class Site:
    """A device of a bundle, and what it answers."""

    def __init__(self, folder: Path, platform: str = "sonic") -> None:
        made = compiled("quickstart", *OVERLAYS[platform])
        self.device = HOST if platform == "ubuntu" else LEAF
        judged = Checks(made.plan, made.platforms, {}).judge(self.device)
        self.judged = judged
        self.shell = "cli" if platform == "eos" else "posix"
        waves = {"0": {"procedure": "hitless", "expected": 0}}
        procedure = {"restarts": False, "shell": self.shell, "judged": judged.readings}
        self.files = {
            f"devices/{self.device}.json": write_json(
                {"format": DEVICE_FORMAT, "waves": waves, "expected": [judged.expected]}
            ),
            "procedures/hitless.json": write_json(procedure),
        }
        self.bundle, self.folder = folder / "bundle", folder
        for name, data in {**self.files, SUMS: write_sums(self.files)}.items():
            (self.bundle / name).parent.mkdir(parents=True, exist_ok=True)
            (self.bundle / name).write_bytes(data)
        bench = all_benches(made.plan)[self.device]
        self.answers = {each.state: WRITERS[platform][each.state](bench) for each in judged.readings}

    def judge(self, text: str | bytes, out: str, *words: str | Path) -> Done:
        data = text if isinstance(text, bytes) else text.encode()
        return run_here("rollout", "judge", self.bundle, self.device, "-o", self.folder / out, *words, given=data)

    def tell(self, answers: dict[str, str]) -> str:
        if self.shell == "posix":
            return tell(answers)
        return json.dumps([_parsed(answers[each.state], each.form) for each in self.judged.readings])


def _parsed(answer: str, form: str) -> Any:
    """An answer as a command line gives it: parsed where it is JSON."""
    with suppress(ValueError):
        return json.loads(answer) if form == "json" else answer
    return answer


def tell(answers: dict[str, str]) -> str:
    return "".join(f"#fabricgen {state}\n{text}\n#fabricgen 0\n" for state, text in answers.items())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(tmp_path_factory.mktemp("site"))


@pytest.mark.sampled(0, of="platform", always=("sonic",))
@pytest.mark.parametrize("platform", OVERLAYS)
def test_no_spoiled_answer_of_a_platform_is_a_pass(platform: str, tmp_path: Path) -> None:
    site = Site(tmp_path, platform)
    site.judge(site.tell(site.answers), "whole").exits(0)
    for state, whole in site.answers.items():
        half = whole[: len(whole) // 2] if state != "system" else ""  # the first half of that names the release
        other = next(text for other, text in site.answers.items() if other != state)
        for at, spoiled in enumerate(("", "{}", GARBAGE, half, other)):
            done = site.judge(site.tell({**site.answers, state: spoiled}), f"{state}-{at}").exits(1, 3)
            assert "as planned" not in done.stdout, (state, spoiled[:200])


def test_healthy_device_passes_before_and_after(site: Site) -> None:
    done = site.judge(tell(site.answers), "before")
    assert done.returncode == 0, done.stdout
    assert "as planned" in done.stdout
    done = site.judge(tell(site.answers), "after", "--since", site.folder / "before")
    assert (done.returncode, "nothing is worse than before" in done.stdout) == (0, True)


@pytest.mark.parametrize("words", [(), ("--strict",)])
def test_garbage_to_everything_is_an_error(words: tuple[str, ...], site: Site) -> None:
    done = site.judge(tell(dict.fromkeys(site.answers, GARBAGE)), "garbage", *words)
    done.exits(1)
    assert "as planned" not in done.stdout
    again = site.judge(tell(dict.fromkeys(site.answers, GARBAGE)), "again", "--since", site.folder / "garbage", *words)
    again.exits(1)


def test_check_that_is_skipped_asks_for_no_answer(site: Site) -> None:
    text = tell({**site.answers, "optics": GARBAGE})
    site.judge(text, "skipped").exits(1)
    site.judge(text, "skipped", "--skip", "optics").exits(0)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe\x00garbage",
        "#fabricgen ²\n".encode(),
        "#fabricgen sessions\n{}\n#fabricgen ²\n".encode(),
        b"#fabricgen sessions\n" + b"[" * 100_000 + b"\n#fabricgen 0\n",
        b"#fabricgen sessions\n" + b"[]," * 400_000 + b"\n#fabricgen 0\n",
        b"#fabricgen 0\n#fabricgen 0\n",
        b"#fabricgen " + b"9" * 5000 + b"\n",
    ],
)
def test_hostile_stream_is_an_error_without_a_traceback(text: bytes, site: Site) -> None:
    done = site.judge(text, "hostile")
    done.exits(1)
    assert "Traceback" not in done.stderr
