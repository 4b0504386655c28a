"""Trees of git that are hostile or odd: nothing leaves the folder, everything else is there."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from git_trees import FILE, LINK, MODULE, TREE, Repository

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.collect import git
from fabricgen.collect.folder import SIZE_MAX_BYTES, read_content
from fabricgen.collect.revision import extract_revision
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.file_codes import Unreadable

GOOD = b"hostname leaf\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def extract(repository: Repository, path: str = ".", revision: str = "main") -> tuple[Path | None, dict[str, str]]:
    """Return what is extracted, and the message of each code."""
    bag = Bag()
    into = repository.folder.parent / f"into{len(list(repository.folder.parent.iterdir()))}"
    into.mkdir()
    found = extract_revision(repository.folder, revision, path, into, bag)
    return found, {item.code: item.message for item in bag}


def commit(repository: Repository, *entries: tuple[str, bytes, bytes]) -> None:
    """Commit files and links beside a good file."""
    blobs = [(mode, name, repository.blob(data)) for mode, name, data in (*entries, (FILE, b"good", GOOD))]
    repository.commit(repository.tree(blobs))


def paths(folder: Path | None) -> set[str]:
    assert (folder / "good").read_bytes() == GOOD
    return {str(path.relative_to(folder)) for path in folder.rglob("*")} - {"good"}


@pytest.mark.parametrize("target", [b"/etc/passwd", b"../../outside", b"self", b"a/../../outside", b"", b"x" * 5000])
def test_a_link_that_leads_out_is_not_followed(repository: Repository, target: bytes) -> None:
    commit(repository, (LINK, b"self", target))
    (repository.folder.parent / "outside").write_text("secret")
    found, _ = extract(repository)
    for path in paths(found):
        assert isinstance(read_content(f"{found}/{path}", str(found)), Unreadable)


def test_a_link_inside_leads_where_it_did(repository: Repository) -> None:
    inner = repository.tree([(FILE, b"file", repository.blob(b"inner"))])
    link = [(LINK, name, repository.blob(to)) for name, to in ((b"a", b"b"), (b"b", b"inner/../inner/file"))]
    repository.commit(repository.tree([*link, (FILE, b"good", repository.blob(GOOD)), (TREE, b"inner", inner)]))
    found, codes = extract(repository)
    assert codes == {}
    assert (found / "a").read_bytes() == b"inner"
    single, _ = extract(repository, "a")
    assert single.read_bytes() == b"inner"


@pytest.mark.parametrize("name", [b"..", b".", b"n" * 300, b"../evil"])
def test_a_name_that_no_file_has_is_told(repository: Repository, name: bytes) -> None:
    commit(repository, (FILE, name, b"evil"))
    found, codes = extract(repository)
    assert paths(found) == set()
    assert set(codes) == {"FG-DIF-021"}
    assert not (repository.folder.parent / "evil").exists()


def test_a_link_and_a_folder_of_one_name_write_nothing_outside(repository: Repository, tmp_path: Path) -> None:
    inner = repository.tree([(FILE, b"evil", repository.blob(b"x"))])
    link = repository.blob(str(tmp_path).encode())
    good = (FILE, b"good", repository.blob(GOOD))
    repository.commit(repository.tree([(LINK, b"a", link), (TREE, b"a", inner), good]))
    found, codes = extract(repository)
    assert paths(found) == {"a", "a/evil"}
    assert set(codes) == {"FG-DIF-021"}
    inner = repository.tree([(LINK, b"evil", link)])
    repository.commit(repository.tree([(LINK, b"a", link), (TREE, b"a", inner), good]))
    assert extract(repository)[1] == {"FG-DIF-021": "a/evil: cannot be read: its path leads through a link"}
    assert not (tmp_path / "evil").exists()


def test_names_that_are_no_text_are_written(repository: Repository) -> None:
    commit(repository, (FILE, b"leaf\xff\n", b"x"), (FILE, b"-rf", b"x"), (FILE, "Zürich".encode(), b"x"))
    found, codes = extract(repository)
    assert codes == {}
    assert paths(found) == {os.fsdecode(b"leaf\xff\n"), "-rf", "Zürich"}


def test_a_submodule_is_left_out(repository: Repository) -> None:
    good = (FILE, b"good", repository.blob(GOOD))
    repository.commit(repository.tree([good, (MODULE, b"sub", "1" * 40)]))
    found, codes = extract(repository)
    assert (paths(found), codes) == (set(), {})
    assert extract(repository, "sub")[0] is None


def test_content_that_the_repository_lacks_is_told(repository: Repository) -> None:
    repository.commit(repository.tree([(FILE, b"good", repository.blob(GOOD)), (FILE, b"lost", "1" * 40)]))
    found, codes = extract(repository)
    assert paths(found) == set()
    assert codes == {"FG-DIF-021": "lost: cannot be read: the repository does not have its content"}


def test_a_broken_object_is_told(repository: Repository) -> None:
    commit(repository, (FILE, b"broken", b"broken"))
    digest = repository.git("rev-parse", "main:broken")
    loose = repository.folder / ".git/objects" / digest[:2] / digest[2:]
    loose.chmod(0o644)
    loose.write_bytes(b"\0" * 20)
    found, codes = extract(repository)
    assert paths(found) == set()
    assert set(codes) == {"FG-DIF-021"}


def test_a_tree_that_holds_itself_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "LISTING_MAX_BYTES", 1 << 20)
    tree = repository.tree([(FILE, b"f", repository.blob(b"x"))])
    for _ in range(6):
        tree = repository.tree([(TREE, b"%d" % number, tree) for number in range(10)])
    repository.commit(tree)
    found, codes = extract(repository)
    assert found is None
    assert codes == {"FG-DIF-002": "main:. cannot be read: its list of files is longer than 1 MiB"}


def test_a_file_too_large_to_be_read_takes_no_room(repository: Repository) -> None:
    commit(repository, (FILE, b"large", b"\0" * (SIZE_MAX_BYTES + 1)))
    found, codes = extract(repository)
    assert codes == {}
    assert (found / "large").stat().st_blocks == 0
    read = read_content(str(found / "large"))
    assert "larger than 16 MiB" in read.message


def test_a_tree_without_room_on_the_disk_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository, (FILE, b"file", b"x" * 100))
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100))
    found, codes = extract(repository)
    assert found is None
    assert "room for" in codes["FG-DIF-002"]


def test_attributes_leave_nothing_out(repository: Repository) -> None:
    commit(repository, (FILE, b".gitattributes", b"leaf export-ignore\n"), (FILE, b"leaf", b"x"))
    assert "leaf" in paths(extract(repository)[0])


def test_deep_trees_end(repository: Repository) -> None:
    tree = repository.tree([(FILE, b"f", repository.blob(b"x"))])
    for _ in range(70):
        tree = repository.tree([(TREE, b"d", tree)])
    repository.commit(repository.tree([(TREE, b"d", tree), (FILE, b"good", repository.blob(GOOD))]))
    found, codes = extract(repository)
    assert paths(found) == set()
    assert codes["FG-DIF-021"].endswith("its path is too long")


@pytest.mark.parametrize(
    ("revision", "path"),
    [
        ("nope", "."),
        ("main", "nope"),
        ("main\nmain", "."),
        ("main", "a\nmain:good"),
        ("r" * 5000, "."),
        ("main", "p" * 300),
        ("main", "good/x"),
        ("--help", "."),
        ("main^{blob}", "."),
        ("@{-1}", "."),
        ("main", "../../x"),
        ("main\udcff", "\udcff"),
    ],
)
def test_a_name_that_stands_for_nothing_is_told(repository: Repository, revision: str, path: str) -> None:
    commit(repository)
    found, codes = extract(repository, path, revision)
    assert found is None
    assert set(codes) == {"FG-DIF-002"}


def test_a_bare_repository_and_a_folder_inside_one_are_read(repository: Repository) -> None:
    inner = repository.tree([(FILE, b"good", repository.blob(GOOD))])
    repository.commit(repository.tree([(TREE, b"in", inner)]))
    bare = Repository.__new__(Repository)
    bare.folder = repository.folder / ".git"
    assert paths(extract(bare, "in")[0]) == set()
    folder = Repository.__new__(Repository)
    folder.folder = repository.folder / "in"
    folder.folder.mkdir()
    assert paths(extract(folder)[0]) == set()


def test_two_sides_of_one_revision_and_name_are_compared(repository: Repository) -> None:
    """And sides that are too long for a path are no crash."""
    frr = b"frr version 8.4.4\nhostname leaf\nrouter bgp 65001\nexit\n"
    sides = [repository.blob(text) for text in (frr, frr.replace(b"65001", b"65002"))]
    sides = [repository.tree([(FILE, b"frr.conf", side)]) for side in sides]
    for name in (b"frr", b"etc", b"leaf", b"switches", b"out"):
        sides = [repository.tree([(TREE, name, side)]) for side in sides]
    repository.commit(repository.tree([(TREE, b"a", sides[0]), (TREE, b"b", sides[1])]))
    bag = Bag()
    summary = diff("main:a/out", "main:b/out", DiffOptions(repository.folder), bag)
    assert (summary.totals.compared, summary.totals.different, list(bag)) == (1, 1, [])
    for side in ("x" * 5000, "x" * 300 + ":y", "a\0b", "a\0b:c", "main:" + "y/" * 3000):
        bag = Bag()
        assert diff("main:a/out", side, DiffOptions(repository.folder), bag) is None
        assert {found.code for found in bag} < {"FG-DIF-001", "FG-DIF-002"}
