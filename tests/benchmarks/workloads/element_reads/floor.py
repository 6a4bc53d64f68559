import math

from ledger import size, tell

n = size("n", 32_000)
x = [math.sin(i) for i in range(n)]
total, g = 0.0, [0.0] * n
for i in range(n):
    total += x[i] * x[n - 1 - i]
for i in reversed(range(n)):
    g[n - 1 - i] += x[i]
    g[i] += x[n - 1 - i]
tell(total, sum(g))
