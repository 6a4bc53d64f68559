import torch
from ledger import size, tell

torch.set_num_threads(1)
r = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
y0 = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
y = y0
for _ in range(size("n", 100_000)):
    y = r * y - y * y * y * 0.5
y.backward()
tell(y, r.grad, y0.grad)
