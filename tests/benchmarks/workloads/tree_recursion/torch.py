import torch
from ledger import size, tell

torch.set_num_threads(1)
a = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
b = torch.tensor(-0.6, dtype=torch.float64, requires_grad=True)


def tree(k, u):
    return u * u if k == 0 else tree(k - 1, a * u) + tree(k - 1, b * u)


y = tree(size("depth", 16), 1.1)
y.backward()
tell(y, a.grad, b.grad)
