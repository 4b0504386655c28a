"""Of the devices of a shape the first and the last are chosen, and each of another shape."""

from __future__ import annotations

from pathlib import Path

from .files import of_each_shape, read_files


def test_first_and_last_of_each_shape(tmp_path: Path) -> None:
    texts = {f"leaf-{number}": f"id {number}\n" for number in range(1, 6)} | {"leaf-3": "id 3\nshutdown\n"}
    for name, text in texts.items():
        (tmp_path / "switches" / name / "etc").mkdir(parents=True)
        (tmp_path / "switches" / name / "etc/conf").write_text(text)
    (tmp_path / "switches/leaf-4/etc/more").write_text("")
    files = read_files(tmp_path)
    assert [(file.device.name, file.on_device) for file in files if file.on_device == "etc/more"] == [
        ("leaf-4", "etc/more")
    ]
    assert len(files) == 6
    assert {file.device.name for file in of_each_shape(files)} == {"leaf-1", "leaf-3", "leaf-4", "leaf-5"}
