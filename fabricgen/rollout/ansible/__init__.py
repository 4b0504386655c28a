"""A rollout for Ansible: an inventory, a playbook of waves, and the actions of each device as data for its tasks."""

from fabricgen.rollout.ansible.files import TASKS, write_files

__all__ = ["TASKS", "write_files"]
