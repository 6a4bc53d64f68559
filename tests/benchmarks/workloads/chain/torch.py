import torch
from ledger import size, tell

torch.set_num_threads(1)
x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
y = x
for _ in range(size("n", 1_000_000)):
    y = y * 1.000001
y.backward()
tell(y, x.grad)
