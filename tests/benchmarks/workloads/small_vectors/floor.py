import numpy as np
from ledger import size, tell

n = size("n", 30_000)
w, b = np.linspace(0.5, 1.5, 10), np.linspace(-0.2, 0.2, 10)
path = [np.zeros(10)]
for _ in range(n):
    path.append(np.tanh(w * path[-1] + b))
g, by_w, by_b = np.ones(10), np.zeros(10), np.zeros(10)
for i in reversed(range(n)):
    inner = g * (1.0 - path[i + 1] ** 2)
    by_w += inner * path[i]
    by_b += inner
    g = inner * w
tell(path[-1].sum(), by_w, by_b)
