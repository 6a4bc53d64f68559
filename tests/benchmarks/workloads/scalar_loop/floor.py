from ledger import size, tell

r, y = 2.0, 0.7
path = []
for _ in range(size("n", 100_000)):
    path.append(y)
    y = r * y - y * y * y * 0.5
g, by_r = 1.0, 0.0
for u in reversed(path):
    by_r += g * u
    g *= r - 1.5 * u * u
tell(y, by_r, g)
