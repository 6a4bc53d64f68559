import sys

import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

n = size("n", 50_000)
sys.setrecursionlimit(n + 1_000)


def nested(k, u):
    return u if k == 0 else 0.5 * u + np.sin(nested(k - 1, u))


tell(*value_and_grad(lambda u: nested(n, u))(0.3))
