import sys
from math import cos, sin

from ledger import size, tell

n = size("n", 50_000)
sys.setrecursionlimit(n + 1_000)


def nested(k, u):
    """The value and its derivative by u."""
    if k == 0:
        return u, 1.0
    inner, slope = nested(k - 1, u)
    return 0.5 * u + sin(inner), 0.5 + cos(inner) * slope


tell(*nested(n, 0.3))
