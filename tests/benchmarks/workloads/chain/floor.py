from ledger import size, tell

n = size("n", 1_000_000)
y = 1.5
for _ in range(n):
    y = y * 1.000001
g = 1.0
for _ in range(n):
    g = g * 1.000001
tell(y, g)
