"""The command line: the door to it is `main`, which the script `dagrad` calls."""

from .app import main
from .version import __version__

__all__ = ["__version__", "main"]
