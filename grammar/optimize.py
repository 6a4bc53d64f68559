"""What the language has for minima: minimize, least_squares, and the optimizers of a training loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagrad import engine
from dagrad.engine import EngineError, Tensor

from .values import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable


def functions(params: dict[str, Tensor]) -> dict[str, Any]:
    """The functions by their names in compiled code; an optimizer that is given no param moves all of them."""

    def maker(name: str) -> Callable[..., Any]:
        def make(*leaves: Any, **settings: Any) -> Any:
            return optimizer(name, list(leaves) or list(params.values()), settings)

        make.__name__ = f"b_{name}"
        return make

    return {"b_sgd": maker("sgd"), "b_adam": maker("adam"), "b_lbfgs": maker("lbfgs"), **SHARED}


def optimizer(name: str, leaves: list[Any], settings: dict[str, Any]) -> Any:
    """An optimizer of these params."""
    from dagrad.engine import optimize

    for leaf in leaves:
        if not isinstance(leaf, Tensor) or not isinstance(leaf.node, engine.AccumulateGrad):
            raise EngineError(f"{name}() moves params, not {kind_of(leaf)}", kind="type", help=f"settings have names: {name}(lr=0.1)")
    numbers = {key: scalar(value, f"{name}({key}=…)") for key, value in settings.items()}
    kinds: dict[str, Any] = {"sgd": optimize.Sgd, "adam": optimize.Adam, "lbfgs": optimize.Lbfgs}
    return kinds[name](leaves, **numbers)


def scalar(value: Any, what: str) -> float:
    if not isinstance(value, (float, int)):
        raise EngineError(f"{what} takes a number, not {kind_of(value)}", kind="type")
    return float(value)


def step(opt: Any) -> None:
    """Moves the params of an optimizer along their gradients."""
    from dagrad.engine import optimize

    if not isinstance(opt, optimize.Optimizer):
        help = "make one with opt = sgd(lr=0.1), adam() or lbfgs()"
        raise EngineError(f"step() takes an optimizer, not {kind_of(opt)}", kind="type", help=help)
    opt.step()


class Objective:
    """A function of the program at a vector: the result there, kept for the derivatives that are asked for next."""

    def __init__(self, function: Any, x0: Any, name: str) -> None:
        if not callable(function):
            raise EngineError(f"{name}() takes a function, not {kind_of(function)}", kind="type", help="its first argument is the function")
        if not isinstance(x0, (float, int, Tensor)):
            raise EngineError(f"{name}() starts from a number or a tensor, not {kind_of(x0)}", kind="type")
        self.function = function
        self.shape = x0.shape if isinstance(x0, Tensor) else ()
        self.key = b""
        self.result: Any = None
        self.leaf: Any = None

    def at(self, x: Any) -> Any:
        """The result at x, with the leaf it depends on in `leaf`."""
        if self.result is None or self.key != x.tobytes():
            self.key = x.tobytes()
            with engine.enable_grad():
                self.leaf = engine.leaf(self.shaped(x))
                self.result = self.function(self.leaf)
            if not isinstance(self.result, (float, int, Tensor)):
                raise EngineError(f"the function must give a number or a tensor, not {kind_of(self.result)}", kind="type")
        return self.result

    def shaped(self, x: Any) -> Any:
        return x.reshape(self.shape).copy() if self.shape else float(x[0])

    def answer(self, x: Any) -> Any:
        """The point that was found, as a value of the language."""
        return engine.untracked(self.shaped(x)) if self.shape else float(x[0])


def start_of(x0: Any) -> Any:
    import numpy as np

    return np.asarray(x0.data if isinstance(x0, Tensor) else x0, dtype=float).reshape(-1)


def minimize(f: Any, x0: Any, method: Any = "l-bfgs-b") -> Any:
    """The point near x0 where f is least."""
    from dagrad.engine import optimize

    objective = Objective(f, x0, "minimize")

    def value_and_slope(x: Any) -> Any:
        y = objective.at(x)
        if isinstance(y, Tensor) and y.size != 1:
            message = f"minimize() needs a function with one result, this one has shape {y.shape}"
            raise EngineError(message, kind="shape", help="least_squares() takes residuals")
        return float(y.item() if isinstance(y, Tensor) else y), optimize.gradient_vector(y, [objective.leaf])

    def hessian(x: Any) -> Any:
        return optimize.second_derivatives(objective.at(x), [objective.leaf])

    found = optimize.minimize(value_and_slope, hessian, start_of(x0), method=str(method))
    return objective.answer(converged(found, "minimize").x)


def least_squares(r: Any, x0: Any, method: Any = "auto") -> Any:
    """The point near x0 where the sum of the squares of r is least."""
    from dagrad.engine import optimize

    objective = Objective(r, x0, "least_squares")
    residuals = optimize.Dense(
        lambda x: start_of(objective.at(x)),
        lambda x: optimize.derivative_matrix(objective.at(x), [objective.leaf]),
    )
    found = optimize.least_squares(residuals, start_of(x0), method=str(method))
    return objective.answer(converged(found, "least_squares").x)


def converged(found: Any, name: str) -> Any:
    if not found.converged:
        help = "start nearer to the minimum, or try another method"
        raise EngineError(f"{name}() did not converge: {found.reason}", kind="not-converged", help=help)
    return found


SHARED: dict[str, Any] = {"b_step": step, "b_minimize": minimize, "b_least_squares": least_squares}
