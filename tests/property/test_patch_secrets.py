"""No patch writes again what may be a secret, however a device's file writes it and however common a word it is."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.platforms.reading.reader import read_document
from tests.property.test_redaction import GOLDEN, KINDS, SEEDS, TEXTS, make_side, outputs
from tests.sampling import FRESH, sampled

WRITTEN = 4
"""Positions at which a secret is written in an odd way; with FABRICGEN_JUDGE_ALL all."""
WORDS = 3
"""Common words that are planted; with FABRICGEN_JUDGE_ALL all."""
in_part = pytest.mark.sampled(2, of="kind")
COMMON = ("private", "public", "password", "secret", "key", "md5", "admin", "default", "none", "true", "100")
"""Words that people take for passwords; a word of one or two characters is a secret behind strong words alone."""


def written_settings(text: str, name: str) -> set[tuple[str, str]]:
    """Every setting of a file of a patch: what stands right before a value, and the value."""
    if name.endswith((".yaml", ".yml")):
        return set(flatten(read_document(text), ""))
    if text[:1] in ("{", "["):
        return set(flatten(json.loads(text), ""))
    lines = [re.sub(r"[\s=]+", " ", line).strip().removeprefix("no ") for line in text.split("\n")]
    return {(head, value) for line in lines for head, _, value in (line.rpartition(" "),)}


def flatten(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Keys with their values, of an operation of a patch too, and keys with those below them."""
    if isinstance(value, dict) and "op" in value:
        *steps, last = value["path"].split("/")
        yield from [*zip(steps, [*steps[1:], last], strict=True), *flatten(value.get("value"), last)]
    elif isinstance(value, dict):
        for name, below in value.items():
            yield from [(key, str(name)), *flatten(below, str(name))]
    elif isinstance(value, list):
        for item in value:
            yield from flatten(item, key)
    else:
        yield key, str(value)


def common_words(kind: str) -> list[str]:
    """Words that are shown elsewhere in a file, and words that many people take for passwords."""
    fabric, path, _, _ = KINDS[kind]
    folder, _, rest = path.split("/", 2)
    file = load_kinds(None, Bag()).of_device(folder, [rest])[rest]
    tree = file.read((GOLDEN / fabric / "config" / path).read_text(encoding="utf-8"))
    numbers = sorted(set(re.findall(r"(?<![\w.])[0-9]{3,}(?![\w.])", json.dumps(tree, default=str))))
    return list(dict.fromkeys([*numbers[:4], *COMMON]))


@in_part
@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_that_is_a_common_word_stays_one(kind: str, tmp_path: Path) -> None:
    """A patch has the word where it is no secret, and nowhere behind what announces one."""
    telling = [position for position in KINDS[kind][2] if position.endswith("{t}") or "{" not in position]
    found, checked = [], 0
    for word in sampled(common_words(kind), WORDS, f"{FRESH} {kind}"):
        planted = {"i": {}, "d": dict.fromkeys(telling, word)}
        sides = [make_side(tmp_path / word / which, kind, plants) for which, plants in planted.items()]
        patches, bag = tmp_path / word / "p", Bag()
        summary = diff(*map(str, sides), DiffOptions(tmp_path, details=True, causes=False, patches=patches), bag)
        told = [" ".join(text.split()) for text in outputs(summary, bag)]
        for file in (path for path in patches.rglob("*") if path.is_file()):
            settings = written_settings(file.read_text(), file.name)
            for position in telling:
                bare = re.sub(r"[\s=]+", " ", position.rpartition(" > ")[2].replace("{t}", "")).strip()
                found += [f"{bare} {word} in {file.relative_to(patches)}"] if (bare, word) in settings else []
                checked += 1
        for position in telling:
            bare = " ".join(position.replace(" > ", " ").replace("{t}", "").split())
            found += [f"{bare} {word} told" for text in told if re.search(rf"{re.escape(bare)} {word}\b", text)]
    print(f"{kind}: {checked} settings looked for, {len(found)} found")  # noqa: T201 - figures
    assert not found, found


