import numpy as np
from ledger import size, tell

x = np.sin(np.arange(1_000_000) * 0.001)
for _ in range(size("rounds", 25)):
    bell, wave = np.exp(-x * x), np.cos(2 * x)
    loss = np.mean(bell * wave)
    slope = (bell * np.sin(2 * x) + x * bell * wave) * (-2.0 / x.size)
tell(loss, slope)
