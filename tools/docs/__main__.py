"""Write every generated page and schema: python -m tools.docs [FOLDER [--quick]]."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fabricgen.api.schemas import FILES, ROLLOUT, write_schema
from tools.docs.capability_page import capability_page, put_matrix
from tools.docs.code_page import code_reference
from tools.docs.fault_page import fault_page
from tools.docs.key_pages import intent_reference, key_pages
from tools.docs.pictures import ARCHITECTURE, PICTURE, picture_fabric, put_picture
from tools.docs.published_page import FILE, published_page
from tools.docs.readme_run import put_run
from tools.docs.silicon_table import PAGE, put_silicon_table

ROOT = Path(__file__).resolve().parents[2]


def write_pages(root: Path, *, quick: bool = False) -> None:
    """Write the tables, a page per top-level key, and the schemas to which the inventories point editors.

    Args:
        root: The repository.
        quick: Leave out pages whose figures come from compiling and running inventories (about 25 CPU s).
    """
    schemas = {kind: write_schema(kind) for kind in FILES}
    texts = {
        **{f"docs/reference/{key}.md": text for key, text in key_pages().items()},
        **{f"inventories/{name}.schema.json": _as_json(schema) for name, schema in schemas.items()},
        "docs/rollout.schema.json": _as_json(write_schema(ROLLOUT)),
        "docs/reference.md": intent_reference(),
        "docs/codes.md": code_reference(),
        "docs/capabilities.md": capability_page(),
        "docs/known-faults.md": fault_page(),
    }
    texts[ARCHITECTURE] = put_picture()
    texts[PAGE] = put_silicon_table()
    texts[PICTURE] = picture_fabric(
        ROOT / "inventories/quickstart", "quickstart: 64 GPUs, 8 rails, 4 leafs, 2 spines, 400G, 1:1"
    )
    if not quick:
        for path in sorted((ROOT / "inventories").glob(f"*/{FILE}")):
            texts[f"inventories/{path.parent.name}/README.md"] = published_page(path.parent)
        texts["README.md"] = put_run(put_matrix((ROOT / "README.md").read_text(encoding="utf-8")))
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def _as_json(schema: dict[str, object]) -> str:
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "."), quick="--quick" in sys.argv[2:])
