"""What a user of PyTorch runs under torchrun: ranks that meet over Gloo and add up, of which one may fail."""

import argparse
import os
import sys
import traceback

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


@record
def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fail-on", type=int, default=-1, help="rank that raises an exception")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    value = torch.tensor([float(dist.get_rank() + 1)])
    dist.all_reduce(value)
    print(f"rank {dist.get_rank()}: {value.item()}")
    if dist.get_rank() == options.fail_on:
        raise ValueError("part 7 is not there")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        # At once: while the interpreter is taken down, a group that is still there now and then dies of SIGABRT in
        # PyTorch's own threads.
        os._exit(1)
