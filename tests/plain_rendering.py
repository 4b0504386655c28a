"""Plain rendering: every template for every device, nothing shared. What fragments are measured and judged against."""

from __future__ import annotations

from itertools import groupby

from fabricgen.platforms.manifest.spec import Output
from fabricgen.render.engine import Device, RenderedFile, Renderer, tree_folder
from fabricgen.render.environment import TemplateEnvironment


def render_plain(renderer: Renderer, device: Device) -> list[RenderedFile]:
    """Render every file of a device without keeping or judging anything.

    Args:
        renderer: Knows the platforms.
        device: A switch or a host.

    Raises:
        Exception: Whatever a template or a view raises.
    """
    files = []
    for spec in renderer.specs_of(device):
        view = spec.platform.view()
        cls = view.class_view(device.cls) if view else device.cls
        seen = view.device_view(device, cls) if view else device
        for output in spec.outputs:
            context: dict[str, object] = {"device": seen, "cls": cls}
            text = _render_output(renderer.environment_of(spec), output, context)
            if text:
                files.append(RenderedFile(tree_folder(device) + output.path, text.encode(), output.mode))
    return files


def _render_output(environment: TemplateEnvironment, output: Output, context: dict[str, object]) -> str:
    shared = {"cls": context["cls"]}
    texts = [
        environment.get_template(part.template).render(shared if part.scope == "class" else context)
        for part in output.parts
    ]
    if output.format != "json":
        return "".join(texts)
    objects = []
    for inside, run in groupby(zip(output.parts, texts, strict=True), key=lambda it: it[0].inside):
        members = ",\n".join(text.rstrip() for _, text in run if text.strip())
        if members:
            objects.append(f'"{inside}": {{\n{members}\n}}' if inside else members)
    return "{\n" + ",\n".join(objects) + "\n}\n" if objects else ""
