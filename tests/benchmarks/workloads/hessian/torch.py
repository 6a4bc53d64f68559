import torch
from ledger import size, tell

torch.set_num_threads(1)


def energy(x):
    near = x[1:60] - x[0:59] ** 2
    return torch.sum(torch.exp(-(near**2))) + torch.sum(x**4) / 4


x = torch.cos(torch.arange(60, dtype=torch.float64))
for _ in range(size("rounds", 60)):
    H = torch.autograd.functional.hessian(energy, x)
tell(energy(x), H)
