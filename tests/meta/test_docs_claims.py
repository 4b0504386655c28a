"""Claims of the documentation about the code are true: links, rooms, codes, numbers, snippets."""

from __future__ import annotations

import re
import subprocess
import sys
from configparser import ConfigParser
from functools import cache
from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import device_leafs, link_leafs
from fabricgen.tables.tables import list_addresses, list_devices
from tests.command_line import run

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "templates/*.md", "inventories/*.md")
    for page in REPOSITORY.glob(pattern)
)
ROOMS = (
    "diagnostics", "files", "source", "validation", "intent", "catalog", "physics", "plan.model", "plan.planner",
    "device", "platforms", "analysis", "checks", "render", "collect", "diff", "state", "rollout", "export", "lab",
    "snippets", "sizing", "inference", "compiler", "tables", "api", "cli",
)  # fmt: skip
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@cache
def prose_of(page: Path) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors_of(page: Path) -> set[str]:
    """Anchors of a page's headings, as markdown viewers make them."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Cells of the first table below a heading, without its head."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    below = text[text.index(f"\n{heading}\n") :]
    table = re.search(r"(^\|.*\n)+", below, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.group().splitlines()[2:]]


def found_in_pages(pattern: str) -> list[tuple[Path, str]]:
    """Every match of a pattern in the prose of a page, with the page."""
    found = [(page, text) for page in PAGES for text in re.findall(pattern, prose_of(page))]
    assert found
    return found


def leads_somewhere(page: Path, target: str) -> bool:
    """Return whether a link of a page leads to a file, and to a heading of it."""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    return path.startswith("https://") or (file.exists() and (not anchor or anchor in anchors_of(file)))


def test_links_lead_somewhere() -> None:
    # What stands in back quotes before a link is no link.
    links = found_in_pages(r"(?:`[^`\n]*`)|\]\(([^)\s]+)\)")
    assert [(page, link) for page, link in links if link and not leads_somewhere(page, link)] == []


def test_every_row_of_the_page_of_checks_has_an_answer() -> None:
    text = (REPOSITORY / "docs" / "checks.md").read_text(encoding="utf-8")
    rows = [line for line in text.split("\n") if line.startswith("|") and not line.startswith("|---")]
    assert len(rows) > 40
    assert all(len(row.strip("|").split("|")[-1].strip()) >= 3 for row in rows)


def test_named_files_exist() -> None:
    named = found_in_pages(r"`((?:fabricgen|tests|templates|inventories|docs|tools)/[\w./-]+)`")
    assert [(page, path) for page, path in named if not (REPOSITORY / path).exists()] == []


def test_named_codes_exist() -> None:
    known = set(re.findall(r"^### (FG-\S+)$", (REPOSITORY / "docs/codes.md").read_text(), re.MULTILINE))
    assert [(page, code) for page, code in found_in_pages(r"FG-[A-Z]{3}-\d{3}") if code not in known] == []


def test_codes_point_to_sections_of_the_documentation() -> None:
    sources = re.findall(r" \*[^*]*docs/intent\.md, ([\w -]+)\*$", (REPOSITORY / "docs/codes.md").read_text(), re.M)
    wanted = {source.replace(" ", "-") for source in sources}
    assert wanted
    assert wanted <= anchors_of(REPOSITORY / "docs/intent.md")


def test_table_of_rooms_is_what_import_linter_enforces() -> None:
    rules = ConfigParser()
    rules.read(REPOSITORY / ".importlinter")
    forbidden: dict[str, set[str]] = {}
    for section in rules.sections():
        contract = rules[section]
        sources = contract.get("source_modules", "").split()
        if len(sources) == 1:
            forbidden[sources[0].removeprefix("fabricgen.")] = {
                module.removeprefix("fabricgen.") for module in contract["forbidden_modules"].split()
            }
    written = {row[0].strip("`"): row[2] for row in rows_of("docs/architecture.md", "## Rooms")}
    assert tuple(written) == ROOMS
    for room, text in written.items():
        if room in ("api", "cli"):
            continue
        barred = {other for other in ROOMS for module in forbidden[room] if f"{other}.".startswith(f"{module}.")}
        allowed = set(ROOMS) - barred - {room, "diagnostics", "files"}
        assert set(text.replace("nothing", "").replace(",", " ").split()) == allowed, room


def test_worked_example_is_what_the_tool_says() -> None:
    made = compile_inventory(REPOSITORY / "inventories/quickstart", (), Bag())
    at = {(row["device"], row["interface"]): str(row["address"]) for row in list_addresses(made.plan)}
    asn = {row["name"]: str(row["asn"]) for row in list_devices(made.plan)}
    text = (REPOSITORY / "docs/intent.md").read_text(encoding="utf-8")
    worked = re.search(r"\*\*Worked example.*?\n\n((?:\|.*\n)+)", text, re.DOTALL)
    results = {line.split(" | ")[0].strip("| "): line.split(" | ")[-1].strip("| ") for line in worked[1].splitlines()}
    assert results.items() >= {
        ("loopback of `leaf-u002-r4`", at["leaf-u002-r4", "loopback"]),
        ("loopback of `spine-02`", at["spine-02", "loopback"]),
        ("management of `leaf-u002-r4`", at["leaf-u002-r4", "management"]),
        ("ASN of `leaf-u002-r4`", asn["leaf-u002-r4"]),
        ("first uplink of `leaf-u002-r4`", at["leaf-u002-r4", "Ethernet504"]),
        ("its other end, `spine-01`", at["spine-01", "Ethernet96"]),
        ("host block of `leaf-u002-r4`", at["leaf-u002-r4", "Ethernet0"] + "/27"),
        ("leaf's end towards `gpu-u002-h03` rail 6", at["leaf-u002-r4", "Ethernet40"]),
        ("`gpu-u002-h03` rail 6", at["gpu-u002-h03", "rail6"]),
    }


def test_script_that_prints_each_stage_runs() -> None:
    text = (REPOSITORY / "docs/mechanics.md").read_text(encoding="utf-8")
    script, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(printed)
    assert "switches/leaf-u001-r0/etc/sonic/frr/frr.conf" in done.stdout


def test_example_of_the_readme_is_what_it_expects_of_itself(tmp_path: Path) -> None:
    document = re.search(r"```yaml\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(document[1].splitlines()) <= 20
    (tmp_path / "fabric.yaml").write_text(document[1], encoding="utf-8")
    done = run("validate", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "quickstart: valid, 64 GPUs, 8 hosts, 6 switches")


def test_mistake_of_the_readme_is_printed_as_shown(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(error.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    run("init", "my-fabric", "--blueprint", "quickstart", cwd=tmp_path).exits(0)
    with (tmp_path / "my-fabric/fabric.yaml").open("a", encoding="utf-8") as file:
        file.write(
            "lossless:\n  classes:\n    cnp: {dscp: [26], priority: 6, strict: true}\n"
            "    roce: {dscp: [26], priority: 3, lossless: true, weight_pct: 95}\n"
            "    control: {dscp: [48, 56], priority: 7, strict: true}\n    default: {priority: 0, weight_pct: 5}\n"
        )
    done = run("validate", "my-fabric", cwd=tmp_path).exits(1)
    assert shown[1] in done.stderr


def test_the_leafs_that_can_be_set_are_those_of_the_page() -> None:
    text = (REPOSITORY / "docs" / "intent.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| a `device` |"))
    listed: set[str] = set()
    for area in row.split(";"):
        words = re.findall(r"`([a-z_.]+)`", area)
        prefix = next(word for word in words if word.endswith("."))
        listed |= {prefix + word for word in words if word not in (prefix, "device")}
    assert listed == device_leafs(FabricIntent)
    assert "| a `link` | `mtu` |" in text
    assert link_leafs() == {"mtu"}
