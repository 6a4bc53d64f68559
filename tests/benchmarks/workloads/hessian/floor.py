import numpy as np
from ledger import size, tell

x = np.cos(np.arange(60.0))
for _ in range(size("rounds", 60)):
    before = x[:-1]
    near = x[1:] - before**2
    bell = np.exp(-(near**2))
    slope = -2.0 * near * bell
    curve = (4.0 * near**2 - 2.0) * bell
    H = np.diag(3.0 * x**2)
    i = np.arange(59)
    H[i + 1, i + 1] += curve
    H[i, i] += curve * 4.0 * before**2 - 2.0 * slope
    H[i, i + 1] = H[i + 1, i] = -2.0 * before * curve
tell(bell.sum() + (x**4).sum() / 4, H)
