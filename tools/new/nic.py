"""A new NIC of a family that has templates: its file in the catalog."""

from __future__ import annotations

from pathlib import Path

from tools.new.files import FILL_IN, FILLED_IN, Files, check_name

_FILE = """\
# {fill}: maker and name of the card, its cages
id: {name}
source: "{fill}: the public document that the values below are from"
family: "{fill}: a folder of templates/nic, or a name of your own for a card that no template configures"
vendor: "{fill}: the maker, as other files of this folder spell it"
ports: 1
lanes: {{400G: 4}}
mtu_max_bytes: 9000
pci_vendor: "{fill}: four hexadecimal digits behind 0x"
pci_device: "{fill}: four hexadecimal digits behind 0x"
"""


def new_nic(root: Path, name: str) -> tuple[Files, list[str]]:
    """Return the file of a new NIC, and the tests to run.

    Args:
        root: The repository.
        name: The model's name, as an intent writes it.

    Raises:
        RefusedError: The name is none.
    """
    del root
    file = f"fabricgen/catalog/data/nics/{check_name(name)}.yaml"
    tests = [FILLED_IN, "tests/unit/catalog/test_catalog_data.py", "-k", f"{name} or filled or every_shipped"]
    return {file: _FILE.format(name=name, fill=FILL_IN)}, tests