SIGNS = (
    '"', "'", "\\", "\\x41", " ", " #", "#", "ü", "\u2028", "😀", "/", "~1", "%25", ": ", ", ", "=", "]", "&", "*",
    "\t",
)  # fmt: skip
"""Signs that may stand in the middle of a secret, and take its text apart."""
YAML_FORMS = ("plain", "escaped", "single", "folded", "literal", "tagged", "anchor", "comment")


def write_json(token: str, rng: random.Random) -> str:
    """A string of JSON without its quotes; any character may be an escape."""
    units = json.dumps(token)[1:-1] if rng.random() < 0.5 else ""
    return units or "".join(f"\\u{number:04x}" for sign in token for number in surrogates(sign))


def surrogates(sign: str) -> list[int]:
    raw = sign.encode("utf-16-be")
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


def write_yaml(token: str, indent: str, form: str) -> str:
    quoted = json.dumps(token, ensure_ascii=False)
    head, tail = token[:8], json.dumps(token[8:], ensure_ascii=False)[1:]
    return {
        "plain": quoted,
        "escaped": '"' + "".join(f"\\x{ord(sign):02x}" if ord(sign) < 256 else sign for sign in token) + '"',
        "single": "'" + token.replace("'", "''") + "'",
        "folded": f'"{head}\\\n{indent}  {tail}',
        "literal": f"|-\n{indent}  {token}",
        "tagged": f"!!str {quoted}",
        "anchor": f"&{head} {quoted}",
        "comment": f"{quoted}  # {head}",
    }[form]


def plant_written(text: str, kind: str, token: str, place: str, rng: random.Random) -> str:
    """A text with a token, as its format may write it, in place of a word."""
    if kind in TEXTS and not KINDS[kind][1].endswith(".yaml"):
        return text.replace(place, token)
    if kind not in TEXTS:
        return text.replace(place, write_json(token, rng))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        form = "plain" if re.search(rf"{place}'?:", line) else rng.choice(YAML_FORMS)
        lines[number] = write_yaml(token, indent, form).join(re.split(f"'?{place}'?", line))
    return "\n".join(lines)


def unescaped(text: str) -> str:
    """A text in which every escape is the character it stands for."""
    plain = re.sub(r"\\+x([0-9a-fA-F]{2})|\\+u([0-9a-fA-F]{4})", lambda at: chr(int(at[1] or at[2], 16)), text)
    return re.sub(r"\\+\n\s*", "", plain)


@in_part
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_way_of_writing_lets_a_secret_through(kind: str, seed: int, tmp_path: Path) -> None:
    """One secret at a time: some ways of writing are refused by a reader, which must not keep the others from it."""
    rng, (_, path, positions, _) = random.Random(f"{seed}{kind}"), KINDS[kind]
    found, compared = [], 0
    for number, position in enumerate(sampled(positions, WRITTEN, f"{seed} {kind}")):
        cores = ["".join(rng.choices("bcdfghjkmnpqrstvwxz", k=8)) for _ in range(2)]
        # A blank ends a word of a command line, and of a setting without quotes.
        signs = [sign for sign in SIGNS if kind not in TEXTS or not re.search(r"\s", sign) or path.endswith(".yaml")]
        token, place, folder = rng.choice(signs).join(cores), "zq0place0qz", tmp_path / str(number)
        sides = [make_side(folder / which, kind, it) for which, it in (("i", {}), ("d", {position: place}))]
        file = sides[1] / path
        file.write_text(plant_written(file.read_text(), kind, token, place, rng), encoding="utf-8")
        bag, patches = Bag(), folder / "p"
        summary = diff(*map(str, sides), DiffOptions(folder, details=True, causes=False, patches=patches), bag)
        assert {fault.code for fault in bag} <= {"FG-DIF-075", "FG-DIF-021", "FG-DIF-076"}, [*bag]
        texts = [*outputs(summary, bag), *(it.read_text() for it in patches.rglob("*") if it.is_file())]
        compared += not summary.totals.failed
        found += [(position, token, text) for text in texts for core in cores if core in unescaped(text)]
    print(f"{kind}, seed {seed}: {compared} secrets written in many ways, {len(found)} found")  # noqa: T201 - figures
    assert compared
    assert not found, [(position, token, text[:2000]) for position, token, text in found[:2]]
