"""Rendering an inventory into an output tree, or comparing it with one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fabricgen.compiler.between import LinkContract
from fabricgen.compiler.compile import Compiled
from fabricgen.device.globs import Globs, check_only, is_chosen
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.render.render_codes import COMMIT_BLOCKED, COMMIT_STOPPED, COMMIT_UNDONE, JOURNAL_DAMAGED
from fabricgen.render.secrets import SecretResolver, SecretToken, check_secret_target, list_secrets
from fabricgen.render.tree.access import compare_tree, open_tree
from fabricgen.render.tree.layout import check_moved, check_same_fabric, describe_layout
from fabricgen.render.tree.manifest import Keep
from fabricgen.render.tree.writer import CommitResult, TreeDifference
from fabricgen.render.work import RenderResult, Settings, Sink, list_jobs, run_jobs
from fabricgen.source import Document

MANIFEST_FORMAT = 1
CONTRACT_KEY = "contract"
"""Key of a tree's header: classes, mode and MTU, on which both ends of every link agree."""
RESOLVED = "secrets_resolved"
"""Key of a tree's header that says that secrets are in the files, not their references."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Options of rendering.

    Attributes:
        verify: Read every JSON file again after rendering.
        renumber: Allow existing identities to move.
        environment: Environment variables for ``env`` secrets; None leaves tokens in place.
    """

    only: Globs = ()
    jobs: int = 1
    force: bool = False
    verify: bool = False
    renumber: bool = False
    environment: Mapping[str, str] | None = None
    overlays: Sequence[str] = ()
    progress: Callable[[str, int, int], None] | None = None


def render_inventory(compiled: Compiled, out: Path, options: RenderOptions, bag: Bag) -> CommitResult | None:
    """Render every device of a compiled inventory into a tree, in one transaction; None if the bag has errors."""
    plan, specs = compiled.plan, compiled.platforms
    if bag.has_errors or plan is None or specs is None or not check_only(options.only, plan, bag):
        return None
    if options.environment is not None and not check_secret_target(out, bag):
        return None
    secrets = _look_up_secrets(compiled, options, bag)
    if bag.has_errors:
        return None
    transaction = open_tree(out, bag, force=options.force)
    if transaction is None:
        return None
    with transaction:
        header, keep = _head(compiled, options), _keeper(options.only)
        # The rest keeps its old numbers, which the header would no longer record.
        stays = keep is not None and any(map(keep, transaction.manifest.entries))
        same = check_same_fabric(transaction.manifest.header, plan.name, out, bag)
        if same and (stays or not options.renumber):
            check_moved(_layout_of(transaction.manifest.header), header["layout"], bag)  # type: ignore[arg-type]
        if bag.has_errors:
            return None
        settings = Settings(plan, specs, options.only, options.verify, secrets)
        for result in _run(settings, transaction.stager(), plan, options):
            transaction.add(result.records)
            bag.extend(result.diagnostics)
        return transaction.commit(header, keep=keep)


def _run(settings: Settings, sink: Sink, plan: FabricPlan, options: RenderOptions) -> Iterator[RenderResult]:
    """Return the results of all jobs, and report after each how many there were."""
    jobs = list_jobs(plan)
    for done, result in enumerate(run_jobs(settings, sink, jobs, options.jobs), 1):
        if options.progress is not None:
            options.progress("rendering", done, len(jobs))
        yield result


def describe_failure(bag: Bag) -> str:
    """Say what a render that failed left behind, the commit of an earlier command included."""
    codes = {diagnostic.code for diagnostic in bag}
    if COMMIT_STOPPED.id in codes:
        return "the commit is unfinished"
    if codes & {COMMIT_BLOCKED.id, JOURNAL_DAMAGED.id}:
        return "nothing was written; the commit of an earlier command is still unfinished"
    if COMMIT_UNDONE.id in codes:
        return "nothing was written; the unfinished commit of an earlier command was undone"
    return "nothing was written"


def compare_inventory(compiled: Compiled, out: Path, options: RenderOptions, bag: Bag) -> TreeDifference | None:
    """Compare what would be rendered with a tree, without writing; None with diagnostics if that fails."""
    plan, specs = compiled.plan, compiled.platforms
    if bag.has_errors or plan is None or specs is None or not check_only(options.only, plan, bag):
        return None
    secrets = _look_up_secrets(compiled, options, bag)
    comparer = compare_tree(out, bag)
    if comparer is None or bag.has_errors:
        return None
    settings = Settings(plan, specs, options.only, options.verify, secrets)
    for result in _run(settings, comparer.stager(), plan, options):
        comparer.add(result.records)
        bag.extend(result.diagnostics)
    return comparer.finish(_head(compiled, options), keep=_keeper(options.only))


def _head(compiled: Compiled, options: RenderOptions) -> dict[str, object]:
    """Return the header of a tree; one with secrets says so, so that no other command takes them for text of ours."""
    header = build_header(compiled, options.overlays)
    return header if options.environment is None else {**header, RESOLVED: True}


def build_header(compiled: Compiled, overlays: Sequence[str]) -> dict[str, object]:
    """Return what the manifest says of the whole tree; nothing without a plan.

    That is the intent it comes from, how it was numbered, and what both ends of its links agree on: a rollout from the
    tree to another intent leads over intents that have what both take.
    """
    plan, intent = compiled.plan, compiled.intent
    if plan is None or intent is None:
        return {}
    return {
        "format": MANIFEST_FORMAT,
        "fabric": plan.name,
        "intent": digest_intent(compiled.document),
        "overlays": list(overlays),
        "layout": describe_layout(plan),
        CONTRACT_KEY: LinkContract.of(intent).to_data(),
    }


def digest_intent(document: Document) -> str:
    """Digest of what the intent says, whatever the order and layout of its YAML."""
    text = json.dumps(document.data, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _layout_of(header: Mapping[str, object]) -> Mapping[str, object]:
    layout = header.get("layout")
    return layout if isinstance(layout, dict) else {}


def _keeper(only: Globs) -> Keep | None:
    """With ``only``, the files of other devices stay."""
    if not only:
        return None
    return lambda path: not is_chosen(path.split("/")[1] if path.count("/") else path, only)


def _look_up_secrets(compiled: Compiled, options: RenderOptions, bag: Bag) -> dict[SecretToken, str] | None:
    """Every secret the plan refers to, looked up once; None if tokens are to stay."""
    if options.environment is None or compiled.plan is None:
        return None
    resolver = SecretResolver(options.environment, compiled.folder)
    found = {token: resolver(token, bag) for token in list_secrets(compiled.plan)}
    return {token: value for token, value in found.items() if value is not None}
