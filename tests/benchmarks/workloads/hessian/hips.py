import autograd.numpy as np
from autograd import hessian
from ledger import size, tell


def energy(x):
    near = x[1:60] - x[0:59] ** 2
    return np.sum(np.exp(-(near**2))) + np.sum(x**4) / 4


x = np.cos(np.arange(60.0))
for _ in range(size("rounds", 60)):
    H = hessian(energy)(x)
tell(energy(x), H)
