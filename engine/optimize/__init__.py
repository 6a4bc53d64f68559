"""From derivatives to answers: least squares, minima, and the steps of a training loop."""

from .estimate import Estimate, System
from .least_squares import Dense, least_squares
from .matrices import derivative_matrix, second_derivatives
from .minimize import Minimum, minimize
from .steps import Adam, Lbfgs, Optimizer, Sgd

__all__ = ["Adam", "Dense", "Estimate", "Lbfgs", "Minimum", "Optimizer", "Sgd", "System", "derivative_matrix", "least_squares", "minimize", "second_derivatives"]
