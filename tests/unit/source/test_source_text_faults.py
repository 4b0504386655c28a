"""Faults of the text itself: each has its code and its exact place, and reading goes on wherever it can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from source_files import Write, read, spots

from fabricgen.diagnostics import Bag, all_codes
from fabricgen.source import load_data, load_document, read_lines

PARSERS = pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])

# Text, what is reported at which line and column, and the data that is read in spite of it.
GOES_ON = {
    "tab indents": ("a:\n\tb: 1\n\tc: 2\n", [("FG-SRC-009", 2, 1), ("FG-SRC-009", 3, 1)], {"a": {"b": 1, "c": 2}}),
    "tab behind spaces": ("a:\n  \tb: 1\n", [("FG-SRC-009", 2, 3)], {"a": {"b": 1}}),
    "tab among spaces": ("a:\n\tb: 1\n  c: 2\n", [("FG-SRC-009", 2, 1)], None),
    "tab among brackets": ("a: {\n\tb: 1}\n", [("FG-SRC-009", 2, 1)], {"a": {"b": 1}}),
    "tab in plain text": ("a: b\tc\n", [("FG-SRC-009", 1, 5)], {"a": "b c"}),
    "tab leads continuation": ("a: b\n\tc\n", [("FG-SRC-009", 2, 1)], {"a": "b c"}),
    "tab indents block text": ("a: |\n\tb\n", [("FG-SRC-009", 2, 1)], {"a": "b\n"}),
    "byte order mark": (b"\xef\xbb\xbfa: 1\n", [("FG-SRC-006", 1, 1)], {"a": 1}),
    "latin-1": (b"a: 1\nb: Z\xfcrich\n", [("FG-SRC-006", 2, 5)], {"a": 1, "b": "Z\ufffdrich"}),
    "cut utf-8": (b"a: x\xc3\n", [("FG-SRC-006", 1, 5)], {"a": "x\ufffd"}),
    "nul": ("a: b\x00c\nd: 1\n", [("FG-SRC-008", 1, 5)], {"a": "b c", "d": 1}),
    "escape": ("a: 'b\x1b[2Jc'\n", [("FG-SRC-008", 1, 6)], {"a": "b [2Jc"}),
    "bidi override": ("a: 'b\u202ec'\n", [("FG-SRC-008", 1, 6)], {"a": "b c"}),
    "line separator": ("a: 1\u2028b: 2\nc: 3\n", [("FG-SRC-008", 1, 5)], None),
    "half a surrogate pair": ('a: "\\ud83d"\n', [("FG-SRC-008", 1, 4)], {"a": "\ufffd"}),
    "two documents": ("a: 1\n---\nb: 2\n", [("FG-SRC-014", 2, 1)], {"a": 1}),
    "tag": ("a: !!python/object:os.system 1\nb: 2\n", [("FG-SRC-014", 1, 4)], {"a": 1, "b": 2}),
    "tag on a list": ("a: !x [1]\n", [("FG-SRC-014", 1, 4)], {"a": [1]}),
    "merge key": ("x: &x {a: 1}\nb:\n  <<: *x\n  c: 1\n", [("FG-SRC-014", 3, 3)], {"x": {"a": 1}, "b": {"c": 1}}),
    "duplicate key": ("a: 1\nb: 2\na: 3\n", [("FG-SRC-016", 3, 1)], {"a": 1, "b": 2}),
    "duplicate quoted key": ("a: 1\n'a': 3\n", [("FG-SRC-016", 2, 1)], {"a": 1}),
    "number as key": ("a: {1: x}\n", [("FG-SRC-017", 1, 5)], {"a": {"1": "x"}}),
    "null as key": ("~: x\na: 1\n", [("FG-SRC-017", 1, 1)], {"a": 1}),
    "list as key": ("[a]: x\nb: 1\n", [("FG-SRC-017", 1, 1)], {"b": 1}),
    "cycle": ("a: &a {b: *a, c: 1}\n", [("FG-SRC-021", 1, 11)], {"a": {"c": 1}}),
    "unknown alias": ("a: *b\nc: [*b, 1]\n", [("FG-SRC-021", 1, 4), ("FG-SRC-021", 2, 5)], {"c": [1]}),
    "two equal items": ("a: [x, y, x]\n", [("FG-SRC-016", 1, 11)], {"a": ["x", "y", "x"]}),
    "directive": ("# c\n%YAML 1.1\n---\na: 010\n", [("FG-SRC-014", 2, 1)], {"a": 10}),
}

# Text and what is reported; nothing of it can be read.
STOPS = {
    "utf-16": ("a: 1\n".encode("utf-16"), [("FG-SRC-005", 1, 1)]),
    "utf-16 without mark": ("a: 1\n".encode("utf-16-be"), [("FG-SRC-005", 1, 1)]),
    "utf-32": ("a: 1\n".encode("utf-32"), [("FG-SRC-005", 1, 1)]),
    "empty": ("", [("FG-SRC-010", 1, 1)]),
    "comments": ("# a\n\n  # b\n", [("FG-SRC-010", 1, 1)]),
    "empty document": ("---\n...\n", [("FG-SRC-010", 1, 1)]),
    "null": ("~\n", [("FG-SRC-010", 1, 1)]),
    "list": ("\n- a\n", [("FG-SRC-022", 2, 1)]),
    "text": ("just words\n", [("FG-SRC-022", 1, 1)]),
    "deep": ("a: " + "[" * 60000, [("FG-SRC-019", 1, 67)]),
    "deep blocks": ("".join(" " * n + "a:\n" for n in range(80)), [("FG-SRC-019", 65, 65)]),
    "bomb": (
        "a: &a [x, y, z]\n" + "".join(f"{c}: &{c} [{', '.join(f'*{p}' for _ in range(9))}]\n"
                                      for p, c in zip("abcdefgh", "bcdefghi", strict=True)),
        None,
    ),
    "alias nests too deep": (
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 80)), [("FG-SRC-019", 64, 12)]),
    "long line": ("a: 1\nb: " + "x" * 70000 + "\n", [("FG-SRC-004", 2, 1)]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reported", "data"), GOES_ON.values(), ids=GOES_ON)
@PARSERS
def test_fault_is_reported_and_reading_goes_on(
    write: Write, text: str | bytes, reported: list[tuple[str, int, int]], data: object, pure: bool
) -> None:
    document, found = read(write(text), pure=pure)
    assert [spot for spot in spots(found) if data or spot[0] != "FG-SRC-011"] == reported
    assert (document.data if document else None) == data
    assert all(item.hint and item.message for item in found)


@pytest.mark.parametrize(("text", "reported"), STOPS.values(), ids=STOPS)
@PARSERS
def test_fault_stops_reading(
    write: Write, text: str | bytes, reported: list[tuple[str, int, int]] | None, pure: bool
) -> None:
    document, found = read(write(text), pure=pure)
    assert document is None
    fatal = {code.id for code in all_codes() if code.fatal}
    assert {item.code for item in found} & fatal
    if reported is None:
        assert [item.code for item in found if item.code in fatal] == ["FG-SRC-018"]
    else:
        assert spots(found) == reported


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\t# comment\n", "a:\t1\n", "a: [1,\t2]\n", "a:\n-\tb: 1\n  c: 2\n", "a: 'b\tc'\n",
        "a: |\n  b\tc\n  \td\n", "a: 1\n\t\nb: 2\n", "a: 1\n\t# comment\nb: 2\n", "a: \"b\n\tc\"\n", "-\ta\n",
    ],
)  # fmt: skip
@PARSERS
def test_harmless_tabs_are_accepted(write: Write, text: str, pure: bool) -> None:
    path = write(text if text.startswith("a") else f"l:\n{text}")
    document, found = read(path, pure=pure)
    assert found == []
    assert document is not None


@PARSERS
def test_tabs_that_are_data_stay(write: Write, pure: bool) -> None:
    document, _ = read(write("a: |\n  b\tc\n  \td\ne: 'f\tg'\nh: \"i\t\\tj\"\n"), pure=pure)
    assert document.data == {"a": "b\tc\n\td\n", "e": "f\tg", "h": "i\t\tj"}


def test_both_places_of_a_conflict_are_named(write: Write) -> None:
    _, found = read(write("l:\n- {name: x}\n- {name: x, v: 1}\nk: 1\nk: 2\n"))
    assert {item.code for item in found} == {"FG-SRC-016"}
    places = {item.path: [str(other.place) for other in item.related] for item in found}
    assert places == {("l",): ["f:2:3"], ("k",): ["f:4:1"]}


def test_wrong_bytes_are_guessed_in_the_hint(write: Write) -> None:
    _, found = read(write("städt: Zürich am See\n".encode("latin-1")))
    assert [item.place.column for item in found if item.place] == [3, 9]
    assert "städt" in found[0].hint
    assert "Zürich" in found[1].hint
    assert "FC" in found[1].message


def test_missing_file_names_a_similar_one(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text("a: 1\n")
    _, found = read(tmp_path / "fabrik.yaml")
    assert [item.code for item in found] == ["FG-SRC-001"]
    assert str(tmp_path / "fabric.yaml") in found[0].hint


@pytest.mark.parametrize(
    ("name", "code"),
    [("file/fabric.yaml", "FG-SRC-001"), ("", "FG-SRC-002"), ("loop", "FG-SRC-002"), ("a\0b", "FG-SRC-002"),
     pytest.param("closed", "FG-SRC-002", marks=pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything"))],
)  # fmt: skip
def test_what_is_no_readable_file(name: str, code: str, tmp_path: Path) -> None:
    for each in ("file", "closed"):
        (tmp_path / each).write_text("a: 1\n")
    (tmp_path / "closed").chmod(0)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert [item.code for item in read(tmp_path / name)[1]] == [code]


@pytest.mark.parametrize(("size", "codes"), [(8 * 1024 * 1024, ["FG-SRC-010"]), (8 * 1024 * 1024 + 1, ["FG-SRC-004"])])
def test_size_limit(write: Write, size: int, codes: list[str]) -> None:
    _, found = read(write(b"#" * size))
    assert [item.code for item in found] == codes


def test_many_equal_faults_end_in_a_count(write: Write) -> None:
    _, found = read(write("a:\n" + "".join(f"\tk{n}: 1\n" for n in range(4096))))
    assert sum(item.count for item in found) == 4096
    assert len(found) == 101
    assert found[-1].count == 3996


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_of_other_systems_count(write: Write, ending: str) -> None:
    document, found = read(write(f"a: 1{ending}b: x{ending}b: y{ending}"))
    assert spots(found) == [("FG-SRC-016", 3, 1)]
    assert document.lines("f") == ["a: 1", "b: x", "b: y"]


def test_lists_of_data_files_are_tables(write: Write) -> None:
    bag = Bag()
    document = load_data(write("- {speed: 400}\n- {speed: 400}\n- [1, 1]\n"), bag)
    assert list(bag) == []
    assert document.data == [{"speed": 400}, {"speed": 400}, [1, 1]]
    assert [document.place((segment,)).line for segment in ("[speed=400]", "[speed=400 #2]")] == [1, 2]


def test_a_data_file_is_no_single_value(write: Write) -> None:
    bag = Bag()
    assert load_data(write("word\n"), bag) is None
    assert [item.code for item in bag] == ["FG-SRC-022"]


def test_places_show_the_path_as_given(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a: 1\na: 2\n")
    monkeypatch.chdir(path.parent)
    bag = Bag()
    document = load_document(Path("./fabric.yaml"), bag)
    assert document.files == (str(Path("./fabric.yaml")),)
    assert [str(item.place) for item in bag] == ["fabric.yaml:2:1"]


def test_lines_of_a_file_that_gave_no_document(write: Write, tmp_path: Path) -> None:
    assert read_lines(write(b"a: [1\r\nb\xfc\r\n")) == ["a: [1", "b\ufffd"]
    assert read_lines(tmp_path / "none.yaml") == []
