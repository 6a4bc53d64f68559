"""Makes `dagrad.engine` the folder engine/ of this repository, and so for its neighbours."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[3])]
