"""Optimizers of a training loop: each `step()` moves the leaves along the gradients that backward left in them."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, EngineError
from ..leaves import assign
from ..tensor import Tensor


class Optimizer:
    """Leaves and the rule that moves them. `rule` gets a value, its gradient and a dict that lasts, and gives the new value."""

    name = "optimizer"

    def __init__(self, leaves: list[Tensor], lr: float) -> None:
        if not leaves:
            raise ArgumentError(f"{self.name}() has no param to move")
        if not lr > 0:
            raise ArgumentError(f"{self.name}() needs a learning rate above 0, not {lr:g}")
        self.leaves = leaves
        self.lr = float(lr)
        self.states: list[dict[str, Any]] = [{} for _ in leaves]

    def step(self) -> None:
        """Moves every leaf that has a gradient; an EngineError where none has."""
        moved = False
        for leaf, state in zip(self.leaves, self.states, strict=True):
            if (gradient := leaf.grad) is not None:
                assign(leaf, self.rule(leaf.data, gradient.data, state))
                moved = True
        if not moved:
            raise EngineError("step() before any backward: no param has a gradient", kind="no-gradient", help="call backward(loss) first")

    def rule(self, value: Any, gradient: Any, state: dict[str, Any]) -> Any:
        raise NotImplementedError


class Sgd(Optimizer):
    """Gradient descent, with momentum as PyTorch has it."""

    name = "sgd"

    def __init__(self, leaves: list[Tensor], lr: float = 0.01, momentum: float = 0.0) -> None:
        super().__init__(leaves, lr)
        self.momentum = float(momentum)

    def rule(self, value: Any, gradient: Any, state: dict[str, Any]) -> Any:
        if self.momentum:
            gradient = state["velocity"] = self.momentum * state["velocity"] + gradient if state else gradient
        return value - self.lr * gradient


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015)."""

    name = "adam"

    def __init__(self, leaves: list[Tensor], lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(leaves, lr)
        self.beta1, self.beta2, self.eps = float(beta1), float(beta2), float(eps)

    def rule(self, value: Any, gradient: Any, state: dict[str, Any]) -> Any:
        count = state["count"] = state.get("count", 0) + 1
        mean = state["mean"] = self.beta1 * state.get("mean", 0.0) + (1 - self.beta1) * gradient
        square = state["square"] = self.beta2 * state.get("square", 0.0) + (1 - self.beta2) * gradient * gradient
        root = (square / (1 - self.beta2**count)) ** 0.5
        return value - self.lr / (1 - self.beta1**count) * mean / (root + self.eps)


class Lbfgs(Optimizer):
    """L-BFGS without a line search: the newest `history` steps and gradient changes stand for the Hessian."""

    name = "lbfgs"

    def __init__(self, leaves: list[Tensor], lr: float = 1.0, history: int = 10) -> None:
        super().__init__(leaves, lr)
        self.history = int(history)
        self.pairs: list[tuple[Any, Any, float]] = []
        self.before: tuple[Any, Any] | None = None

    def step(self) -> None:
        """One quasi-Newton step of all leaves together."""
        import numpy as np

        if any(leaf.grad is None for leaf in self.leaves):
            raise EngineError("step() of lbfgs needs a gradient in every param", kind="no-gradient", help="call backward(loss) first")
        x = np.concatenate([np.ravel(leaf.data) for leaf in self.leaves])
        slope = np.concatenate([np.ravel(leaf.grad.data) for leaf in self.leaves])  # type: ignore[union-attr]
        self._remember(x, slope)
        # Without any curvature known, a step as long as the gradient would be arbitrary: PyTorch's first step.
        length = self.lr if self.pairs else self.lr * min(1.0, 1.0 / max(float(np.abs(slope).sum()), 1e-300))
        self._move(x - length * self._direction(slope))

    def _remember(self, x: Any, slope: Any) -> None:
        if self.before is not None:
            moved, turned = x - self.before[0], slope - self.before[1]
            curvature = float(moved @ turned)
            if curvature > 1e-10 * float(moved @ moved):
                self.pairs = [*self.pairs, (moved, turned, curvature)][-self.history :]
        self.before = (x, slope)

    def _direction(self, slope: Any) -> Any:
        """The inverse Hessian times the gradient, by the two loops of Nocedal (1980)."""
        if not self.pairs:
            return slope
        parts = []
        for moved, turned, curvature in reversed(self.pairs):
            part = float(moved @ slope) / curvature
            parts.append(part)
            slope = slope - part * turned
        _, turned, curvature = self.pairs[-1]
        slope = slope * (curvature / float(turned @ turned))
        for (moved, turned, curvature), part in zip(self.pairs, reversed(parts), strict=True):
            slope = slope + moved * (part - float(turned @ slope) / curvature)
        return slope

    def _move(self, x: Any) -> None:
        start = 0
        for leaf in self.leaves:
            piece = x[start : start + leaf.size]
            assign(leaf, piece.reshape(leaf.shape).copy() if leaf.shape else float(piece[0]))
            start += leaf.size
