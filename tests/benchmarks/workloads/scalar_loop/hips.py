from autograd import value_and_grad
from ledger import size, tell

n = size("n", 100_000)


def last(start):
    r, y = start
    for _ in range(n):
        y = r * y - y * y * y * 0.5
    return y


y, slopes = value_and_grad(last)((2.0, 0.7))
tell(y, *slopes)
