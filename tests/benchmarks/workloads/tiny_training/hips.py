import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

weights = (0.3, -0.1, 0.7, 0.2)
both = value_and_grad(lambda w, x: (w[2] * np.tanh(w[0] * x + w[1]) + w[3] - x * x) ** 2)
for k in range(size("steps", 20_000)):
    loss, slopes = both(weights, (k % 17) / 17)
    weights = tuple(w - 0.05 * g for w, g in zip(weights, slopes, strict=True))
tell(loss, *slopes)
