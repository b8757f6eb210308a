"""What happens in a training run, rank by rank: how many passes there are, which of them synchronise, and which take
the detour of the model. The dump tells it to the C++ side, which follows.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Pass:
    """One forward and one backward."""

    synchronise: bool  # and then step; otherwise the gradients stay for the next pass
    detour: bool


def every_pass(rank, ranks, steps):
    return [Pass(synchronise=True, detour=True) for _ in range(steps)]


def accumulated(rank, ranks, steps):
    """Three passes for a step: with two, a sum would come out right in any order."""
    return [Pass(synchronise=i % 3 == 2, detour=True) for i in range(3 * steps)]


def with_detours(rank, ranks, steps):
    """Steps in turn where all ranks take the detour, the even ones, none at all, the odd ones."""
    takes = (lambda: True, lambda: rank % 2 == 0, lambda: False, lambda: rank % 2 == 1)
    return [Pass(synchronise=True, detour=takes[step % 4]()) for step in range(steps)]


def shortened(rank, ranks, steps):
    """The last rank has data for all steps; rank 0 runs out first of the others."""
    missing = 0 if rank == ranks - 1 else 8 * (ranks - 1 - rank)
    return every_pass(rank, ranks, steps - missing)


@dataclass
class Scenario:
    passes: Callable
    unused: bool = False  # parameters without gradient
    join: dict | None = None  # arguments of DistributedDataParallel.join()


SCENARIOS = {
    "plain": Scenario(every_pass),
    "accumulation": Scenario(accumulated),
    "unused": Scenario(with_detours, unused=True),
    "uneven": Scenario(shortened, join={"divide_by_initial_world_size": False}),
    "uneven_all_ranks": Scenario(shortened, join={"divide_by_initial_world_size": True}),
}
