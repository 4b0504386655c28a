"""Values of a host's rendered files that its system is to show: what ``check`` compares with what is in effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.observations.linux import list_settings
from fabricgen.platforms.observations.records import ActiveSetting
from fabricgen.render.engine import Renderer

_HOSTS = "hosts"


class Effects:
    """Values of the hosts of one plan, by the state reading that shows them."""

    def __init__(self, plan: FabricPlan, specs: Mapping[str, PlatformSpec], bag: Bag) -> None:
        """Prepare for one plan; ``bag`` takes faults of its platforms."""
        self._lowering = Lowering(plan)
        self._renderer = Renderer(specs, bag)
        self._kinds = load_kinds(specs.values(), bag)

    def of(self, host: HostId) -> Iterator[ActiveSetting]:
        """Yield what a host's files set, of those that a state reading shows."""
        device = self._lowering.lower_host(host)
        folder = f"{_HOSTS}/{device.hostname}/"
        files = {one.path.removeprefix(folder): one.data for one in self._renderer.render_host(device, excepted=True)}
        kinds = self._kinds.of_device(_HOSTS, files)
        for spec in self._renderer.specs_of(device):
            for reading in spec.readings:
                if reading.shows in files:
                    yield from list_settings(reading.state, kinds[reading.shows].read(files[reading.shows].decode()))
