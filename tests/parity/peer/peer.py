#!/usr/bin/env python3
"""Trains with PyTorch's own DistributedDataParallel over gloo and writes down what it did, for the C++ side to repeat.

    peer.py --ranks 2 --scenarios plain unused --steps 50 --torch-version 2.13.0 --output DIR

trains every model with each of the --optimizers, sgd and adamw when none is named, in each scenario. DIR/SCENARIO/MODEL.OPTIMIZER/RANK.{index,data} then have, in
the format of dump.py,
    inputs targets losses          one row for each pass of this rank
    synchronise detours            0 or 1 for each pass: see scenarios.py
    buffer/NAME final/NAME         buffers and parameters of this rank in the end
and those of the last rank, which has data for all steps, also
    parameter/STEP/NAME            the parameters before that step
    gradient/STEP/NAME             what the optimizer got in that step; without a line, it got none
Exit code 77 means that there is nothing to compare with, for the reason on standard output.
"""

import argparse
import contextlib
import itertools
import os
import pathlib
import sys

SKIPPED = 77

try:
    import torch
    import torch._dynamo  # DistributedDataParallel does, and takes a second for it in each rank that has not
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    from dump import Dump
    from models import MODELS
    from scenarios import SCENARIOS
except ImportError as problem:
    print(f"this Python cannot train: {problem}")
    sys.exit(SKIPPED)

# The plain loops, which C++ has too, and the fused ones, which round differently and which sharded optimizers use.
OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(
        parameters, lr=0.02, momentum=0.9, weight_decay=1e-3, foreach=False, fused=False
    ),
    "adamw": lambda parameters: torch.optim.AdamW(
        parameters, lr=1e-3, weight_decay=1e-2, foreach=False, fused=False
    ),
    "fused_sgd": lambda parameters: torch.optim.SGD(
        parameters, lr=0.02, momentum=0.9, weight_decay=1e-3, fused=True
    ),
    "fused_adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, weight_decay=1e-2, fused=True),
    "fused_adamw": lambda parameters: torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-2, fused=True),
    "fused_adagrad": lambda parameters: torch.optim.Adagrad(
        parameters, lr=1e-2, weight_decay=1e-3, fused=True
    ),
}


class Run:
    """One rank of one model under one optimizer."""

    def __init__(self, scenario, model, optimizer, arguments, dump):
        self.scenario = SCENARIOS[scenario]
        self.passes = self.scenario.passes(distributed.get_rank(), arguments.ranks, arguments.steps)
        self.dump = dump
        self.leads = distributed.get_rank() == arguments.ranks - 1
        torch.manual_seed(1)
        self.module = MODELS[model](spare=self.scenario.unused)
        self.replica = DistributedDataParallel(self.module, find_unused_parameters=self.scenario.unused)
        self.optimizer = OPTIMIZERS[optimizer](self.module.parameters())
        self.steps_taken = 0

    def train(self):
        generator = torch.Generator().manual_seed(1000 + distributed.get_rank())
        batches = [self.module.batch(generator) for _ in self.passes]
        join = contextlib.nullcontext()
        if self.scenario.join is not None:
            join = self.replica.join(**self.scenario.join)
        with join:
            losses = [self.one_pass(kind, *batch) for kind, batch in zip(self.passes, batches)]
        self.write_passes(batches, losses)
        self.dump.add_all("buffer", self.module.named_buffers())
        self.dump.add_all("final", self.module.named_parameters())

    def one_pass(self, kind, inputs, targets):
        with contextlib.nullcontext() if kind.synchronise else self.replica.no_sync():
            loss = self.module.loss(self.replica(inputs, kind.detour), targets)
            loss.backward()
        if kind.synchronise:
            self.step()
        return loss.detach()

    def step(self):
        if self.leads:
            named = list(self.module.named_parameters())
            self.dump.add_all(f"parameter/{self.steps_taken}", named)
            self.dump.add_all(f"gradient/{self.steps_taken}", ((name, value.grad) for name, value in named))
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.steps_taken += 1

    def write_passes(self, batches, losses):
        inputs, targets = zip(*batches)
        self.dump.add("inputs", torch.stack(inputs))
        self.dump.add("targets", torch.stack(targets))
        self.dump.add("losses", torch.stack(losses))
        self.dump.add("synchronise", torch.tensor([int(kind.synchronise) for kind in self.passes]))
        self.dump.add("detours", torch.tensor([int(kind.detour) for kind in self.passes]))


def run_rank(rank, arguments):
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{arguments.output}/rendezvous", rank=rank, world_size=arguments.ranks
    )
    for scenario, model, optimizer in itertools.product(arguments.scenarios, MODELS, arguments.optimizers):
        folder = arguments.output / scenario / f"{model}.{optimizer}"
        folder.mkdir(parents=True, exist_ok=True)
        with Dump(folder / str(rank)) as dump:
            Run(scenario, model, optimizer, arguments, dump).train()
    distributed.destroy_process_group()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--scenarios", choices=SCENARIOS, nargs="+", required=True)
    parser.add_argument("--optimizers", choices=OPTIMIZERS, nargs="+", default=["sgd", "adamw"])
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--torch-version", required=True, help="of the libtorch that the C++ side uses")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    version = torch.__version__.partition("+")[0]
    if version != arguments.torch_version:
        print(f"this Python has torch {version}, the C++ side libtorch {arguments.torch_version}")
        return SKIPPED
    if not distributed.is_available() or not distributed.is_gloo_available():
        print("this torch has no gloo")
        return SKIPPED
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    # Importing torch takes longer than training: forked ranks share what this process has imported.
    torch.multiprocessing.start_processes(
        run_rank, (arguments,), nprocs=arguments.ranks, start_method="fork"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
