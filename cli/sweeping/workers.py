"""Who does the work: this process, several processes, or a Dask cluster. A batch whose worker dies is done again elsewhere."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from ..status import UsageError

DEATHS = 3  # times that a batch may take its worker along before its points are tried one by one


class Job(Protocol):
    """Work that comes in items, as plain data that can travel to another process."""

    def done(self, item: Any) -> Any:
        """What comes of an item."""

    def died(self, item: Any) -> Any:
        """What stands for it when it took its worker along whenever it was tried."""


Batch = Sequence[Any]


def work(job: Job, batch: Batch) -> list[Any]:
    """What comes of a batch, in order."""
    return [job.done(item) for item in batch]


class Died(Exception):
    """The worker of the next batch is gone."""


Rows = Iterator[list[Any]]
Start = Callable[[Job, Sequence[Batch]], Rows]


def here(job: Job, batches: Sequence[Batch]) -> Rows:
    """This process."""
    return (work(job, batch) for batch in batches)


def processes(count: int) -> Start:
    """So many processes of this machine, by joblib."""

    def start(job: Job, batches: Sequence[Batch]) -> Rows:
        from joblib import Parallel, delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool

        results = Parallel(n_jobs=count, return_as="generator")(delayed(work)(job, batch) for batch in batches)
        try:
            yield from each(results)
        except BrokenProcessPool:
            raise Died from None
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # who stops early knows that work was under way
                results.close()

    return start


def each(results: Rows) -> Rows:
    """The results without the generator's own end: it is closed by whom it belongs to."""
    for rows in results:  # noqa: UP028 - yield from would close it
        yield rows


def cluster(address: str) -> Start:
    """The workers of a Dask scheduler; dagrad must be installed there."""

    def start(job: Job, batches: Sequence[Batch]) -> Rows:
        client = connect(address)
        try:
            yield from submitted(client, job, batches)
        finally:
            client.close()

    return start


def connect(address: str) -> Any:
    """A client of the scheduler at an address."""
    import logging

    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--dask needs Dask's package distributed", help="pip install 'dagrad[dask]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # a worker that dies is no news here
    try:
        made: Any = Client
        return made(address, timeout="5s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}", help=str(error).split("\n")[0] or None) from None


def submitted(client: Any, job: Job, batches: Sequence[Batch]) -> Rows:
    """Results in order, with a window of batches under way. The scheduler moves what a dead worker had to another."""
    from distributed import KilledWorker

    waiting: deque[Any] = deque()
    rest = iter(batches)

    def fill() -> None:
        width = max(4 * sum(client.nthreads().values()), 8)
        for batch in islice(rest, width - len(waiting)):
            waiting.append(client.submit(work, job, batch, pure=False))

    fill()
    while waiting:
        try:
            rows = waiting.popleft().result()
        except KilledWorker:
            raise Died from None
        yield rows
        if len(waiting) % 4 == 0:
            fill()


def resilient(start: Start, job: Job, batches: Sequence[Batch]) -> Rows:
    """Every batch once and in order, whatever becomes of the workers."""
    done = deaths = 0
    while done < len(batches):
        try:
            for rows in start(job, batches[done:]):
                done, deaths = done + 1, 0
                yield rows
        except Died:
            deaths += 1
        if deaths >= DEATHS:
            yield [alone(start, job, item) for item in batches[done]]
            done, deaths = done + 1, 0


def alone(start: Start, job: Job, item: Any) -> Any:
    """One item by itself: if its worker dies again, the item is at fault."""
    try:
        return next(iter(start(job, [[item]])))[0]
    except Died:
        return job.died(item)


def batches_of(points: Sequence[Any], workers: int) -> list[Batch]:
    """Pieces small enough that the workers end together and a death costs little."""
    size = max(1, min(50, len(points) // (8 * workers))) if workers > 1 else 1
    return [points[i : i + size] for i in range(0, len(points), size)]
