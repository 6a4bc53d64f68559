from math import tanh

from ledger import size, tell

a, b, c, d = 0.3, -0.1, 0.7, 0.2
for k in range(size("steps", 20_000)):
    x = (k % 17) / 17
    t = tanh(a * x + b)
    off = c * t + d - x * x
    loss = off**2
    by_d = 2.0 * off
    by_c = by_d * t
    by_b = by_d * c * (1.0 - t * t)
    by_a = by_b * x
    a -= 0.05 * by_a
    b -= 0.05 * by_b
    c -= 0.05 * by_c
    d -= 0.05 * by_d
tell(loss, by_a, by_b, by_c, by_d)
