"""The version of the whole project, here so that `dagrad --version` reads nothing else."""

__version__ = "0.1.0"
