"""Configuration text whose structure is its indentation → blocks of commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Block:
    """A command and those below it."""

    line: str
    below: list[Block] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The command's words."""
        return self.line.split()

    def paths(self, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """This command and every one below, each with the commands that it stands under."""
        here = (*above, self.line)
        yield here
        for child in self.below:
            yield from child.paths(here)


def read_blocks(text: str) -> list[Block]:
    """The top-level commands; separators, comments and the final ``end`` are left out."""
    top = Block("")
    stack: list[tuple[int, Block]] = [(-1, top)]
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!") or line == "end":
            continue
        depth = len(raw) - len(raw.lstrip())
        while stack[-1][0] >= depth:
            stack.pop()
        block = Block(line)
        stack[-1][1].below.append(block)
        stack.append((depth, block))
    return top.below


def flat(blocks: list[Block]) -> Iterator[Block]:
    """Every command of some blocks, however deep."""
    for block in blocks:
        yield block
        yield from flat(block.below)
