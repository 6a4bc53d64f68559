import torch
from ledger import size, tell

torch.set_num_threads(1)
weights = [torch.tensor(w, dtype=torch.float64, requires_grad=True) for w in (0.3, -0.1, 0.7, 0.2)]
a, b, c, d = weights
for k in range(size("steps", 20_000)):
    x = (k % 17) / 17
    for w in weights:
        w.grad = None
    loss = (c * torch.tanh(a * x + b) + d - x * x) ** 2
    loss.backward()
    with torch.no_grad():
        for w in weights:
            w -= 0.05 * w.grad
tell(loss, *(w.grad for w in weights))
