from ledger import size, tell

a, b = 0.8, -0.6


def tree(k, u):
    """The value, and its derivatives by a, by b and by u."""
    if k == 0:
        return u * u, 0.0, 0.0, 2.0 * u
    y, by_a, by_b, by_u = tree(k - 1, a * u)
    z, also_a, also_b, also_u = tree(k - 1, b * u)
    return y + z, by_a + also_a + by_u * u, by_b + also_b + also_u * u, a * by_u + b * also_u


y, by_a, by_b, _ = tree(size("depth", 16), 1.1)
tell(y, by_a, by_b)
