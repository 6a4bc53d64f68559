from autograd import value_and_grad
from ledger import size, tell

depth = size("depth", 16)


def total(factors):
    a, b = factors

    def tree(k, u):
        return u * u if k == 0 else tree(k - 1, a * u) + tree(k - 1, b * u)

    return tree(depth, 1.1)


y, slopes = value_and_grad(total)((0.8, -0.6))
tell(y, *slopes)
