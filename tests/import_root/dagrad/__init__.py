"""Makes `dagrad.engine` the folder engine/ of this repository, and so for its neighbours."""

import os

__path__ = [os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))]
