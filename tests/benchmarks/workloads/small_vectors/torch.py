import torch
from ledger import size, tell

torch.set_num_threads(1)
w = torch.linspace(0.5, 1.5, 10, dtype=torch.float64, requires_grad=True)
b = torch.linspace(-0.2, 0.2, 10, dtype=torch.float64, requires_grad=True)
v = torch.zeros(10, dtype=torch.float64)
for _ in range(size("n", 30_000)):
    v = torch.tanh(w * v + b)
loss = v.sum()
loss.backward()
tell(loss, w.grad, b.grad)
