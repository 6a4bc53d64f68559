"""What a formula of numbers is: arguments and steps. Here is also found out which of these matter to its value and to its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

READ = "read"


class Step(NamedTuple):
    """One operation: the op's name, and what it is done to: `x0`, `x1`… (arguments), `t0`, `t1`… (results of steps), or a number.

    The op READ reads an element: of `x0` at the index `x1`, or at `x1, x2` where it has two axes. `position` is where the operation
    stands in the source: line and column of its beginning and end, lines from 1, columns from 0.
    """

    op: str
    operands: tuple[str | float, ...]
    position: tuple[int, int, int, int]


class Formula(NamedTuple):
    """An expression as steps in the order of evaluation; the last gives its value. `file` is where it stands.

    Of the arguments numbered in `constant` no gradient is wanted.
    """

    arguments: int
    steps: tuple[Step, ...]
    file: str
    constant: frozenset[int] = frozenset()

    @property
    def read_from(self) -> dict[int, int]:
        """The arguments that are read from, with the number of their axes."""
        return {number(step.operands[0]): len(step.operands) - 1 for step in self.steps if step.op == READ}

    @property
    def indices(self) -> set[int]:
        """The arguments that are indices."""
        return {number(index) for step in self.steps if step.op == READ for index in step.operands[1:]}

    @property
    def used(self) -> set[str]:
        """The arguments and steps on which the value depends: a function may be given, and compute, what it does not use."""
        found = {f"t{len(self.steps) - 1}"}
        for j in range(len(self.steps) - 1, -1, -1):
            if f"t{j}" in found:
                found.update(ref for ref in self.steps[j].operands if isinstance(ref, str))
        return found

    @property
    def tracked(self) -> list[int]:
        """The arguments that may be tracked: all that are used but indices and constants. They are the inputs of the node."""
        used, others = self.used, self.constant | self.indices
        return [i for i in range(self.arguments) if i not in others and f"x{i}" in used]

    @property
    def wanted(self) -> set[str]:
        """The arguments and the steps that a gradient goes through."""
        found = {f"x{i}" for i in self.tracked}
        for j, step in enumerate(self.steps):
            if found.intersection(ref for ref in step.operands if isinstance(ref, str)):
                found.add(f"t{j}")
        return found


def number(ref: str | float) -> int:
    """Which argument or step a reference means: 1 of `x1`."""
    return int(str(ref)[1:])


def texts(operands: Sequence[str | float]) -> list[str]:
    """References and numbers as Python has them."""
    return [ref if isinstance(ref, str) else repr(ref) for ref in operands]
