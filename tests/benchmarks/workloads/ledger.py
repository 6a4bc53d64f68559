"""What the peers' files share: a size from the command line, data without random numbers, and one way to tell the result."""

import sys


def size(name, default):
    """A size given as name=value."""
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    return int(given.get(name, default))


def tell(value, *gradients):
    """The value, and the sum of all elements of all gradients: what two implementations must agree on."""
    print("value", repr(plain(value)))
    print("gradient", repr(sum(plain(g.sum() if hasattr(g, "sum") else g) for g in gradients)))


def plain(number):
    return float(number.detach() if hasattr(number, "detach") else number)
