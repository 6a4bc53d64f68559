from ledger import size, tell

n = size("n", 32_000)
a, b = 0.9, 0.3
v = [0.0] * (n + 1)
for i in range(n):
    v[i + 1] = a * v[i] + b
g, by_a, by_b = 0.0, 0.0, 0.0
for i in reversed(range(n)):
    g += 1.0
    by_a += g * v[i]
    by_b += g
    g *= a
tell(sum(v), by_a, by_b)
