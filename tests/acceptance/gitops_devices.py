"""The devices of a repository with the example pipelines, and stand-ins for the programs that reach them.

``python -m tests.acceptance.gitops_devices DEVICES PROGRAM WORDS`` is ``fabricgen`` but for its verb ``collect``, which
copies the folder DEVICES; ``ansible-playbook``, which carries out the steps of waves on models of switches; or ``ssh``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from fabricgen.collect.readings import RECORD, STATE, read_record, state_folder, write_record
from fabricgen.platforms.manifest.readings import SAVED
from tests.property.switch_model import SwitchModel

CONFIG_DB = "etc/sonic/config_db.json"
PLAYED = "played"
"""Beside the devices: a line for each time that ``ansible-playbook`` was run."""
SILENT = "silent"
"""Beside the devices: names of devices that do not answer."""


def carry_out(folder: Path, config_db: Path) -> None:
    """Do to a model of the switch what a patch's list of steps says."""
    switch = SwitchModel(json.loads(config_db.read_text()))
    for command, name in list_steps(folder):
        switch.run(command, (folder / name).read_text() if name else "")
    config_db.write_text(json.dumps(switch.config, indent=4))


def list_steps(folder: Path) -> Iterator[tuple[str, str]]:
    """(command, file it uses) of each step."""
    for line in (folder / "steps").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line, next((word for word in line.split() if (folder / word).is_file()), "")


def config_of(devices: Path, name: str) -> Path:
    return devices / "switches" / name / CONFIG_DB


def collect(devices: Path, words: Sequence[str]) -> int:
    """Copy every device that answers to the folder after ``-o``."""
    out = Path(words[words.index("-o") + 1])
    noted = devices.parent / SILENT
    silent = noted.read_text().split() if noted.exists() else []
    shutil.copytree(devices, out, dirs_exist_ok=True, ignore=lambda _, names: {*names} & {*silent})
    for record in sorted((out / STATE).glob(f"*/*/{RECORD}")):
        note_files(out, record.parts[-3], record.parts[-2])
    return 1 if silent else 0


def note_files(out: Path, kind: str, name: str) -> None:
    """Record the files of a device as they are now; what runs is saved."""
    record = read_record(out, kind, name)
    for path, answer in record.answers.items():
        if path.startswith(SAVED):
            shutil.copy(out / kind / name / path.removeprefix(SAVED), out / answer.file)
    answers = {
        path: answer._replace(size_bytes=(out / answer.file).stat().st_size) if answer.file else answer
        for path, answer in record.answers.items()
    }
    (state_folder(out, kind, name) / RECORD).write_bytes(write_record(record._replace(answers=answers)))


def play(devices: Path, words: Sequence[str]) -> int:
    """Carry out every wave of the bundle around the working folder, unless in check mode."""
    with (devices.parent / PLAYED).open("a") as noted:
        noted.write(" ".join(words) + "\n")
    if "--check" not in words:
        bundle = Path("..")
        for number, wave in enumerate(read_json(bundle / "plan.json")["waves"]):
            for device in wave["devices"]:
                carry_out_procedure(bundle, number, device["name"], config_of(devices, device["name"]))
    return 0


def carry_out_procedure(bundle: Path, number: int, name: str, config_db: Path) -> None:
    """Do to a model of the switch what its procedure in a wave says."""
    planned = read_json(bundle / f"devices/{name}.json")["waves"][str(number)]
    procedure = read_json(bundle / f"procedures/{planned['procedure']}.json")
    values = [(f"{{{word}}}", value) for word, value in planned["values"].items()]
    switch = SwitchModel(read_json(config_db))
    patch = {each.name: each.read_text() for each in (bundle / "patches" / planned["patch"] / "apply").iterdir()}
    for group in (*procedure["prepare"], *procedure["change"], *procedure["keep"]):
        for step in group["steps"]:
            command = reduce(lambda text, value: text.replace(*value), values, step["command"])
            switch.run(command, next((patch[word] for word in command.split() if word in patch), ""))
    config_db.write_text(json.dumps(switch.config, indent=4))


def read_json(file: Path) -> Any:
    return json.loads(file.read_text())


def main(folder: str, program: str, *words: str) -> int:
    devices = Path(folder)
    if program == "ansible-playbook":
        return play(devices, words)
    if program == "ssh":
        name, *command = words
        switch = SwitchModel(json.loads(config_of(devices, name).read_text()))
        switch.run(" ".join(command), "")
        config_of(devices, name).write_text(json.dumps(switch.config, indent=4))
        return 0
    if words[:1] == ("collect",):
        return collect(devices, words)
    return os.execv(sys.executable, [sys.executable, "-m", "fabricgen", *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
