import torch
from ledger import size, tell

torch.set_num_threads(1)
n = size("n", 32_000)
a = torch.tensor(0.9, dtype=torch.float64, requires_grad=True)
b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
v = torch.zeros(n + 1, dtype=torch.float64)
for i in range(n):
    v[i + 1] = a * v[i].clone() + b  # without the copy it refuses: what the product saved is changed in place
loss = v.sum()
loss.backward()
tell(loss, a.grad, b.grad)
