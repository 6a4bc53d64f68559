import sys

import torch
from ledger import size, tell

torch.set_num_threads(1)
n = size("n", 50_000)
sys.setrecursionlimit(n + 1_000)


def nested(k, u):
    return u if k == 0 else 0.5 * u + torch.sin(nested(k - 1, u))


x = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
y = nested(n, x)
y.backward()
tell(y, x.grad)
