"""`python -m dagrad.cli` is `dagrad`."""

import sys

from .app import main

if __name__ == "__main__":
    sys.exit(main())
