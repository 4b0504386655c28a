"""A rollout for Ansible: an inventory, a playbook for each wave and one of all, procedures as data for its tasks."""

from fabricgen.rollout.ansible.actions import list_actions
from fabricgen.rollout.ansible.files import FOLDER, PLAYBOOK, write_files

__all__ = ["FOLDER", "PLAYBOOK", "list_actions", "write_files"]
