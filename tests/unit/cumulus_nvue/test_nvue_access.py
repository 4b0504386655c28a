"""Who may open connections to the switch: SSH in the management VRF and nowhere else."""

from __future__ import annotations

from nvue_render import settings, startup_texts


def test_ssh_answers_in_the_management_vrf_only() -> None:
    """Unbound it listens in every VRF, and hosts stand on routed ports of the default one."""
    for text in startup_texts().values():
        assert settings(text)["system"]["ssh-server"] == {"vrf": {"mgmt": {}}}
