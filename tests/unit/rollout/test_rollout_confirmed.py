"""Parts of a stage on a switch whose confirmed change no rollback takes back: saving it is a part of its own."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from fabricgen.api.rollout_automation import list_platforms
from fabricgen.diagnostics import Bag
from fabricgen.platforms.cumulus_nvue.rollout import frame_patch, plan_patch
from fabricgen.platforms.manifest.load import load_platforms
from fabricgen.platforms.patching.rollout import Core
from fabricgen.platforms.patching.steps import PatchFault, PatchStep, Situation
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.rollout.ansible.actions import list_actions
from fabricgen.rollout.bundle import PlannedProcedure
from fabricgen.rollout.procedures import plan_steps


def keep(disruption: str) -> list[dict[str, Any]]:
    """Return the parts that keep a change of a disruption on Cumulus Linux."""
    (platform,) = list_platforms(load_platforms({"cumulus_nvue": ()}, "switch", Bag()))
    replaced = PatchStep("install -D -m 600 {file} /etc/nvue.d/startup.yaml", "startup.yaml", "- set: {}\n", disruption)
    steps = plan_steps(frame_patch(Core("fabricgen-apply", (replaced,), (replaced,), ())).steps, "apply")
    procedure = PlannedProcedure("leaf", "switches", "leaf", platform.name, disruption, steps, (), ())
    return list_actions(procedure, {platform.name: platform})["keep"]


@pytest.mark.parametrize("disruption", ["hitless", "drain", "reboot"])
def test_saves_of_a_confirmed_change_are_parts_of_their_own(disruption: str) -> None:
    """A drain ends once the change is saved: where its end fails, the change is kept, and traffic is not back."""
    parts = keep(disruption)
    commands = [[step["command"] for step in part["steps"]] for part in parts]
    assert commands[0][0] == "nv config apply --confirm-yes"
    save, ends = ["nv config save"], ["nv unset router bgp graceful-shutdown", "nv config apply --assume-yes"]
    restart = [["reboot"]] if disruption == "reboot" else []
    assert commands[1:] == [save, *restart, *([] if disruption == "hitless" else [ends, save])]
    assert [bool(part["saves"]) for part in parts] == [each == save for each in commands]
    assert [part["keeps"] for part in parts] == [each == ["reboot"] for each in commands]


@pytest.mark.parametrize(("release", "drain"), [("5.14", "on"), ("5.16", "enabled"), ("5.17", "enabled")])
def test_commands_are_those_of_the_release_on_the_switch(release: str, drain: str) -> None:
    text = f"- header: {{version: Cumulus Linux {release}.0}}\n- set: {{}}\n"
    situation = Situation("etc/nvue.d/startup.yaml", (), {}, {}, text, text, Semantics(), has_more=True)
    replaced = PatchStep("install {file}", "startup.yaml", text, "drain")
    words = [step.command for step in frame_patch(Core("name", (replaced,), (), (situation,))).steps]
    assert f"nv set router bgp graceful-shutdown {drain}" in words
    assert ("nv config verify" in words) is (release == "5.17")
    with nullcontext() if drain == "enabled" else pytest.raises(PatchFault):
        plan_patch(situation)
