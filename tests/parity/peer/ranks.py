"""Starts the ranks of a peer, forked and joined over gloo, or says why there can be none.

A script imports this before anything of torch. Exit code 77 means that there is nothing to compare with, for the reason
on standard output.
"""

import os
import pathlib
import sys

SKIPPED = 77

try:
    import torch
    import torch._dynamo  # DistributedDataParallel does, and takes a second for it in each rank that has not
    from torch import distributed
except ImportError as problem:
    print(f"this Python cannot train: {problem}")
    sys.exit(SKIPPED)


def add_arguments(parser):
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--torch-version", required=True, help="of the libtorch that the C++ side uses")
    parser.add_argument("--output", type=pathlib.Path, required=True)


def obstacle(arguments):
    version = torch.__version__.partition("+")[0]
    if version != arguments.torch_version:
        return f"this Python has torch {version}, the C++ side libtorch {arguments.torch_version}"
    if not distributed.is_available() or not distributed.is_gloo_available():
        return "this torch has no gloo"
    return None


def run_rank(rank, train, arguments):
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{arguments.output}/rendezvous", rank=rank, world_size=arguments.ranks
    )
    train(rank, arguments)
    distributed.destroy_process_group()


def run(train, arguments):
    """Calls train(rank, arguments) in every rank. Returns the exit code."""
    reason = obstacle(arguments)
    if reason is not None:
        print(reason)
        return SKIPPED
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    # Importing torch takes longer than training: forked ranks share what this process has imported.
    torch.multiprocessing.start_processes(
        run_rank, (train, arguments), nprocs=arguments.ranks, start_method="fork"
    )
    return 0
