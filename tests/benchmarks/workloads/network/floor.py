import numpy as np
from ledger import size, tell

X = np.sin(np.arange(80_000) * 0.37).reshape(400, 200)
T = np.cos(np.arange(40_000) * 0.11).reshape(400, 100)
U = np.sin(np.arange(40_000) * 0.7).reshape(200, 200) * 0.1
V = np.cos(np.arange(20_000) * 0.3).reshape(200, 100) * 0.1
for _ in range(size("steps", 150)):
    hidden = np.tanh(X @ U)
    off = hidden @ V - T
    loss = np.mean(off * off)
    off *= 2.0 / off.size
    by_V = hidden.T @ off
    by_U = X.T @ ((off @ V.T) * (1.0 - hidden * hidden))
    U -= 0.5 * by_U
    V -= 0.5 * by_V
tell(loss, by_U, by_V)
