"""Steps after rendering, as the manifest of each platform lists them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from fabricgen.device.globs import Globs, is_chosen
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.secrets import list_secrets


def list_next_steps(
    plan: FabricPlan, platforms: Mapping[str, PlatformSpec], out: Path, *, only: Globs = (), device: str = "NAME",
    with_secrets: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Return the steps from a rendered tree to devices, platform by platform; a heading before each.

    ``only`` are globs on the names of the devices that were rendered, empty for all, and ``device`` stands for the name
    of one; ``with_secrets`` says that files hold secrets, not references.
    """
    if not with_secrets and list_secrets(plan):
        yield f"secrets: {out} has references only; render --with-secrets into another folder, and copy that"
    for name, spec, folder, what in _list_platforms(plan, platforms, only):
        if not spec.next_steps:
            continue
        page = f", docs/deploy/{name}.md" if Path(spec.root) == template_root() else ""
        yield f"{name}: {what}{page}"
        for step in spec.next_steps:
            yield f"  {step.replace('{folder}', f'{out}/{folder}/{device}')}"


def _list_platforms(
    plan: FabricPlan, platforms: Mapping[str, PlatformSpec], only: Globs
) -> Iterator[tuple[str, PlatformSpec, str, str]]:
    """Name, manifest, folder of its devices in a tree, and how many of them there are."""
    switches = Counter(
        plan.tier_of(device).platform for device in plan.switches() if is_chosen(plan.device_name(device), only)
    )
    hosts = Counter(plan.hosts[host.group].os for host in plan.all_hosts() if is_chosen(plan.host_name(host), only))
    for counts, folder, one in ((switches, "switches", "switch"), (hosts, "hosts", "host")):
        for name, count in counts.items():
            if name in platforms:
                yield name, platforms[name], folder, f"{count} {one if count == 1 else folder}"
