import torch
from ledger import size, tell

torch.set_num_threads(1)


def count(n):
    return torch.arange(n, dtype=torch.float64)


X = torch.sin(count(80_000) * 0.37).reshape(400, 200)
T = torch.cos(count(40_000) * 0.11).reshape(400, 100)
U = (torch.sin(count(40_000) * 0.7).reshape(200, 200) * 0.1).requires_grad_()
V = (torch.cos(count(20_000) * 0.3).reshape(200, 100) * 0.1).requires_grad_()
for _ in range(size("steps", 150)):
    U.grad = V.grad = None
    loss = torch.mean(torch.square(torch.tanh(X @ U) @ V - T))
    loss.backward()
    with torch.no_grad():
        U -= 0.5 * U.grad
        V -= 0.5 * V.grad
tell(loss, U.grad, V.grad)
