"""``python -m fabricgen``."""

import sys

from fabricgen.cli import main

if __name__ == "__main__":
    sys.exit(main())
