import torch
from ledger import size, tell

torch.set_num_threads(1)
x = torch.sin(torch.arange(1_000_000, dtype=torch.float64) * 0.001).requires_grad_()
for _ in range(size("rounds", 25)):
    x.grad = None
    loss = torch.mean(torch.exp(-x * x) * torch.cos(2 * x))
    loss.backward()
tell(loss, x.grad)
