import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

n = size("n", 30_000)


def loss(start):
    w, b = start
    v = np.zeros(10)
    for _ in range(n):
        v = np.tanh(w * v + b)
    return np.sum(v)


value, slopes = value_and_grad(loss)((np.linspace(0.5, 1.5, 10), np.linspace(-0.2, 0.2, 10)))
tell(value, *slopes)
