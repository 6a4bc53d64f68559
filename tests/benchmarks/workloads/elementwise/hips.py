import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

x = np.sin(np.arange(1_000_000) * 0.001)
both = value_and_grad(lambda x: np.mean(np.exp(-x * x) * np.cos(2 * x)))
for _ in range(size("rounds", 25)):
    loss, slope = both(x)
tell(loss, slope)
