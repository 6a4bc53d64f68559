import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

n = size("n", 32_000)


def loss(start):
    a, b = start
    v = [0.0]  # it has no assignment to elements
    for i in range(n):
        v.append(a * v[i] + b)
    return np.sum(np.array(v))


value, slopes = value_and_grad(loss)((0.9, 0.3))
tell(value, *slopes)
