"""The engine: one device in, its files out.

A class-scope part of a file sees its class only, so it is rendered and judged once per class and kept as bytes; what is
left per device is its device-scope parts and the putting together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Template

from fabricgen.device.model import Host, Switch, SwitchClass
from fabricgen.diagnostics import Bag
from fabricgen.platforms.manifest.discover import template_root
from fabricgen.platforms.manifest.spec import Output, PlatformSpec
from fabricgen.platforms.platform import ViewModule
from fabricgen.render.assemble import join_parts, trim_part
from fabricgen.render.environment import SandboxEnvironment, TemplateEnvironment, is_ours
from fabricgen.render.faults import Fragment, OutputJudge, report_template_fault, report_view_fault
from fabricgen.render.raw_snippets import apply_snippet

Device = Switch | Host


class RenderedFile(NamedTuple):
    """One file of one device: its path in the output tree, its bytes, its permission bits."""

    path: str
    data: bytes
    mode: int


@dataclass(slots=True)
class _Assembly:
    """An output as a class prepares it.

    Attributes:
        parts: The member that each part stands in; bytes where a class-scope part is rendered already, else a template.
        whole: The whole file where nothing in it depends on the device.
    """

    output: Output
    is_json: bool
    parts: list[tuple[str, bytes | Template]]
    whole: bytes | None


@dataclass(slots=True)
class _ClassWork:
    """Output of one platform for one class."""

    spec: PlatformSpec
    view: ViewModule | None
    class_view: object
    assemblies: list[_Assembly]


@cache
def _own_environment(root: Path, cache_dir: Path | None) -> TemplateEnvironment:
    """Return the environment of our own templates, which are compiled once for all renderers of a process."""
    return TemplateEnvironment([root], cache_dir)


class Renderer:
    """Renders devices of any number of classes; holds the templates, and what classes share."""

    def __init__(
        self, specs: Mapping[str, PlatformSpec], bag: Bag, *, verify: bool = False, cache_dir: Path | None = None
    ) -> None:
        """Prepare for all platforms that will be met.

        Args:
            specs: Every platform that will be met, of all kinds.
            bag: Takes faults of templates and views; a file that has one is left out.
            verify: Read every JSON file again, not only those of the first and of excepted devices of a class.
            cache_dir: Private folder for compiled templates; none is written if left out.
        """
        self.specs = {(spec.kind, spec.name): spec for spec in specs.values()}
        self.bag = bag
        self._verify = verify
        self.environment = _own_environment(template_root(), cache_dir)
        self._cache_dir = cache_dir
        self._sandboxes: dict[str, SandboxEnvironment] = {}
        self._judges: dict[str, OutputJudge] = {}
        self._classes: dict[tuple[str, str], list[_ClassWork]] = {}

    def render_switch(self, switch: Switch, *, excepted: bool = False) -> list[RenderedFile]:
        """Render every file of a switch, judged on its own if ``excepted``; KeyError for a platform without spec."""
        files = self._render(switch, ("switch", switch.cls.key), excepted)
        return [_apply_snippets(file, switch) for file in files] if switch.raw else files

    def render_host(self, host: Host, *, excepted: bool = False) -> list[RenderedFile]:
        """Render every file of a host: those of its operating system, then those of its NICs.

        Those of one that is ``excepted`` from its class are judged on their own.

        Raises:
            KeyError: Its operating system or its NIC family is not among the specs.
        """
        return self._render(host, ("host", host.cls.key), excepted)

    def environment_of(self, spec: PlatformSpec) -> TemplateEnvironment:
        """Return the environment of a platform's templates: a sandbox for those of another package."""
        if is_ours(spec):
            return self.environment
        if spec.root not in self._sandboxes:
            self._sandboxes[spec.root] = SandboxEnvironment([Path(spec.root), template_root()], self._cache_dir)
        return self._sandboxes[spec.root]

    def _judge_of(self, spec: PlatformSpec) -> OutputJudge:
        return self._judges.setdefault(spec.root, OutputJudge(spec, self.bag))

    def specs_of(self, device: Device) -> list[PlatformSpec]:
        """The platforms that write the files of a device."""
        cls = device.cls
        if isinstance(cls, SwitchClass):
            return [self.specs["switch", cls.platform]]
        return [self.specs["host", cls.group.os], self.specs["nic", cls.group.nic_family]]

    def _render(self, device: Device, key: tuple[str, str], excepted: bool) -> list[RenderedFile]:
        works = self._classes.get(key)
        judged = self._verify or excepted
        if works is None:
            works = self._classes[key] = self._prepare(device)
            judged = True
        files: list[RenderedFile] = []
        folder = tree_folder(device)
        for work in works:
            view = self._view_device(work, device)
            if view is None:
                continue
            context: dict[str, object] = {"device": view, "cls": work.class_view}
            for assembly in work.assemblies:
                data = self._assemble(work, assembly, context, device, judged)
                if data:
                    files.append(RenderedFile(folder + assembly.output.path, data, assembly.output.mode))
        return files

    def _prepare(self, device: Device) -> list[_ClassWork]:
        """Work out what a class shares; a platform or an output with a fault is left out, and told once."""
        works = []
        for spec in self.specs_of(device):
            try:
                view = spec.platform.view()
                class_view = view.class_view(device.cls) if view else device.cls
            except Exception as error:
                report_view_fault(error, spec.name, device.hostname, self.bag)
                continue
            shared: dict[str, object] = {"cls": class_view}
            prepared = [self._prepare_output(spec, output, shared, device.hostname) for output in spec.outputs]
            works.append(_ClassWork(spec, view, class_view, [found for found in prepared if found]))
        return works

    def _prepare_output(
        self, spec: PlatformSpec, output: Output, shared: dict[str, object], hostname: str
    ) -> _Assembly | None:
        """Load an output's templates and render its class-scope parts; None if one of them has a fault."""
        is_json, sound = output.format == "json", True
        parts: list[tuple[str, bytes | Template]] = []
        shown: list[Fragment] = []
        for part in output.parts:
            name = part.template
            try:
                template = self.environment_of(spec).get_template(name)
                text = render_text(template, shared) if part.scope == "class" else None
            except Exception as error:
                report_template_fault(error, name, hostname, self.bag)
                sound = False
                continue
            if text is None:
                parts.append((part.inside, template))
            else:
                parts.append((part.inside, trim_part(text, is_json).encode()))
                shown.append(Fragment(name, part.inside, text))
        if not (self._judge_of(spec).judge_fragments(shown, is_json, shared, hostname) and sound):
            return None
        fixed = [(inside, part) for inside, part in parts if isinstance(part, bytes)]
        return _Assembly(output, is_json, parts, join_parts(fixed, is_json) if len(fixed) == len(parts) else None)

    def _view_device(self, work: _ClassWork, device: Device) -> object:
        """Return what device-scope templates see; None if the view fails."""
        if work.view is None:
            return device
        try:
            view: object = work.view.device_view(device, work.class_view)
        except Exception as error:
            report_view_fault(error, work.spec.name, device.hostname, self.bag)
            return None
        return view

    def _assemble(
        self, work: _ClassWork, assembly: _Assembly, context: dict[str, object], device: Device, judged: bool
    ) -> bytes | None:
        """One file's bytes; None if a part of it fails, empty if all of it renders to nothing."""
        data = assembly.whole
        if data is None:
            chunks: list[tuple[str, bytes]] = []
            for inside, part in assembly.parts:
                if isinstance(part, bytes):
                    chunks.append((inside, part))
                    continue
                text = self._render_part(work.spec, part, assembly.is_json, context, device.hostname)
                if text is None:
                    return None
                chunks.append((inside, text.encode()))
            data = join_parts(chunks, assembly.is_json)
        if judged and data and assembly.output.format != "text":
            sound = self._judge_of(work.spec).judge_file(data, work.spec, assembly.output, context, device.hostname)
            return data if sound else None
        return data

    def _render_part(
        self, spec: PlatformSpec, template: Template, is_json: bool, context: dict[str, object], hostname: str
    ) -> str | None:
        """The trimmed text of a device-scope part; None if it fails."""
        try:
            text = render_text(template, context)
        except Exception as error:
            report_template_fault(error, template.name or "", hostname, self.bag)
            return None
        if not is_json and text and text[-1] != "\n":
            self._judge_of(spec).report_no_line_end(template.name or "", context, hostname)
            return None
        return trim_part(text, is_json)


def _apply_snippets(file: RenderedFile, switch: Switch) -> RenderedFile:
    """A file with the snippets that belong in it."""
    text = file.data.decode()
    for snippet in switch.raw:
        if file.path == tree_folder(switch) + snippet.output:
            text = apply_snippet(text, snippet)
    return file._replace(data=text.encode())


def tree_folder(device: Device) -> str:
    """Folder of a device in the output tree, with the slash."""
    return f"{'switches' if isinstance(device, Switch) else 'hosts'}/{device.hostname}/"


def render_text(template: Template, context: dict[str, object]) -> str:
    """Render a template without copying its context."""
    return "".join(template.root_render_func(template.new_context(context, shared=True)))
