import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

n = size("n", 32_000)


def total(x):
    found = 0.0
    for i in range(n):
        found = found + x[i] * x[n - 1 - i]
    return found


tell(*value_and_grad(total)(np.sin(np.arange(float(n)))))
