"""What the calls of this thread are under: whether operations are recorded, and in whose name."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from types import CodeType, TracebackType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class _Local(threading.local):
    enabled = True
    place: tuple[CodeType, int] | None = None
    boxed = True
    # The saved-tensor hooks in force, the innermost last.
    saving: list[Any] = []  # noqa: RUF012 - replaced, never changed


local = _Local()

# How many reasons there are, in all threads together, for an operation to take the slow road: a `no_grad`, a listener, a place set by hand.
# While it is 0 (nearly always) recording asks nothing else.
special = 0

_lock = threading.Lock()


def add_special(count: int) -> None:
    """Registers (+1) or withdraws (-1) a reason for operations to look at the modes and listeners."""
    global special
    with _lock:
        special += count


def is_grad_enabled() -> bool:
    """Whether operations on tracked tensors are recorded in this thread."""
    return local.enabled


class set_grad_enabled:
    """Sets the grad mode of this thread: at once when called, and until the end of the block when used as a context or a decorator."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self.before = local.enabled
        self._switch(enabled)

    def _switch(self, enabled: bool) -> None:
        if enabled != local.enabled:
            add_special(-1 if enabled else 1)
            local.enabled = enabled

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._switch(self.before)

    def __call__(self, function: F) -> F:
        self._switch(self.before)  # as a decorator it must not change the mode where it stands
        return _decorate(functools.partial(set_grad_enabled, self.enabled), function)


class _GradMode:
    """A grad mode for a `with` block, or for each call of the function it decorates."""

    enabled: bool

    def __new__(cls, function: Any = None) -> Any:
        """As a decorator it may stand without parentheses."""
        mode = super().__new__(cls)
        return mode if function is None else mode(function)

    def __enter__(self) -> None:
        self._entered = set_grad_enabled(self.enabled)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._entered.__exit__(kind, error, trace)

    def __call__(self, function: F) -> F:
        return _decorate(type(self), function)


class no_grad(_GradMode):
    """Nothing inside is recorded: results do not require grad."""

    enabled = False


class enable_grad(_GradMode):
    """Operations inside are recorded again, also within a `no_grad`."""

    enabled = True


def _decorate(mode: Callable[[], Any], function: F) -> F:
    """`function` with each of its calls (of a generator: each step) run under `mode`; the caller's mode holds in between."""
    import inspect  # which is slow to import; a program decorates nothing

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def steps(*args: Any, **kwargs: Any) -> Any:
            return _drive(mode, function(*args, **kwargs))

        return steps  # type: ignore[return-value]
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with mode():
                return await function(*args, **kwargs)

        return coroutine  # type: ignore[return-value]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with mode():
            return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def _drive(mode: Callable[[], Any], generator: Any) -> Any:
    """Runs a generator step by step under `mode`, passing on what is sent, thrown and returned."""
    step: Callable[[], Any] = functools.partial(next, generator)
    while True:
        try:
            with mode():
                value = step()
        except StopIteration as stop:
            return stop.value
        try:
            sent = yield value
            step = functools.partial(generator.send, sent)
        except GeneratorExit:
            with mode():
                generator.close()
            raise
        except BaseException as error:
            step = functools.partial(generator.throw, error)


@contextlib.contextmanager
def plain_scalars() -> Iterator[None]:
    """Inside, an untracked scalar result is a Python float even where a Tensor went in.

    A program's numbers are floats unless tracked, and arithmetic on floats costs a tenth of that on Tensors. Python callers
    keep PyTorch's rule, Tensor in, Tensor out.
    """
    before, local.boxed = local.boxed, False
    try:
        yield
    finally:
        local.boxed = before
