"""FRR's own parser judges our verdict on lines of frr.conf: an error of ours it refuses, what it refuses we report."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.platforms.commands.snippets import Fault, Kind, Laid
from fabricgen.platforms.families.vtysh.snippet import judge_snippet, load_commands
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN

NOTHING = Redaction(PLAIN.root)
EXPECTED = Path(__file__).resolve().parents[2] / "golden" / "expected"
SAMPLES = """\
ip prefix-list A seq 5 permit 10.0.0.0/8 ge 16 le 24
ip prefix-list A description all of it
ipv6 prefix-list B permit 2001:db8::/32 le 64
bgp community-list standard C permit 65000:1
bgp as-path access-list D permit ^65000_
ip route 10.0.0.0/8 blackhole
ip route 192.0.2.0/24 10.0.0.1 tag 7
ip protocol bgp route-map SRC
ip nht resolve-via-default
log syslog informational
service integrated-vtysh-config
route-map R permit 10
 description what it is for
 match ip address prefix-list A
 match community C
 set local-preference 200
 set as-path prepend 65000 65000
 call R2
 on-match next
exit
bfd
 profile P
  detect-multiplier 3
  receive-interval 300
 exit
exit
vrf RED
 ip route 10.0.0.0/8 Null0
exit-vrf
interface swp1
 description a port
 ip address 192.0.2.1/24
 bandwidth 100000
exit
router bgp 65001
 bgp router-id 10.0.0.1
 bgp bestpath as-path multipath-relax
 no bgp default ipv4-unicast
 timers bgp 3 9
 neighbor G peer-group
 neighbor G remote-as external
 neighbor G bfd profile P
 neighbor 10.0.0.1 remote-as 65002
 neighbor 10.0.0.1 description who it is
 neighbor 10.0.0.1 ttl-security hops 1
 neighbor swp1 interface peer-group G
 bgp listen range 10.0.0.0/24 peer-group G
 address-family ipv4 unicast
  network 10.0.0.0/24 route-map R
  neighbor G activate
  neighbor G route-map R in
  neighbor G maximum-prefix 100 80 restart 5
  maximum-paths 64
  redistribute connected route-map R
 exit-address-family
 address-family ipv6
  neighbor G activate
 exit-address-family
exit
"""
REFUSED = re.compile(r"^line (\d+): %", re.MULTILINE)
RUNS = 400


def _refused(text: str, folder: Path) -> set[int]:
    """Lines that vtysh refuses."""
    path = folder / "frr.conf"
    path.write_text(text)
    done = subprocess.run(["vtysh", "-C", "-f", str(path)], capture_output=True, text=True, check=False)
    return {int(match[1]) for match in REFUSED.finditer(done.stdout + done.stderr)}


def _faults(text: str, routing: str = "8.4.4") -> list[Fault]:
    found = judge_snippet(Laid(text, "", text, "", routing, {}, NOTHING))
    return [item for item in found if isinstance(item, Fault)]


def _texts() -> Iterator[str]:
    yield SAMPLES
    for path in sorted(EXPECTED.rglob("frr.conf")):
        yield path.read_text(encoding="utf-8")


def _mutated(line: str, dice: random.Random) -> str:
    """A line with one fault or none: a letter, a word or a value changed, added, removed or swapped."""
    words = line.split()
    at = dice.randrange(len(words))
    word = words[at]
    spot = dice.randrange(len(word))
    words[at : at + 1] = dice.choice(
        (
            [word[:spot] + dice.choice("abcxyz") + word[spot:]],
            [word[:spot] + word[spot + 1 :] or "x"],
            [word, word],
            [],
            [dice.choice(("0", "-1", "99999999999", "10.0.0.0/33", "10.0.0.256", "2001:db8::/129", "foo", "any"))],
            [word, dice.choice(("in", "7", "route-map", "extra"))],
        )
    )
    return " " * (len(line) - len(line.lstrip())) + " ".join(words or ["x"])


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("vtysh") is None, reason="vtysh is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_parser_agrees_on_changed_lines(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    for text in _texts():
        lines = text.split("\n")
        tried = [at for at, line in enumerate(lines) if line.strip() and line.strip()[0] not in "!#"]
        changed = list(lines)
        for at in tried:
            # What enters a mode stays, or all that follows would be judged elsewhere.
            if at + 1 < len(lines) and _depth(lines[at + 1]) <= _depth(lines[at]) and "exit" not in lines[at]:
                changed[at] = _mutated(lines[at], dice) if dice.random() < 0.7 else lines[at]
        _compare("\n".join(changed), tmp_path)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _compare(text: str, folder: Path) -> None:
    lines, refused, faults = text.split("\n"), _refused(text, folder), _faults(text)
    errors = {fault.line: fault for fault in faults if fault.kind is Kind.COMMAND}
    told = {fault.line for fault in faults}
    assert [(lines[at - 1], fault.message) for at, fault in errors.items() if at not in refused] == []
    assert [lines[at - 1] for at in sorted(refused - told)] == []


@pytest.mark.skipif(shutil.which("vtysh") is None, reason="vtysh is not installed")
def test_both_take_every_rendered_line(tmp_path: Path) -> None:
    for text in _texts():
        assert _refused(text, tmp_path) == set()
        faults = [fault for fault in _faults(text) if fault.kind is not Kind.REFERENCE]
        assert faults == []


@pytest.mark.skipif(shutil.which("vtysh") is None, reason="vtysh is not installed")
def test_parser_takes_nothing_by_a_first_word_that_no_mode_lists(tmp_path: Path) -> None:
    """Every first word of a mode, written in another mode: an error of ours is one of the parser's."""
    entering = {
        "top": "", "bgp": "router bgp 1\n", "interface": "interface x\n", "route-map": "route-map x permit 1\n",
        "bfd": "bfd\n", "vrf": "vrf x\n", "bgp ipv4 unicast": "router bgp 1\naddress-family ipv4 unicast\n",
    }  # fmt: skip
    commands = load_commands()
    lines = sorted({f"{word} x" for grammar in commands.modes.values() for word in grammar.first_words})
    for head in entering.values():
        text = "".join(f"{head}{line}\nend\n" for line in lines if not line.startswith(("exit", "end", "quit")))
        refused = _refused(text, tmp_path)
        wrong = [f for f in _faults(text) if f.kind is Kind.COMMAND and f.line not in refused]
        assert [text.split("\n")[fault.line - 1] for fault in wrong] == [], head
