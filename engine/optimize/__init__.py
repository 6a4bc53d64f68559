"""From derivatives to answers: least squares, minima, and the steps of a training loop."""

from .estimate import Estimate, System, correlation, joined
from .least_squares import METHODS as LEAST_SQUARES
from .least_squares import Dense, least_squares
from .matrices import derivative_matrix, gradient_vector, second_derivatives
from .minimize import METHODS as MINIMA
from .minimize import Minimum, minimize
from .steps import Adam, Lbfgs, Optimizer, Sgd

__all__ = [
    "LEAST_SQUARES",
    "MINIMA",
    "Adam",
    "Dense",
    "Estimate",
    "Lbfgs",
    "Minimum",
    "Optimizer",
    "Sgd",
    "System",
    "correlation",
    "derivative_matrix",
    "gradient_vector",
    "joined",
    "least_squares",
    "minimize",
    "second_derivatives",
]
