import torch
from ledger import size, tell

torch.set_num_threads(1)
n = size("n", 32_000)
x = torch.sin(torch.arange(n, dtype=torch.float64)).requires_grad_()
total = 0.0
for i in range(n):
    total = total + x[i] * x[n - 1 - i]
total.backward()
tell(total, x.grad)
