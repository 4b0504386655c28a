"""NVIDIA ConnectX NICs: their firmware, PFC and DCQCN, and the environment of collective libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.platforms.platform import Platform

if TYPE_CHECKING:
    from fabricgen.platforms.platform import FileFormat, Readers, ViewModule


class Mlx5(Platform):
    """NICs that the mlx5 driver runs."""

    def view(self) -> ViewModule:
        """Return the view of the device model."""
        from fabricgen.platforms.mlx5 import view

        return view

    def format_of(self, path: str) -> FileFormat:
        """Return the format of a unit or of settings of an environment; scripts are compared line by line."""
        from fabricgen.platforms.reading.linux_files import SETTINGS, UNIT

        known = {
            "etc/systemd/system/fabricgen-roce@.service": UNIT,
            "etc/nccl.conf": SETTINGS,
            "etc/rccl.conf": SETTINGS,
            "etc/environment.d/60-fabricgen-rdma.conf": SETTINGS,
        }
        return known.get(path) or super().format_of(path)

    def state_readers(self) -> Readers:
        """Return the readers of statistics, settings and RDMA devices of NIC ports."""
        from fabricgen.platforms.mlx5.state import READERS

        return READERS


PLATFORM = Mlx5()
